// Recorded accesses as text or bytes, and back. Three forms, told apart by how they begin:
// - valgrind's lackey (`--trace-mem=yes`): "I  04001000,3", " L 1ffeff,8", " S ...", " M ..."; lines that begin with "==" or
//   "--" are its remarks;
// - Dinero's .din: "LABEL ADDRESS", label 0 load, 1 store, 2 instruction, address in hexadecimal; each access has 4 bytes,
//   further columns are remarks;
// - our own binary: "TNTACC1\n", then 16 bytes an access, little-endian: address (8), bytes (4), kind (1), zero (1), core (2).
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.hpp"
#include "sim/hardware/cache/access.hpp"

namespace tantalus {

/// `file` names the text in diagnostics: code "bad-trace", with line, column and field; up to 20 of them. An empty trace is one.
Result<Accesses> read_access_trace(std::string_view text, const std::string& file);

/// The own binary form.
std::string access_trace_bytes(const Accesses& accesses);

}  // namespace tantalus

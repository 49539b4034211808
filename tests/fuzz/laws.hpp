// What every fuzz target demands of an answer to any text at all. A broken law ends the process, because that is how
// libFuzzer and CTest learn of it; the message says which law it was.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/base/diagnostic.hpp"

namespace tantalus::fuzz {

/// Prints `law` and aborts unless it holds.
void require(bool holds, std::string_view law);

/// Every diagnostic has a code, a message and a place inside the text (or means the whole file), and can be rendered.
void require_placed(std::span<const Diagnostic> diagnostics, std::string_view text);

/// The bytes as text.
std::string_view text_of(const unsigned char* data, std::size_t size);

}  // namespace tantalus::fuzz

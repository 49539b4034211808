// Rows of an `ops` table as Operations: single operators with their shapes, as `tantalus ops` and every comparison with measured
// tables read them. Every bad cell is reported with its place; nothing is guessed. Columns are those of the contract; cells that do
// not apply to an operator may be empty, and columns that nobody knows are left alone.
//
// Traffic follows models/dnn/lower.hpp: element-wise operators read each input and write the output once, LRN also writes its
// scale, gradients read the two tensors that make them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/app/csv_table.hpp"
#include "sim/base/result.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

/// How the number beside which a prediction will stand was timed.
enum class Timing : std::uint8_t {
  queued,       // device time of launches back to back
  single_call,  // one synchronised call: the host's floor is part of it
  framework,    // the per-layer timer of a framework
};

struct OperatorRow {
  Operation operation;
  Timing timing = Timing::queued;
  std::string library;  // catalogue asked for; empty: the device's first
};

/// One for each row of the table. Codes: missing-column, missing-value, bad-number, out-of-range, unknown-word, too-large,
/// bad-shape. Columns close to a known name are warned about (unknown-column).
Result<std::vector<OperatorRow>> read_operators(const CsvTable& table);

}  // namespace tantalus

// A table of operators, read and timed on one device: what `ops` prints and `validate --measured` compares.
#pragma once

#include <string>
#include <vector>

#include "sim/app/csv_table.hpp"
#include "sim/app/operator_rows.hpp"
#include "sim/app/operator_table.hpp"
#include "sim/app/session.hpp"

namespace tantalus {

struct OperatorAnswers {
  ExitCode code = ExitCode::done;  // not_here when the device cannot run some of the rows
  bool answered = false;           // false: a stage was refused, and nothing below is filled in
  CsvTable table;
  std::vector<OperatorRow> rows;                // one for each row of the table ...
  std::vector<OperatorPrediction> predictions;  // ... and what was predicted for it
  std::string device;
};

/// Reads the table (a path, or "-" for standard input), plans the system, times every row on the device alone. A row that the
/// device cannot run is an error at its place, and the other rows are answered all the same.
OperatorAnswers answer_operators(Session& session, const SystemOptions& on,
                                 const std::string& table);

}  // namespace tantalus

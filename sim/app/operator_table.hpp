// The answer of `tantalus ops`: the rows as they came in, with what was predicted for each behind them.
#pragma once

#include <string>
#include <vector>

#include "sim/app/csv_table.hpp"
#include "sim/base/units.hpp"
#include "sim/report/style.hpp"

namespace tantalus {

struct OperatorPrediction {
  bool runs = true;  // false: the device cannot, and the cells stay empty
  Duration time, low, high;
  Duration roofline;  // from the listed peaks alone
  std::string bound, algorithm;
};

/// `predictions` has one entry for each row.
std::string operators_csv(const CsvTable& table,
                          const std::vector<OperatorPrediction>& predictions);
std::string operators_json(const CsvTable& table,
                           const std::vector<OperatorPrediction>& predictions,
                           const std::string& system, const std::string& device);
std::string operators_table(const CsvTable& table,
                            const std::vector<OperatorPrediction>& predictions, const Style& style);

}  // namespace tantalus

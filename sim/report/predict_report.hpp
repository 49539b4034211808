// The three forms of a predict answer: a table for people, JSON `tantalus.predict/1` and CSV for programs. All three lay out
// the same sums (prediction.hpp); fields of the JSON are a contract: add freely, never rename or drop.
#pragma once

#include <string>

#include "sim/report/prediction.hpp"
#include "sim/report/style.hpp"

namespace tantalus {

/// The answer in the first line, the assumptions in the next, then one row a layer, totals, memory, warnings.
std::string predict_table(const Prediction& prediction, const Style& style = {});

/// Ends with a line end. Times are nanoseconds with picoseconds in the decimals; ratios have six significant digits.
std::string predict_json(const Prediction& prediction);

/// One row for each layer and pass, then one named `total`.
std::string predict_csv(const Prediction& prediction);

}  // namespace tantalus

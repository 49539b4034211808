// The answer of `tantalus validate --measured`: every row with its signed error, and how far off the model is by family and third
// of size. As a table for people, as `tantalus.validate/1`, or as rows of CSV.
#pragma once

#include <string>
#include <vector>

#include "sim/report/accuracy.hpp"
#include "sim/report/style.hpp"

namespace tantalus {

struct ValidatedRow {
  std::int64_t line = 0;  // in the table
  std::string label;      // what the row calls itself; may be empty
  MeasuredTime time;
};

struct Validation {
  std::string system, device, table, knowledge;
  Duration least;                   // rows measured below this are summed up apart
  std::vector<ValidatedRow> rows;   // measured at `least` or above, in the table's order
  std::vector<ValidatedRow> below;  // the others

  ErrorSummary summary() const;
  ErrorSummary summary_below() const;
  std::vector<ErrorGroup> groups() const;
};

std::string validation_table(const Validation& validation, const Style& style);
std::string validation_json(const Validation& validation);
std::string validation_csv(const Validation& validation);

}  // namespace tantalus

#include "sim/app/row_cells.hpp"

#include <utility>

#include "sim/base/units_text.hpp"

namespace tantalus {

const CsvCell* RowCells::cell(std::string_view column) const {
  const auto it = columns_.find(column);
  if (it == columns_.end() || row_[it->second].text.empty()) return nullptr;
  return &row_[it->second];
}

// The cell that a complaint points at; the row's first when the column is not there.
const CsvCell& RowCells::place_of(std::string_view column) const {
  const auto it = columns_.find(column);
  return it == columns_.end() ? row_.front() : row_[it->second];
}

void RowCells::complain(std::string_view column, std::string code, std::string message,
                        std::string hint) {
  wrong_.push_back(error_at(place_of(column), std::move(code), std::string(column),
                            std::move(message), std::move(hint)));
}

std::optional<std::int64_t> RowCells::number(std::string_view column, std::int64_t low,
                                             std::int64_t high) {
  const CsvCell* given = cell(column);
  if (given == nullptr) return std::nullopt;
  const Parsed<std::int64_t> parsed = parse_integer(given->text);
  if (!parsed.value) {
    complain(column, parsed.code, parsed.message, parsed.hint);
    return std::nullopt;
  }
  if (*parsed.value < low || *parsed.value > high) {
    complain(
        column, "out-of-range",
        given->text + " is not between " + std::to_string(low) + " and " + std::to_string(high),
        "write a whole number in that range, or leave the cell empty where it does not apply");
    return std::nullopt;
  }
  return parsed.value;
}

std::int64_t RowCells::required(std::string_view column) {
  if (cell(column) == nullptr) {
    const bool no_column = !columns_.contains(column);
    complain(column, "missing-value",
             no_column ? "is needed here, and there is no such column" : "is needed here",
             "write a whole number of 1 or more");
    return 1;
  }
  return number(column, 1, largest_extent).value_or(1);
}

std::int64_t RowCells::optional(std::string_view column, std::int64_t standard, std::int64_t low,
                                std::int64_t high) {
  return number(column, low, high).value_or(standard);
}

}  // namespace tantalus

// The cells of one table row as typed values. Every mistake is kept with its place, and a first one does not stop the others from
// being found. It knows columns by name, not what an operator is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/app/csv_table.hpp"
#include "sim/base/text.hpp"

namespace tantalus {

/// One word that a cell may hold and what it stands for.
template <class E>
struct CellWord {
  std::string_view name;
  E value;
};

/// Larger than any extent of a real operator; products are checked on top of this.
inline constexpr std::int64_t largest_extent = std::int64_t{1} << 38;

class RowCells {
 public:
  /// Where each known column stands in the table.
  using Columns = std::map<std::string_view, std::size_t>;

  /// The row, the columns and the list of mistakes must outlive the object.
  RowCells(const CsvRow& row, const Columns& columns, Diagnostics& wrong)
      : row_(row), columns_(columns), wrong_(wrong), found_before_(wrong.size()) {}

  /// Null when there is no such column or the cell is empty.
  const CsvCell* cell(std::string_view column) const;

  /// A whole number of 1 or more; 1 after a complaint.
  std::int64_t required(std::string_view column);
  /// A number within the limits, or `standard` when the cell is empty.
  std::int64_t optional(std::string_view column, std::int64_t standard, std::int64_t low,
                        std::int64_t high = largest_extent);
  template <class E, std::size_t n>
  E word(std::string_view column, const CellWord<E> (&words)[n], E standard);

  void complain(std::string_view column, std::string code, std::string message,
                std::string hint = {});

  /// No complaint about this row so far.
  bool clean() const { return wrong_.size() == found_before_; }

 private:
  const CsvCell& place_of(std::string_view column) const;
  std::optional<std::int64_t> number(std::string_view column, std::int64_t low, std::int64_t high);

  const CsvRow& row_;
  const Columns& columns_;
  Diagnostics& wrong_;
  std::size_t found_before_;
};

template <class E, std::size_t n>
E RowCells::word(std::string_view column, const CellWord<E> (&words)[n], E standard) {
  const CsvCell* given = cell(column);
  if (given == nullptr) return standard;
  std::vector<std::string> names;
  std::string list;
  for (const CellWord<E>& candidate : words) {
    if (candidate.name == given->text) return candidate.value;
    names.emplace_back(candidate.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string near = closest_word(given->text, names);
  complain(column, "unknown-word", "'" + given->text + "' is not known here",
           near.empty() ? "one of " + list : "did you mean '" + near + "'?");
  return standard;
}

}  // namespace tantalus

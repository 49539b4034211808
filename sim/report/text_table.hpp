// A table of short texts in aligned columns: a heading, rows, rules. It knows nothing of what the texts mean. Widths count
// UTF-8 code points, so a layer with an accent in its name keeps the columns straight; no line ends in a space.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/style.hpp"

namespace tantalus {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string heading;
  Align align = Align::right;
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns);

  /// One text a column; fewer or more is a broken invariant.
  void add_row(std::vector<std::string> cells);

  /// A line across the whole table.
  void add_rule();

  /// Columns whose cells are all empty or "-" are left out: they would say nothing.
  std::string text(const Style& style = {}) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace tantalus

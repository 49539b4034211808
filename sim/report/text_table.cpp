#include "sim/report/text_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr std::string_view gap = "  ";

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string spaces(width - width_of(text), ' ');
  return align == Align::left ? text + spaces : spaces + text;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  TANTALUS_CHECK(cells.size() == columns_.size(), "a row has one cell for each column");
  rows_.push_back(std::move(cells));
}

void TextTable::add_rule() { rows_.emplace_back(); }

std::string TextTable::text(const Style& style) const {
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    bool says_something = rows_.empty();
    widths[c] = width_of(columns_[c].heading);
    for (const auto& row : rows_) {
      if (row.empty()) continue;
      widths[c] = std::max(widths[c], width_of(row[c]));
      says_something = says_something || !(row[c].empty() || row[c] == "-");
    }
    if (says_something) shown.push_back(c);
  }

  std::size_t total = 0;
  for (const std::size_t c : shown) total += widths[c] + (c == shown.front() ? 0 : gap.size());
  const auto line_of = [&](const auto& cell) {
    std::string line;
    for (const std::size_t c : shown) {
      if (c != shown.front()) line += gap;
      line += padded(cell(c), widths[c], columns_[c].align);
    }
    return without_trailing_spaces(std::move(line));
  };

  std::string text =
      bold(line_of([&](std::size_t c) { return columns_[c].heading; }), style) + "\n";
  for (const auto& row : rows_) {
    text += row.empty() ? std::string(total, '-') : line_of([&](std::size_t c) { return row[c]; });
    text += "\n";
  }
  return text;
}

}  // namespace tantalus

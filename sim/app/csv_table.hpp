// Comma-separated values as text with positions: a header line and rows of as many cells (RFC 4180: quoted cells may hold
// commas, quotes and line ends). Blank lines are skipped, LF and CRLF read the same, a byte order mark is skipped. It does not
// know what the cells mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/result.hpp"

namespace tantalus {

struct CsvCell {
  std::string text;
  SourcePos where;
  int width = 1;
};

using CsvRow = std::vector<CsvCell>;

struct CsvTable {
  CsvRow header;
  std::vector<CsvRow> rows;  // each as long as the header

  std::optional<std::size_t> column(std::string_view name) const;
};

/// Codes: empty-file, bad-quote, wrong-cell-count, duplicate-column.
Result<CsvTable> parse_csv(std::string_view text, const std::string& file);

/// An error at a cell, underlined; `path` names the column.
Diagnostic error_at(const CsvCell& cell, std::string code, std::string path, std::string message,
                    std::string hint = {});

}  // namespace tantalus

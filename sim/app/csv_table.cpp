#include "sim/app/csv_table.hpp"

#include <algorithm>
#include <utility>

namespace tantalus {

namespace {

// Walks the text once; positions count from 1, columns in bytes.
class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);
  }

  std::vector<CsvRow> rows() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row = read_row();
      const bool blank = row.size() == 1 && row.front().text.empty();
      if (!blank) rows.push_back(std::move(row));
    }
    return rows;
  }

  Diagnostics wrong;

 private:
  bool at_line_end() const {
    return at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
  }

  char step() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      line_start_ = at_;
    }
    return c;
  }

  CsvRow read_row() {
    CsvRow row;
    for (;;) {
      row.push_back(read_cell());
      if (at_line_end()) break;
      step();  // the comma
    }
    if (at_ < text_.size() && text_[at_] == '\r') step();
    if (at_ < text_.size() && text_[at_] == '\n') step();
    return row;
  }

  CsvCell read_cell() {
    CsvCell cell;
    cell.where = {file_, line_, static_cast<int>(at_ - line_start_) + 1};
    const std::size_t begin = at_;
    if (!at_line_end() && text_[at_] == '"') {
      read_quoted(cell);
    } else {
      while (!at_line_end() && text_[at_] != ',') cell.text += step();
    }
    const bool one_line = cell.where.line == line_;
    cell.width = one_line ? std::max(1, static_cast<int>(at_ - begin)) : 1;
    return cell;
  }

  void read_quoted(CsvCell& cell) {
    step();
    for (;;) {
      if (at_ >= text_.size()) {
        wrong.push_back(
            error_at(cell, "bad-quote", "", "the quote that begins here is never closed",
                     "write \" at the end of the cell; a quote inside is written \"\""));
        return;
      }
      const char c = step();
      if (c != '"') {
        cell.text += c;
      } else if (at_ < text_.size() && text_[at_] == '"') {
        cell.text += step();
      } else {
        break;
      }
    }
    if (at_line_end() || text_[at_] == ',') return;
    wrong.push_back(error_at(cell, "bad-quote", "",
                             "there is text behind the closing quote of this cell",
                             "quote the whole cell; a quote inside is written \"\""));
    while (!at_line_end() && text_[at_] != ',') step();
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

void check_header(const CsvRow& header, Diagnostics& wrong) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (header[i].text.empty() || header[i].text != header[k].text) continue;
      wrong.push_back(error_at(header[i], "duplicate-column", "",
                               "the column '" + header[i].text + "' is there twice",
                               "remove one of them"));
    }
  }
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto it = std::find_if(header.begin(), header.end(),
                               [&](const CsvCell& cell) { return cell.text == name; });
  if (it == header.end()) return std::nullopt;
  return static_cast<std::size_t>(it - header.begin());
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& file) {
  CsvParser parser(text, file);
  std::vector<CsvRow> rows = parser.rows();
  Diagnostics wrong = std::move(parser.wrong);
  if (rows.empty()) {
    return Diagnostic{Severity::error,
                      "empty-file",
                      {file, 0, 0},
                      "",
                      "has no header line",
                      "the first line names the columns: op,dtype,...",
                      1};
  }

  CsvTable table;
  table.header = std::move(rows.front());
  check_header(table.header, wrong);
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    if (row->size() != table.header.size()) {
      wrong.push_back(error_at(row->front(), "wrong-cell-count", "",
                               "this row has " + std::to_string(row->size()) +
                                   " cells, the header " + std::to_string(table.header.size()),
                               "give every column a cell, empty where it does not apply"));
      continue;
    }
    table.rows.push_back(std::move(*row));
  }
  if (!wrong.empty()) return wrong;
  return table;
}

Diagnostic error_at(const CsvCell& cell, std::string code, std::string path, std::string message,
                    std::string hint) {
  return {Severity::error,    std::move(code), cell.where, std::move(path),
          std::move(message), std::move(hint), cell.width};
}

}  // namespace tantalus

#include "sim/app/operator_table.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/report/csv.hpp"
#include "sim/report/json_text.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/prediction.hpp"
#include "sim/report/text_table.hpp"

namespace tantalus {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 5> appended = {"predicted_ms", "low_ms", "high_ms", "bound",
                                                 "algorithm_used"};

// Nine digits after the point are exact: a picosecond is 1e-9 ms.
std::string ms_text(Duration time) {
  return fixed_text(static_cast<double>(time.count()) / 1e9, 9);
}
double ms(Duration time) { return static_cast<double>(time.count()) / 1e9; }

std::vector<std::string> cells_of(const OperatorPrediction& p) {
  if (!p.runs) return std::vector<std::string>(appended.size());
  return {ms_text(p.time), ms_text(p.low), ms_text(p.high), p.bound, p.algorithm};
}

}  // namespace

std::string operators_csv(const CsvTable& table,
                          const std::vector<OperatorPrediction>& predictions) {
  std::vector<std::string> fields;
  for (const CsvCell& cell : table.header) fields.push_back(cell.text);
  fields.insert(fields.end(), appended.begin(), appended.end());
  std::string text = csv_line(fields);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    fields.clear();
    for (const CsvCell& cell : table.rows[i]) fields.push_back(cell.text);
    const std::vector<std::string> more = cells_of(predictions[i]);
    fields.insert(fields.end(), more.begin(), more.end());
    text += csv_line(fields);
  }
  return text;
}

std::string operators_json(const CsvTable& table,
                           const std::vector<OperatorPrediction>& predictions,
                           const std::string& system, const std::string& device) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    Json row = Json::object();
    for (std::size_t c = 0; c < table.header.size(); ++c)
      row[table.header[c].text] = table.rows[i][c].text;
    const OperatorPrediction& p = predictions[i];
    row["predicted_ms"] = p.runs ? Json(ms(p.time)) : Json();
    row["low_ms"] = p.runs ? Json(ms(p.low)) : Json();
    row["high_ms"] = p.runs ? Json(ms(p.high)) : Json();
    row["bound"] = p.bound;
    row["algorithm_used"] = p.algorithm;
    rows.push_back(std::move(row));
  }
  Json body = {{"system", system}, {"device", device}, {"rows", std::move(rows)}};
  Json document = {{"schema", "tantalus.ops/1"},
                   {"fingerprint", fingerprint_text(fingerprint_of(json_text(body)))}};
  document.update(body);
  return json_text(document);
}

// Only the columns that some row fills: the wide form is for programs.
std::string operators_table(const CsvTable& table,
                            const std::vector<OperatorPrediction>& predictions,
                            const Style& style) {
  std::vector<Column> columns;
  for (const CsvCell& cell : table.header) columns.push_back({cell.text, Align::left});
  for (const char* heading : {"time", "low", "high"}) columns.push_back({heading, Align::right});
  columns.push_back({"bound", Align::left});
  columns.push_back({"algorithm", Align::left});
  TextTable out(std::move(columns));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const OperatorPrediction& p = predictions[i];
    std::vector<std::string> cells;
    for (const CsvCell& cell : table.rows[i]) cells.push_back(cell.text);
    for (const Duration time : {p.time, p.low, p.high})
      cells.push_back(p.runs ? time_text(time) : "-");
    cells.push_back(p.bound);
    cells.push_back(p.algorithm);
    out.add_row(std::move(cells));
  }
  return out.text(style);
}

}  // namespace tantalus

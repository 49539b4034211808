#include "sim/report/staircase_report.hpp"

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

std::string rate_words(const std::optional<double>& rate) {
  if (!rate) return "not stated";
  return bytes_text(Bytes{static_cast<std::int64_t>(*rate)}) + "/s";
}

std::optional<double> number_of(const std::optional<Bandwidth>& rate) {
  if (!rate) return std::nullopt;
  return static_cast<double>(rate->count());
}

std::string latency_words(const std::optional<double>& ns) {
  if (!ns) return "not stated";
  return fixed_text(*ns, *ns < 9.95 ? 2 : *ns < 99.5 ? 1 : 0) + " ns";
}

std::optional<double> nanoseconds_of(const std::optional<Duration>& time) {
  if (!time) return std::nullopt;
  return nanoseconds(*time);
}

Json or_null(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }

Json shares_json(const std::vector<double>& shares) {
  Json all = Json::array();
  for (const double share : shares) all.push_back(rounded(share));
  return all;
}

std::string number_text(const std::optional<double>& value) {
  return value ? Json(rounded(*value)).dump() : "";
}

/// "-" keeps columns quiet.
std::string share_text(double share) { return share < 0.0005 ? "-" : percent_text(share); }

}  // namespace

std::string staircase_table(const StaircaseReport& report, const Style& style) {
  std::string text =
      bold(report.caches + ": latency and bandwidth against working set", style) +
      "\n  latency: one thread chases through it; rates: one core streams it, or all cores their "
      "parts of it;\n  shares: which level answers the one, and all\n\n";
  TextTable levels(
      {{"level", Align::left}, {"capacity"}, {"latency"}, {"one core"}, {"all cores"}});
  for (const StairLevelRow& level : report.levels)
    levels.add_row({level.name, level.capacity ? memory_text(*level.capacity) : "-",
                    latency_words(nanoseconds_of(level.latency)),
                    rate_words(number_of(level.of_one)), rate_words(number_of(level.bandwidth))});
  text += levels.text(style) + "\n";
  std::vector<Column> columns{{"working set"}, {"latency"}};
  for (const StairLevelRow& level : report.levels) columns.push_back({level.name});
  columns.push_back({"one core"});
  columns.push_back({"all cores"});
  for (const StairLevelRow& level : report.levels) columns.push_back({level.name});
  TextTable table(columns);
  for (const StairRow& row : report.rows) {
    std::vector<std::string> cells{memory_text(row.working_set), latency_words(row.latency_ns)};
    for (const double share : row.chased) cells.push_back(share_text(share));
    cells.push_back(rate_words(row.of_one));
    cells.push_back(rate_words(row.bandwidth));
    for (const double share : row.streamed) cells.push_back(share_text(share));
    table.add_row(std::move(cells));
  }
  return text + table.text(style);
}

std::string staircase_json(const StaircaseReport& report) {
  Json levels = Json::array(), steps = Json::array(), warnings = Json::array();
  for (const StairLevelRow& level : report.levels)
    levels.push_back({{"name", level.name},
                      {"capacity_bytes", level.capacity ? Json(level.capacity->count()) : Json()},
                      {"latency_ns", or_null(nanoseconds_of(level.latency))},
                      {"one_core_bytes_per_s", or_null(number_of(level.of_one))},
                      {"bandwidth_bytes_per_s", or_null(number_of(level.bandwidth))}});
  for (const StairRow& row : report.rows)
    steps.push_back({{"working_set_bytes", row.working_set.count()},
                     {"latency_ns", or_null(row.latency_ns)},
                     {"chase_shares", shares_json(row.chased)},
                     {"one_core_bytes_per_s", or_null(row.of_one)},
                     {"bandwidth_bytes_per_s", or_null(row.bandwidth)},
                     {"stream_shares", shares_json(row.streamed)}});
  for (const Diagnostic& d : report.warnings)
    warnings.push_back(
        {{"code", d.code}, {"path", d.path}, {"message", d.message}, {"hint", d.hint}});
  Json body = {{"caches", report.caches},
               {"levels", std::move(levels)},
               {"steps", std::move(steps)},
               {"warnings", std::move(warnings)}};
  Json document = {{"schema", "tantalus.staircase/1"},
                   {"fingerprint", fingerprint_text(fingerprint_of(json_text(body)))}};
  document.update(body);
  return json_text(document);
}

std::string staircase_csv(const StaircaseReport& report) {
  std::vector<std::string> heading{"working_set_bytes", "latency_ns", "one_core_bytes_per_s",
                                   "bandwidth_bytes_per_s"};
  for (const StairLevelRow& level : report.levels) heading.push_back("chase " + level.name);
  for (const StairLevelRow& level : report.levels) heading.push_back("stream " + level.name);
  std::string text = csv_line(heading);
  for (const StairRow& row : report.rows) {
    std::vector<std::string> cells{std::to_string(row.working_set.count()),
                                   number_text(row.latency_ns), number_text(row.of_one),
                                   number_text(row.bandwidth)};
    for (const double share : row.chased) cells.push_back(number_text(share));
    for (const double share : row.streamed) cells.push_back(number_text(share));
    text += csv_line(cells);
  }
  return text;
}

}  // namespace tantalus

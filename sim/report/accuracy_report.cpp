#include "sim/report/accuracy_report.hpp"

#include <algorithm>
#include <cmath>
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

constexpr std::size_t most_worst_rows = 5;  // in the table, which people read

double ms(Duration time) { return static_cast<double>(time.count()) / 1e9; }

std::vector<MeasuredTime> times_of(const std::vector<ValidatedRow>& rows) {
  std::vector<MeasuredTime> times;
  times.reserve(rows.size());
  for (const ValidatedRow& row : rows) times.push_back(row.time);
  return times;
}

std::string signed_percent(double share) {
  return (share < 0.0 ? "-" : "+") + percent_text(std::fabs(share));
}

Json json_of(const ErrorSummary& s) {
  return {{"count", s.count},
          {"mape", rounded(s.mape)},
          {"median_ape", rounded(s.median_ape)},
          {"p90_ape", rounded(s.p90_ape)},
          {"worst_ape", rounded(s.worst_ape)},
          {"bias", rounded(s.bias)},
          {"median_ratio", rounded(s.median_ratio)},
          {"median_factor", rounded(s.median_factor)},
          {"beyond_1_5x", rounded(s.beyond_half)},
          {"rank_correlation", rounded(s.rank_correlation)},
          {"roofline_mape", rounded(s.roofline_mape)},
          {"roofline_bias", rounded(s.roofline_bias)},
          {"interval_coverage", rounded(s.interval_coverage)},
          {"interval_width", rounded(s.interval_width)}};
}

Json json_of(const ValidatedRow& row) {
  return {{"line", row.line},
          {"family", row.time.family},
          {"label", row.label},
          {"measured_ms", ms(row.time.measured)},
          {"predicted_ms", ms(row.time.predicted)},
          {"low_ms", ms(row.time.low)},
          {"high_ms", ms(row.time.high)},
          {"roofline_ms", ms(row.time.roofline)},
          {"error", rounded(row.time.error())}};
}

std::vector<std::string> cells_of(const std::string& family, std::string_view third,
                                  const ErrorSummary& s) {
  return {family,
          std::string(third),
          grouped_text(static_cast<std::int64_t>(s.count)),
          percent_text(s.mape),
          percent_text(s.median_ape),
          percent_text(s.p90_ape),
          percent_text(s.worst_ape),
          signed_percent(s.bias),
          fixed_text(s.median_ratio, 2),
          percent_text(s.beyond_half),
          fixed_text(s.rank_correlation, 3),
          percent_text(s.interval_coverage),
          percent_text(s.interval_width),
          percent_text(s.roofline_mape)};
}

TextTable error_table() {
  return TextTable({{"family", Align::left},
                    {"size", Align::left},
                    {"rows", Align::right},
                    {"MAPE", Align::right},
                    {"median", Align::right},
                    {"p90", Align::right},
                    {"worst", Align::right},
                    {"bias", Align::right},
                    {"ratio", Align::right},
                    {">1.5x", Align::right},
                    {"rank", Align::right},
                    {"covered", Align::right},
                    {"width", Align::right},
                    {"roofline", Align::right}});
}

std::string worst_rows(const std::vector<ValidatedRow>& rows, const Style& style) {
  std::vector<const ValidatedRow*> worst;
  worst.reserve(rows.size());
  for (const ValidatedRow& row : rows) worst.push_back(&row);
  const std::size_t shown = std::min(most_worst_rows, worst.size());
  std::stable_sort(worst.begin(), worst.end(), [](const auto* a, const auto* b) {
    return std::fabs(a->time.error()) > std::fabs(b->time.error());
  });
  TextTable table({{"line", Align::right},
                   {"family", Align::left},
                   {"label", Align::left},
                   {"measured", Align::right},
                   {"predicted", Align::right},
                   {"error", Align::right}});
  for (std::size_t i = 0; i < shown; ++i) {
    const ValidatedRow& row = *worst[i];
    table.add_row({std::to_string(row.line), row.time.family, row.label,
                   time_text(row.time.measured), time_text(row.time.predicted),
                   signed_percent(row.time.error())});
  }
  return "\nfarthest off\n" + table.text(style);
}

}  // namespace

ErrorSummary Validation::summary() const { return summarise(times_of(rows)); }
ErrorSummary Validation::summary_below() const { return summarise(times_of(below)); }
std::vector<ErrorGroup> Validation::groups() const { return group_errors(times_of(rows)); }

std::string validation_table(const Validation& v, const Style& style) {
  std::string text = bold(v.table + " on " + v.system, style) + " (device " + v.device +
                     ", knowledge " + v.knowledge + ")\n";
  TextTable table = error_table();
  for (const ErrorGroup& group : v.groups())
    table.add_row(cells_of(group.family, name_of(group.third), group.summary));
  table.add_rule();
  table.add_row(cells_of("all families", "all", v.summary()));
  if (!v.below.empty())
    table.add_row(cells_of("below " + time_text(v.least), "all", v.summary_below()));
  text += table.text(style);
  if (!v.rows.empty()) text += worst_rows(v.rows, style);
  return text;
}

std::string validation_json(const Validation& v) {
  Json rows = Json::array(), groups = Json::array();
  for (const ValidatedRow& row : v.rows) rows.push_back(json_of(row));
  for (const ErrorGroup& group : v.groups()) {
    groups.push_back({{"family", group.family},
                      {"size", name_of(group.third)},
                      {"summary", json_of(group.summary)}});
  }
  Json below = {{"least_ms", ms(v.least)}, {"summary", json_of(v.summary_below())}};
  Json body = {{"system", v.system},          {"device", v.device},
               {"knowledge", v.knowledge},    {"summary", json_of(v.summary())},
               {"groups", std::move(groups)}, {"below", std::move(below)},
               {"rows", std::move(rows)}};
  Json document = {{"schema", "tantalus.validate/1"},
                   {"fingerprint", fingerprint_text(fingerprint_of(json_text(body)))}};
  document.update(body);
  return json_text(document);
}

std::string validation_csv(const Validation& v) {
  const std::vector<std::string> header = {"line",        "family",       "label",
                                           "measured_ms", "predicted_ms", "low_ms",
                                           "high_ms",     "roofline_ms",  "error"};
  std::string text = csv_line(header);
  for (const auto* rows : {&v.rows, &v.below}) {
    for (const ValidatedRow& row : *rows) {
      const MeasuredTime& t = row.time;
      const std::vector<std::string> fields = {std::to_string(row.line),
                                               t.family,
                                               row.label,
                                               fixed_text(ms(t.measured), 9),
                                               fixed_text(ms(t.predicted), 9),
                                               fixed_text(ms(t.low), 9),
                                               fixed_text(ms(t.high), 9),
                                               fixed_text(ms(t.roofline), 9),
                                               fixed_text(t.error(), 6)};
      text += csv_line(fields);
    }
  }
  return text;
}

}  // namespace tantalus

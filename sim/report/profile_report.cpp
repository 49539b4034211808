#include "sim/report/profile_report.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/report/csv.hpp"
#include "sim/report/json_text.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/prediction.hpp"
#include "sim/report/text_table.hpp"

namespace tantalus {

namespace {

using Json = nlohmann::ordered_json;

std::string shape_text(const std::vector<std::int64_t>& shape, std::string_view separator) {
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += separator;
    text += std::to_string(extent);
  }
  return text;
}

Json row_json(const ProfileRow& row) {
  return {{"name", row.name},
          {"kind", row.kind},
          {"output_shape", row.output_shape},
          {"ops", row.ops},
          {"macs", row.macs},
          {"flops", row.flops},
          {"other_ops", row.other_ops},
          {"parameters", row.parameters},
          {"input_bytes", row.input_bytes.count()},
          {"output_bytes", row.output_bytes.count()},
          {"parameter_bytes", row.parameter_bytes.count()},
          {"working_set_bytes", row.working_set.count()}};
}

Json totals_json(const ProfileReport& report) {
  return {{"ops", report.ops},
          {"macs", report.macs},
          {"flops", report.flops},
          {"other_ops", report.other_ops},
          {"parameters", report.parameters},
          {"parameter_bytes", report.parameter_bytes.count()},
          {"largest_working_set_bytes", report.largest_working_set.count()}};
}

std::string grouped_or_dash(std::int64_t count) { return count == 0 ? "-" : grouped_text(count); }

}  // namespace

std::string profile_table(const ProfileReport& report, const Style& style) {
  std::string text =
      bold(report.network + ": " + grouped_text(report.ops) + " operations (convention " +
               report.convention + "), " + grouped_text(report.parameters) + " parameters",
           style) +
      "\n  " + report.mode + ", batch " + grouped_text(report.batch) + ", " + report.precision +
      "\n\n";
  TextTable table({{"layer", Align::left},
                   {"kind", Align::left},
                   {"output", Align::left},
                   {"ops"},
                   {"MACs"},
                   {"parameters"},
                   {"input"},
                   {"output"},
                   {"weights"},
                   {"working set"}});
  for (const ProfileRow& row : report.rows) {
    table.add_row({row.name, row.kind, shape_text(row.output_shape, " x "),
                   grouped_or_dash(row.ops), grouped_or_dash(row.macs),
                   grouped_or_dash(row.parameters), bytes_text(row.input_bytes),
                   bytes_text(row.output_bytes), bytes_text(row.parameter_bytes),
                   bytes_text(row.working_set)});
  }
  table.add_rule();
  table.add_row({"total", "", "", grouped_or_dash(report.ops), grouped_or_dash(report.macs),
                 grouped_or_dash(report.parameters), "", "", bytes_text(report.parameter_bytes),
                 ""});
  return text + table.text(style);
}

std::string profile_json(const ProfileReport& report) {
  Json layers = Json::array();
  for (const ProfileRow& row : report.rows) layers.push_back(row_json(row));
  Json warnings = Json::array();
  for (const Diagnostic& d : report.warnings) {
    warnings.push_back(
        {{"code", d.code}, {"path", d.path}, {"message", d.message}, {"hint", d.hint}});
  }
  Json body = {{"network", report.network},       {"mode", report.mode},
               {"batch", report.batch},           {"precision", report.precision},
               {"convention", report.convention}, {"totals", totals_json(report)},
               {"layers", std::move(layers)},     {"warnings", std::move(warnings)}};

  Json document = {{"schema", "tantalus.profile/1"},
                   {"fingerprint", fingerprint_text(fingerprint_of(json_text(body)))}};
  document.update(body);
  return json_text(document);
}

std::string profile_csv(const ProfileReport& report) {
  std::string text = csv_line(std::vector<std::string>{
      "layer", "kind", "output_shape", "ops", "macs", "flops", "other_ops", "parameters",
      "input_bytes", "output_bytes", "parameter_bytes", "working_set_bytes"});
  for (const ProfileRow& row : report.rows) {
    text += csv_line(std::vector<std::string>{
        row.name, row.kind, shape_text(row.output_shape, "x"), std::to_string(row.ops),
        std::to_string(row.macs), std::to_string(row.flops), std::to_string(row.other_ops),
        std::to_string(row.parameters), std::to_string(row.input_bytes.count()),
        std::to_string(row.output_bytes.count()), std::to_string(row.parameter_bytes.count()),
        std::to_string(row.working_set.count())});
  }
  return text + csv_line(std::vector<std::string>{
                    "total", "", "", std::to_string(report.ops), std::to_string(report.macs),
                    std::to_string(report.flops), std::to_string(report.other_ops),
                    std::to_string(report.parameters), "", "",
                    std::to_string(report.parameter_bytes.count()), ""});
}

}  // namespace tantalus

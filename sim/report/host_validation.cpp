#include "sim/report/host_validation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include <nlohmann/json.hpp>

#include "sim/report/csv.hpp"
#include "sim/report/json_text.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/prediction.hpp"
#include "sim/report/text_table.hpp"

namespace tantalus {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<const HostRow*>;

constexpr double repeatability_factor = 1.5;

double ms(Duration time) { return static_cast<double>(time.count()) / 1e9; }

std::string signed_percent(double share) {
  return (share < 0.0 ? "-" : "+") + percent_text(std::fabs(share));
}

bool covers(const MeasuredTime& t) { return t.low <= t.measured && t.measured <= t.high; }

double ratio(Duration a, Duration b) {
  return static_cast<double>(a.count()) / static_cast<double>(std::max<std::int64_t>(1, b.count()));
}

// The constant is the median of measured / roofline: the best that one number can do for half of the rows.
double scaled_roofline_error(const Rows& rows) {
  std::vector<double> factors;
  for (const HostRow* row : rows) factors.push_back(ratio(row->time.measured, row->time.roofline));
  if (factors.empty()) return 0.0;
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
  std::nth_element(factors.begin(), middle, factors.end());
  const double factor = *middle;
  double sum = 0.0;
  for (const HostRow* row : rows) {
    sum += std::fabs(factor * ratio(row->time.roofline, row->time.measured) - 1.0);
  }
  return sum / static_cast<double>(rows.size());
}

double repeatability_of(const Rows& rows) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const HostRow* row : rows) {
    if (row->repeatability < 0.0) continue;
    sum += row->repeatability;
    ++count;
  }
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

HostGroup group_of(std::string name, const Rows& rows, double tolerance, double most) {
  HostGroup group;
  group.name = std::move(name);
  std::vector<MeasuredTime> times;
  for (const HostRow* row : rows) times.push_back(row->time);
  group.summary = summarise(times);
  group.scaled_roofline = scaled_roofline_error(rows);
  group.repeatability = repeatability_of(rows);
  group.tolerance = tolerance;
  const double raised = std::min(most, repeatability_factor * group.repeatability);
  group.limit = rows.empty() ? 0.0 : std::max(tolerance, raised);
  group.within = rows.empty() || group.summary.mape <= group.limit;
  return group;
}

std::string words_of(const HostRow& row) {
  return row.network + " " + std::to_string(row.batch) + " " + row.mode + " " + row.library;
}

std::string layer_table(const HostValidation& v, const Style& style) {
  TextTable table({{"network, batch, mode, library", Align::left},
                   {"layer", Align::left},
                   {"pass", Align::left},
                   {"measured", Align::right},
                   {"spread", Align::right},
                   {"predicted", Align::right},
                   {"error", Align::right},
                   {"80 % interval", Align::right},
                   {"covers", Align::left},
                   {"roofline", Align::right},
                   {"kernel", Align::left},
                   {"flag", Align::left}});
  std::string last;
  for (const HostRow& row : v.rows) {
    const MeasuredTime& t = row.time;
    const std::string words = words_of(row);
    if (!last.empty() && words != last) table.add_rule();
    table.add_row({words == last ? "" : words,
                   row.what == "layer" ? row.layer : row.what + " " + row.layer, row.pass,
                   time_text(t.measured), percent_text(row.spread), time_text(t.predicted),
                   signed_percent(t.error()), time_text(t.low) + " to " + time_text(t.high),
                   covers(t) ? "yes" : "no", time_text(t.roofline), row.implementation, row.flag});
    last = words;
  }
  return table.text(style);
}

std::string group_table(const std::vector<HostGroup>& groups, const Style& style) {
  TextTable table({{"rows", Align::left},
                   {"count", Align::right},
                   {"MAPE", Align::right},
                   {"median", Align::right},
                   {"p90", Align::right},
                   {"worst", Align::right},
                   {"bias", Align::right},
                   {"covered", Align::right},
                   {"width", Align::right},
                   {"scaled roofline", Align::right},
                   {"repeatability", Align::right},
                   {"limit", Align::right},
                   {"within", Align::left}});
  for (const HostGroup& g : groups) {
    if (g.summary.count == 0) continue;
    const ErrorSummary& s = g.summary;
    table.add_row({g.name, std::to_string(s.count), percent_text(s.mape),
                   percent_text(s.median_ape), percent_text(s.p90_ape), percent_text(s.worst_ape),
                   signed_percent(s.bias), percent_text(s.interval_coverage),
                   percent_text(s.interval_width), percent_text(g.scaled_roofline),
                   percent_text(g.repeatability),
                   percent_text(g.limit) + (g.limit > g.tolerance ? " (raised)" : ""),
                   g.within ? "yes" : "no"});
  }
  return table.text(style);
}

Json json_of(const HostRow& row) {
  const MeasuredTime& t = row.time;
  return {{"network", row.network},
          {"batch", row.batch},
          {"mode", row.mode},
          {"library", row.library},
          {"what", row.what},
          {"layer", row.layer},
          {"pass", row.pass},
          {"measured_ms", ms(t.measured)},
          {"predicted_ms", ms(t.predicted)},
          {"low_ms", ms(t.low)},
          {"high_ms", ms(t.high)},
          {"covers", covers(t)},
          {"roofline_ms", ms(t.roofline)},
          {"error", rounded(t.error())},
          {"spread", rounded(row.spread)},
          {"repeatability", rounded(row.repeatability)},
          {"samples", row.samples},
          {"dropped", row.dropped},
          {"source", row.source},
          {"implementation", row.implementation},
          {"flag", row.flag}};
}

Json json_of(const HostGroup& g) {
  const ErrorSummary& s = g.summary;
  return {{"name", g.name},
          {"count", s.count},
          {"mape", rounded(s.mape)},
          {"median_ape", rounded(s.median_ape)},
          {"p90_ape", rounded(s.p90_ape)},
          {"worst_ape", rounded(s.worst_ape)},
          {"bias", rounded(s.bias)},
          {"roofline_mape", rounded(s.roofline_mape)},
          {"scaled_roofline_mape", rounded(g.scaled_roofline)},
          {"interval_coverage", rounded(s.interval_coverage)},
          {"interval_width", rounded(s.interval_width)},
          {"repeatability", rounded(g.repeatability)},
          {"tolerance", rounded(g.tolerance)},
          {"limit", rounded(g.limit)},
          {"within", g.within}};
}

Json json_of(const std::vector<std::pair<std::string, std::string>>& words) {
  Json object = Json::object();
  for (const auto& [name, value] : words) object[name] = value;
  return object;
}

}  // namespace

std::vector<HostGroup> HostValidation::groups(const HostLimits& limits) const {
  const auto where = [&](const std::function<bool(const HostRow&)>& holds) {
    Rows found;
    for (const HostRow& row : rows) {
      if (row.flag.empty() && holds(row)) found.push_back(&row);
    }
    return found;
  };
  const auto is_layer = [&](const HostRow& row, bool forward, bool small) {
    return row.what == "layer" && (row.pass == "forward") == forward &&
           (row.time.measured < limits.small_below) == small;
  };
  const auto is_whole = [](const HostRow& row, const char* mode, bool lenet) {
    return row.what == "whole" && row.mode == mode && (row.network.rfind("lenet", 0) == 0) == lenet;
  };
  std::vector<HostGroup> found;
  const auto judge = [&](const char* name, double tolerance,
                         const std::function<bool(const HostRow&)>& holds) {
    found.push_back(group_of(name, where(holds), tolerance, limits.most));
  };
  judge("forward layers", limits.forward,
        [&](const HostRow& r) { return is_layer(r, true, false); });
  judge("backward and update layers", limits.backward,
        [&](const HostRow& r) { return is_layer(r, false, false); });
  judge("small layers", limits.small,
        [&](const HostRow& r) { return is_layer(r, true, true) || is_layer(r, false, true); });
  judge("whole forward passes", limits.whole,
        [&](const HostRow& r) { return is_whole(r, "inference", false); });
  judge("whole forward passes of LeNet", limits.whole,
        [&](const HostRow& r) { return is_whole(r, "inference", true); });
  judge("whole training steps", limits.whole,
        [&](const HostRow& r) { return is_whole(r, "training", false); });
  judge("whole training steps of LeNet", limits.whole,
        [&](const HostRow& r) { return is_whole(r, "training", true); });
  return found;
}

bool is_within(const std::vector<HostGroup>& groups) {
  return std::all_of(groups.begin(), groups.end(), [](const HostGroup& g) { return g.within; });
}

std::string host_validation_table(const HostValidation& v, const HostLimits& limits,
                                  const Style& style) {
  std::string text =
      bold("layers of this machine beside " + v.system, style) + " (device " + v.device + ")\n";
  const auto add_line = [&](const char* before, const std::string& name, const std::string& value) {
    text.append(before).append(name).append(": ").append(value).append("\n");
  };
  for (const auto& [name, value] : v.machine) add_line("  ", name, value);
  for (const auto& [name, value] : v.probes) add_line("  probe ", name, value);
  text += "  samples: " + grouped_text(v.samples) + " kept, " + grouped_text(v.dropped) +
          " dropped beside slow probes\n\n";
  text += layer_table(v, style) + "\n" + group_table(v.groups(limits), style);
  const auto flagged = std::count_if(v.rows.begin(), v.rows.end(),
                                     [](const HostRow& row) { return !row.flag.empty(); });
  if (flagged > 0) {
    text += std::to_string(flagged) + (flagged == 1 ? " row beats" : " rows beat") +
            " the measured peak: a measuring error, part of no summary\n";
  }
  return text;
}

std::string host_validation_json(const HostValidation& v, const HostLimits& limits) {
  Json rows = Json::array(), groups = Json::array();
  for (const HostRow& row : v.rows) rows.push_back(json_of(row));
  const std::vector<HostGroup> all = v.groups(limits);
  for (const HostGroup& group : all) groups.push_back(json_of(group));
  Json body = {{"system", v.system},          {"device", v.device},
               {"driver", v.driver},          {"machine", json_of(v.machine)},
               {"probes", json_of(v.probes)}, {"samples", v.samples},
               {"dropped", v.dropped},        {"within", is_within(all)},
               {"groups", std::move(groups)}, {"rows", std::move(rows)}};
  Json document = {{"schema", "tantalus.validate/1"},
                   {"fingerprint", fingerprint_text(fingerprint_of(json_text(body)))}};
  document.update(body);
  return json_text(document);
}

std::string host_validation_csv(const HostValidation& v) {
  std::vector<std::string> header = {
      "network",        "batch",       "mode",          "library", "what",    "layer",
      "pass",           "measured_ms", "predicted_ms",  "low_ms",  "high_ms", "roofline_ms",
      "error",          "spread",      "repeatability", "samples", "dropped", "source",
      "implementation", "flag",        "device",        "driver"};
  for (const auto& [name, value] : v.machine) header.push_back(name);
  std::string text = csv_line(header);
  for (const HostRow& row : v.rows) {
    const MeasuredTime& t = row.time;
    std::vector<std::string> cells = {
        row.network, std::to_string(row.batch), row.mode, row.library, row.what, row.layer,
        row.pass};
    for (const Duration time : {t.measured, t.predicted, t.low, t.high, t.roofline}) {
      cells.push_back(fixed_text(ms(time), 6));
    }
    for (const double share : {t.error(), row.spread, row.repeatability}) {
      cells.push_back(fixed_text(share, 4));
    }
    cells.insert(cells.end(), {std::to_string(row.samples), std::to_string(row.dropped), row.source,
                               row.implementation, row.flag, v.device, v.driver});
    for (const auto& [name, value] : v.machine) cells.push_back(value);
    text += csv_line(cells);
  }
  return text;
}

}  // namespace tantalus

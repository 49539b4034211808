#include <algorithm>
#include <cstddef>
#include <utility>

#include "sim/report/describe_report.hpp"
#include "sim/report/describe_words.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"
#include "sim/results/inversion.hpp"
#include "sim/results/littles_law.hpp"

namespace tantalus {

namespace {

std::string rate_words(const std::optional<Bandwidth>& rate) {
  return rate ? bytes_text(Bytes{rate->count()}) + "/s" : "not stated";
}

// Nobody states a latency of registers: it is part of the arithmetic.
std::string latency_words(const MemoryLevel& level) {
  if (level.latency) return time_text(*level.latency);
  return level.place == MemoryPlace::registers ? "-" : "not stated";
}

std::string significant(double value) {
  if (value < 0.0995) return fixed_text(value, 3);
  return value >= 99.95 ? fixed_text(value, 0) : fixed_text(value, value >= 9.995 ? 1 : 2);
}

std::string times(double ratio) { return ratio > 0.0 ? significant(ratio) + " x" : "not stated"; }

std::string clock_text(Frequency clock) {
  return fixed_text(static_cast<double>(clock.count()) / 1e9, 2) + " GHz";
}

std::string heading_of(const DescribedDevice& device, const Style& style) {
  const MemoryHierarchy& memory = device.memory;
  const auto flops = static_cast<std::int64_t>(std::min(memory.flops, 9e18));
  return bold(device_words(device) + ": " + memory.name, style) + "\n  " +
         grouped_text(memory.units) + " " + memory.unit + (memory.units == 1 ? "" : "s") + ", " +
         grouped_text(memory.threads) + " threads at once, " + count_text(flops) +
         "FLOP/s fp32 at " + clock_text(memory.clock) + "; a thread can name " +
         bytes_text(Bytes{memory.registers_of_thread}) + " of registers\n\n";
}

std::string levels_of(const MemoryHierarchy& memory, const Style& style) {
  TextTable table({{"level", Align::left},
                   {"one"},
                   {"number"},
                   {"in total"},
                   {"a thread"},
                   {"reads"},
                   {"FLOP/B"},
                   {"latency"}});
  for (const MemoryLevel& level : memory.levels) {
    const std::optional<double> balance = memory.flops_per_byte(level);
    table.add_row({level.name, memory_text(level.per_unit), std::to_string(level.units),
                   memory_text(level.total()),
                   memory_text(Bytes{static_cast<std::int64_t>(memory.per_thread(level))}),
                   rate_words(level.bandwidth), balance ? significant(*balance) : "not stated",
                   latency_words(level)});
  }
  return table.text(style);
}

/// Little's law, for the levels that state rate and latency.
std::string in_flight_of(const MemoryHierarchy& memory, const Style& style) {
  const std::string request = std::to_string(memory.request.count()) + " B";
  TextTable table({{"to keep it busy", Align::left},
                   {"under way"},
                   {"a " + memory.unit},
                   {"requests of " + request},
                   {"for each thread"}});
  bool any = false;
  for (const MemoryLevel& level : memory.levels) {
    const std::optional<InFlight> found = in_flight(memory, level);
    if (!found) continue;
    any = true;
    table.add_row({level.name, bytes_text(Bytes{static_cast<std::int64_t>(found->bytes)}),
                   bytes_text(Bytes{static_cast<std::int64_t>(found->of_unit)}),
                   rate_text(found->requests), significant(found->of_threads)});
  }
  if (!any) return {};
  const std::optional<double> units = units_for_memory(memory);
  return "\n" + table.text(style) +
         (units ? memory.unit + "s that draw all of main memory's rate: " + rate_text(*units) + "\n"
                : "");
}

std::string compared(Bytes left, Bytes right) {
  return left > right ? " > " : left < right ? " < " : " = ";
}

std::string inversion_words(const MemoryHierarchy& memory, const Style& style) {
  const Inversion found = inversion_of(memory);
  return "registers > L1 > L2: " + verdict(found.strict ? "yes" : "no", found.strict, style) +
         " (" + memory_text(found.registers) + compared(found.registers, found.l1) +
         memory_text(found.l1) + compared(found.l1, found.l2) + memory_text(found.l2) + ")\n";
}

std::string ratio_words(const DescribedDevice& over, const DescribedDevice& under) {
  const MemoryRatios ratio = ratios_of(over.memory, under.memory);
  return device_words(over) + " over " + device_words(under) + ": registers " +
         times(ratio.registers) + ", L1 " + times(ratio.l1) + ", L2 " + times(ratio.l2) +
         ", DRAM bandwidth " + times(ratio.dram_bandwidth) + ", fp32 " + times(ratio.flops) +
         ";\n  registers of a thread " + times(ratio.registers_per_thread) +
         " when all are there, DRAM latency " + times(ratio.dram_latency) + "\n";
}

std::string level_cell(const MemoryHierarchy& memory, MemoryPlace place) {
  const MemoryLevel* level = memory.find(place);
  if (level == nullptr) return "none";
  return memory_text(level->total()) + ", " + rate_words(level->bandwidth);
}

std::string side_by_side(const DescribeReport& report, const Style& style) {
  std::vector<Column> columns{{"in total", Align::left}};
  for (const DescribedDevice& device : report.devices) columns.push_back({device_words(device)});
  TextTable table(columns);
  constexpr std::pair<MemoryPlace, const char*> places[] = {{MemoryPlace::registers, "registers"},
                                                            {MemoryPlace::l1, "L1"},
                                                            {MemoryPlace::l2, "L2"},
                                                            {MemoryPlace::l3, "L3"},
                                                            {MemoryPlace::dram, "DRAM"}};
  for (const auto& [place, name] : places) {
    std::vector<std::string> row{name};
    for (const DescribedDevice& device : report.devices)
      row.push_back(level_cell(device.memory, place));
    table.add_row(std::move(row));
  }
  return table.text(style) + "\n";
}

std::string distances(const DescribeReport& report, const Style& style) {
  std::vector<Column> columns{{"DRAM against a multiply-add", Align::left}};
  for (const DescribedDevice& device : report.devices) columns.push_back({device_words(device)});
  TextTable table(columns);
  std::vector<std::vector<MemoryDistance>> all;
  for (const DescribedDevice& device : report.devices)
    all.push_back(memory_distances(device.memory));
  for (std::size_t i = 0; i < all.front().size(); ++i) {
    std::vector<std::string> row{std::string(all.front()[i].definition)};
    for (const std::vector<MemoryDistance>& of : all) {
      const std::optional<double> ratio = of[i].ratio;
      row.push_back(ratio ? rate_text(*ratio) + " (" + orders_text(*ratio) + ")" : "not stated");
    }
    table.add_row(std::move(row));
  }
  return table.text(style) + "in parentheses: orders of magnitude\n";
}

constexpr std::size_t most_links_named = 8;

/// All of a few, the first and the last of many.
std::string ends_words(const std::vector<std::string>& ends) {
  if (ends.size() > most_links_named)
    return std::to_string(ends.size()) + " links, " + ends.front() + " to " + ends.back();
  std::string words;
  for (const std::string& end : ends) words += (words.empty() ? "" : ", ") + end;
  return words;
}

/// Links of one sort and rate on one line.
std::string links(const DescribeReport& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sorts;
  for (const DescribedLink& link : report.links) {
    const std::size_t space = std::min(link.name.find(' '), link.name.size());
    const std::string sort = link.system + ", " + link.name.substr(0, space) + ", " +
                             rate_words(link.bandwidth) + " each way";
    if (sorts.empty() || sorts.back().first != sort) sorts.push_back({sort, {}});
    sorts.back().second.push_back(link.name.substr(std::min(space + 1, link.name.size())));
  }
  std::string text = sorts.empty() ? "" : "\nlinks\n";
  for (const auto& [sort, ends] : sorts) text += "  " + sort + ": " + ends_words(ends) + "\n";
  return text;
}

}  // namespace

std::string describe_table(const DescribeReport& report, const Style& style) {
  std::string text;
  for (const DescribedDevice& device : report.devices)
    text += heading_of(device, style) + levels_of(device.memory, style) +
            in_flight_of(device.memory, style) + "\n" + inversion_words(device.memory, style) +
            "\n";
  if (report.devices.size() > 1) text += side_by_side(report, style);
  const auto pairs = compared_pairs(report);
  for (const auto& [over, under] : pairs)
    text += ratio_words(report.devices[over], report.devices[under]);
  if (!pairs.empty()) text += "\n";
  return text + distances(report, style) + links(report);
}

}  // namespace tantalus

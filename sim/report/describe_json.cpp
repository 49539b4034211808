#include <nlohmann/json.hpp>

#include "sim/report/csv.hpp"
#include "sim/report/describe_report.hpp"
#include "sim/report/describe_words.hpp"
#include "sim/report/json_text.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/prediction.hpp"
#include "sim/results/inversion.hpp"
#include "sim/results/littles_law.hpp"

namespace tantalus {

namespace {

using Json = nlohmann::ordered_json;

std::string_view word_of(MemoryPlace place) {
  switch (place) {
    case MemoryPlace::registers:
      return "registers";
    case MemoryPlace::l1:
      return "l1";
    case MemoryPlace::l2:
      return "l2";
    case MemoryPlace::l3:
      return "l3";
    case MemoryPlace::dram:
      break;
  }
  return "dram";
}

Json or_null(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }

std::optional<double> nanoseconds_of(const std::optional<Duration>& time) {
  if (!time) return std::nullopt;
  return nanoseconds(*time);
}

Json levels_json(const MemoryHierarchy& memory) {
  Json levels = Json::array();
  for (const MemoryLevel& level : memory.levels) {
    const std::optional<InFlight> busy = in_flight(memory, level);
    levels.push_back(
        {{"level", word_of(level.place)},
         {"name", level.name},
         {"unit_bytes", level.per_unit.count()},
         {"units", level.units},
         {"total_bytes", level.total().count()},
         {"per_thread_bytes", rounded(memory.per_thread(level))},
         {"bandwidth_bytes_per_s", level.bandwidth ? Json(level.bandwidth->count()) : Json()},
         {"flops_per_byte", or_null(memory.flops_per_byte(level))},
         {"latency_ns", or_null(nanoseconds_of(level.latency))},
         {"in_flight_bytes", busy ? Json(rounded(busy->bytes)) : Json()},
         {"in_flight_requests", busy ? Json(rounded(busy->requests)) : Json()}});
  }
  return levels;
}

Json inversion_json(const MemoryHierarchy& memory) {
  const Inversion found = inversion_of(memory);
  return {{"strict", found.strict},
          {"registers_bytes", found.registers.count()},
          {"l1_bytes", found.l1.count()},
          {"l2_bytes", found.l2.count()}};
}

Json distances_json(const MemoryHierarchy& memory) {
  Json distances = Json::array();
  for (const MemoryDistance& distance : memory_distances(memory)) {
    distances.push_back({{"definition", distance.definition},
                         {"ratio", or_null(distance.ratio)},
                         {"orders", distance.ratio ? Json(orders_text(*distance.ratio)) : Json()}});
  }
  return distances;
}

Json device_json(const DescribedDevice& device) {
  const MemoryHierarchy& memory = device.memory;
  return {{"system", device.system},
          {"parts", device.parts},
          {"kind", device.kind},
          {"name", memory.name},
          {"units", memory.units},
          {"threads", memory.threads},
          {"registers_of_thread_bytes", memory.registers_of_thread},
          {"clock_hz", memory.clock.count()},
          {"fp32_flops_per_s", rounded(memory.flops)},
          {"multiply_add_ns", or_null(nanoseconds_of(memory.multiply_add))},
          {"request_bytes", memory.request.count()},
          {"units_for_memory", or_null(units_for_memory(memory))},
          {"levels", levels_json(memory)},
          {"inversion", inversion_json(memory)},
          {"dram_distances", distances_json(memory)}};
}

Json comparison_json(const DescribedDevice& over, const DescribedDevice& under) {
  const MemoryRatios ratio = ratios_of(over.memory, under.memory);
  return {{"over", device_words(over)},
          {"under", device_words(under)},
          {"registers", rounded(ratio.registers)},
          {"l1", rounded(ratio.l1)},
          {"l2", rounded(ratio.l2)},
          {"dram_bandwidth", rounded(ratio.dram_bandwidth)},
          {"fp32_flops", rounded(ratio.flops)},
          {"registers_per_thread", rounded(ratio.registers_per_thread)},
          {"dram_latency", rounded(ratio.dram_latency)}};
}

std::string text_of(const std::optional<double>& value) {
  return value ? Json(rounded(*value)).dump() : "";
}

}  // namespace

std::string describe_json(const DescribeReport& report) {
  Json devices = Json::array(), comparisons = Json::array(), links = Json::array();
  for (const DescribedDevice& device : report.devices) devices.push_back(device_json(device));
  for (const auto& [over, under] : compared_pairs(report))
    comparisons.push_back(comparison_json(report.devices[over], report.devices[under]));
  for (const DescribedLink& link : report.links)
    links.push_back({{"system", link.system},
                     {"name", link.name},
                     {"bandwidth_bytes_per_s", link.bandwidth.count()}});
  Json warnings = Json::array();
  for (const Diagnostic& d : report.warnings)
    warnings.push_back(
        {{"code", d.code}, {"path", d.path}, {"message", d.message}, {"hint", d.hint}});
  // The first device once more where one is expected.
  const Json first = devices.front();
  Json body = {{"system", first["system"]},     {"device", first["name"]},
               {"levels", first["levels"]},     {"inversion", first["inversion"]},
               {"devices", std::move(devices)}, {"comparisons", std::move(comparisons)},
               {"links", std::move(links)},     {"warnings", std::move(warnings)}};
  Json document = {{"schema", "tantalus.describe/1"},
                   {"fingerprint", fingerprint_text(fingerprint_of(json_text(body)))}};
  document.update(body);
  return json_text(document);
}

std::string describe_csv(const DescribeReport& report) {
  std::string text = csv_line(std::vector<std::string>{
      "system", "parts", "name", "level", "unit_bytes", "units", "total_bytes", "per_thread_bytes",
      "bandwidth_bytes_per_s", "flops_per_byte", "latency_ns"});
  for (const DescribedDevice& device : report.devices) {
    for (const MemoryLevel& level : device.memory.levels) {
      text += csv_line(std::vector<std::string>{
          device.system, std::to_string(device.parts.size()), device.memory.name,
          std::string(word_of(level.place)), std::to_string(level.per_unit.count()),
          std::to_string(level.units), std::to_string(level.total().count()),
          text_of(device.memory.per_thread(level)),
          level.bandwidth ? std::to_string(level.bandwidth->count()) : "",
          text_of(device.memory.flops_per_byte(level)), text_of(nanoseconds_of(level.latency))});
    }
  }
  return text;
}

}  // namespace tantalus

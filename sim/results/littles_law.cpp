#include "sim/results/littles_law.hpp"

#include <algorithm>

namespace tantalus {

std::optional<InFlight> in_flight(const MemoryHierarchy& device, const MemoryLevel& level) {
  if (!level.bandwidth || !level.latency) return std::nullopt;
  InFlight found;
  found.bytes = static_cast<double>(level.bandwidth->count()) * seconds(*level.latency);
  found.of_unit = found.bytes / static_cast<double>(device.units);
  found.requests = found.bytes / static_cast<double>(device.request.count());
  found.of_threads = found.requests / static_cast<double>(device.threads);
  return found;
}

std::optional<double> rate_with(const MemoryLevel& level, double bytes) {
  if (!level.bandwidth || !level.latency || level.latency->count() == 0) return std::nullopt;
  return std::min(static_cast<double>(level.bandwidth->count()), bytes / seconds(*level.latency));
}

std::optional<double> units_for_memory(const MemoryHierarchy& device) {
  const MemoryLevel* memory = device.find(MemoryPlace::dram);
  if (memory == nullptr || !memory->bandwidth || device.one_unit.count() == 0) return std::nullopt;
  return static_cast<double>(memory->bandwidth->count()) /
         static_cast<double>(device.one_unit.count());
}

}  // namespace tantalus

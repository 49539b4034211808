#include "sim/results/memory_levels.hpp"

#include <algorithm>

namespace tantalus {

const MemoryLevel* MemoryHierarchy::find(MemoryPlace place) const {
  const auto found = std::find_if(levels.begin(), levels.end(),
                                  [&](const MemoryLevel& level) { return level.place == place; });
  return found == levels.end() ? nullptr : &*found;
}

double MemoryHierarchy::per_thread(const MemoryLevel& level) const {
  return static_cast<double>(level.total().count()) / static_cast<double>(threads);
}

std::optional<double> MemoryHierarchy::flops_per_byte(const MemoryLevel& level) const {
  if (!level.bandwidth || level.bandwidth->count() == 0) return std::nullopt;
  return flops / static_cast<double>(level.bandwidth->count());
}

}  // namespace tantalus

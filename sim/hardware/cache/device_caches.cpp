#include "sim/hardware/cache/device_caches.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace tantalus {

namespace {

constexpr std::int64_t usual_ways = 16;
constexpr std::int64_t most_ways = 20;  // of real parts, at most
constexpr std::int64_t page_bytes = 4096;

bool leaves_power_of_two(std::int64_t lines, std::int64_t ways) {
  return lines % ways == 0 && std::has_single_bit(static_cast<std::uint64_t>(lines / ways));
}

std::int64_t ways_for(std::int64_t lines) {
  std::int64_t best = 0;
  for (std::int64_t ways = 4; ways <= most_ways; ++ways) {
    if (!leaves_power_of_two(lines, ways)) continue;
    if (best == 0 || std::abs(ways - usual_ways) < std::abs(best - usual_ways)) best = ways;
  }
  if (best != 0) return best;
  std::int64_t ways = usual_ways;
  while (lines % ways != 0) --ways;
  return ways;
}

/// A capacity that is no whole number of lines loses the rest.
CacheShape level_of(std::string name, Bytes capacity, Bytes line) {
  CacheShape shape;
  shape.name = std::move(name);
  shape.line = line;
  const std::int64_t lines = std::max<std::int64_t>(1, capacity.count() / line.count());
  shape.capacity = line * lines;
  shape.ways = ways_for(lines);
  return shape;
}

CacheShape level_of(std::string name, const CpuCacheSpec& cache) {
  CacheShape shape = level_of(std::move(name), cache.capacity, Bytes{64});
  shape.shared_by = cache.shared_by;
  return shape;
}

// Of the array that serves as L1 and shared memory the system keeps 4 KiB: sizes that pointer chases find (caps-tum/mt4g: 252 of
// H100's 256, 60 of Turing's 64, 172 = 192 - 16 - 4 of A100's) lie so far below what is left beside a selectable shared size.
constexpr Bytes taken_from_array{std::int64_t{4} << 10};

Bytes first_level(const SmSpec& sm, Bytes shared) {
  const Bytes capacity = sm.l1_capacity.value_or(sm.shared_memory);
  if (capacity <= sm.shared_memory) return capacity;
  return std::max(Bytes{0}, capacity - taken_from_array - std::min(shared, sm.shared_memory));
}

}  // namespace

HierarchyShape caches_of(const CpuSpec& spec) {
  HierarchyShape shape;
  shape.name = spec.name;
  shape.cores = spec.cores;
  shape.levels = {level_of("L1d", spec.l1d), level_of("L2", spec.l2)};
  if (spec.l3) shape.levels.push_back(level_of("L3", *spec.l3));
  CacheShape& first = shape.levels.front();
  const std::int64_t pages = first.capacity.count() / page_bytes;
  if (pages * page_bytes == first.capacity.count() && pages <= most_ways) first.ways = pages;
  return shape;
}

HierarchyShape caches_of(const GpuSpec& spec, Bytes shared) {
  HierarchyShape shape;
  shape.name = spec.name;
  shape.cores = spec.sm.count;
  const Bytes line{128};
  shape.levels = {level_of("L1", first_level(spec.sm, shared), line)};
  shape.levels[0].write_back = shape.levels[0].write_allocate = false;
  if (spec.l2.partitions > 1) {
    CacheShape near =
        level_of("near L2", Bytes{spec.l2.capacity.count() / spec.l2.partitions}, line);
    near.shared_by = spec.sm.count / spec.l2.partitions;
    near.write_back = false;
    shape.levels.push_back(std::move(near));
  }
  shape.levels.push_back(level_of("L2", spec.l2.capacity, line));
  shape.levels.back().shared_by = spec.sm.count;
  const bool aged = spec.architecture.rfind("sm_", 0) == 0;
  for (CacheShape& level : shape.levels) {
    level.sector = Bytes{32};
    if (aged) level.replacement = Replacement::aged;
  }
  return shape;
}

}  // namespace tantalus

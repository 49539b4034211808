#include "sim/hardware/cache/staircase.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "sim/hardware/cache/cache_hierarchy.hpp"
#include "sim/hardware/cache/device_caches.hpp"

namespace tantalus {

namespace {

constexpr std::uint64_t page = 4096;
constexpr int beyond = 4;  // times a capacity: nothing is found again

/// Passes after which a set is as it will be before every pass.
int warm_passes(const HierarchyShape& shape) {
  const auto draws = [](const CacheShape& level) {
    return level.replacement == Replacement::aged || level.replacement == Replacement::random;
  };
  return std::any_of(shape.levels.begin(), shape.levels.end(), draws) ? 3 : 2;
}

/// One pass over the working set, the same each time.
Accesses chase_pass(std::int64_t line, std::int64_t lines) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(lines));
  std::iota(order.begin(), order.end(), 0U);
  std::uint64_t state = 1;
  for (std::size_t i = order.size(); i > 1; --i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::swap(order[i - 1], order[static_cast<std::size_t>(state >> 33U) % i]);
  }
  Accesses pass;
  pass.reserve(order.size());
  for (const std::uint32_t at : order)
    pass.push_back({page + at * static_cast<std::uint64_t>(line), 4, AccessKind::load, 0});
  return pass;
}

/// All cores side by side, each through its own part.
Accesses stream_pass(std::int64_t line, std::int64_t lines, std::int64_t cores) {
  const std::int64_t each = std::max<std::int64_t>(1, lines / cores);
  const std::int64_t busy = std::min(cores, lines);
  Accesses pass;
  pass.reserve(static_cast<std::size_t>(each * busy));
  for (std::int64_t i = 0; i < each; ++i) {
    for (std::int64_t core = 0; core < busy; ++core) {
      const auto at = static_cast<std::uint64_t>((core * each + i) * line);
      pass.push_back({page + at, static_cast<std::uint32_t>(line), AccessKind::load,
                      static_cast<std::uint16_t>(core)});
    }
  }
  return pass;
}

/// Share of a settled pass that each level answers, memory last.
Result<std::vector<double>> answers(const HierarchyShape& shape, const Accesses& pass) {
  Result<CacheHierarchy> caches = CacheHierarchy::make(shape);
  if (!caches) return caches.diagnostics();
  for (int i = warm_passes(shape); i > 0; --i) {
    Diagnostics wrong = caches.value().run(pass);
    if (!wrong.empty()) return wrong;
  }
  const std::vector<LevelCounts> before = caches->counts();
  Diagnostics wrong = caches.value().run(pass);
  if (!wrong.empty()) return wrong;
  const std::vector<LevelCounts> after = caches->counts();
  const auto references = static_cast<double>(pass.size());
  std::vector<double> shares;
  double reached = 1.0;
  for (std::size_t i = 0; i < shape.levels.size(); ++i) {
    const double missed =
        static_cast<double>(after[i].misses.loads() - before[i].misses.loads()) / references;
    shares.push_back(reached - missed);
    reached = missed;
  }
  shares.push_back(reached);
  return shares;
}

std::optional<double> least_rate(const Stairs& stairs, const std::vector<double>& shares,
                                 std::optional<Bandwidth> StairLevel::*of) {
  std::optional<double> least;
  double reaching = 1.0;
  for (std::size_t i = 0; i < shares.size() && reaching > 1e-9; reaching -= shares[i++]) {
    const std::optional<Bandwidth>& rate = stairs.levels[i].*of;
    if (!rate) return std::nullopt;
    const double reached = static_cast<double>(rate->count()) / reaching;
    least = least ? std::min(*least, reached) : reached;
  }
  return least;
}

std::int64_t lines_of(const Stairs& stairs, Bytes working_set) {
  return std::max<std::int64_t>(1, working_set.count() / stairs.caches.levels.front().line.count());
}

StairLevel of_cores(std::string name, const CpuCacheSpec& cache, const CpuSpec& cpu) {
  return {std::move(name), cache.latency / *cpu.clock.one_core,
          *cache.bandwidth * cpu.cores * *cpu.clock.sustained,
          *cache.bandwidth * *cpu.clock.one_core};
}

}  // namespace

Stairs stairs_of(const HierarchyShape& caches) {
  Stairs stairs;
  stairs.caches = caches;
  for (std::size_t i = 0; i < caches.levels.size(); ++i)
    stairs.levels.push_back({level_name(caches, i), {}, {}, {}});
  stairs.levels.push_back({"memory", {}, {}, {}});
  return stairs;
}

Stairs stairs_of(const CpuSpec& spec) {
  Stairs stairs = stairs_of(caches_of(spec));
  stairs.levels[0] = of_cores("L1d", spec.l1d, spec);
  stairs.levels[1] = of_cores("L2", spec.l2, spec);
  if (spec.l3) stairs.levels[2] = of_cores("L3", *spec.l3, spec);
  const Bandwidth memory = spec.dram.achievable();
  stairs.levels.back() = {"memory", spec.dram_latency,
                          std::min(memory, *spec.one_core_bandwidth * spec.cores),
                          std::min(memory, *spec.one_core_bandwidth)};
  return stairs;
}

Stairs stairs_of(const GpuSpec& spec, Bytes shared) {
  Stairs stairs = stairs_of(caches_of(spec, shared));
  const Frequency clock = *spec.clock.sustained;
  const auto after = [&](const std::optional<Cycles>& cycles) -> std::optional<Duration> {
    if (!cycles) return std::nullopt;
    return *cycles / spec.clock.boost;
  };
  stairs.levels.front().latency = after(spec.sm.l1_latency);
  stairs.levels.front().bandwidth = spec.sm.l1_bandwidth * spec.sm.count * clock;
  stairs.levels.front().of_one = spec.sm.l1_bandwidth * clock;
  const Bandwidth port = *spec.l2.bandwidth_per_sm * clock;
  for (std::size_t i = 1; i + 1 < stairs.levels.size(); ++i) {
    stairs.levels[i].latency = after(spec.l2.latency);
    stairs.levels[i].bandwidth = std::min(*spec.l2.bandwidth * clock, port * spec.sm.count);
    stairs.levels[i].of_one = port;
  }
  if (spec.l2.partitions > 1 && spec.l2.latency)
    stairs.levels[stairs.levels.size() - 2].latency = after(*spec.l2.latency * 2);
  const Bandwidth memory = spec.dram.achievable();
  stairs.levels.back() = {"memory", spec.dram_latency, std::min(memory, port * spec.sm.count),
                          std::min(memory, port)};
  return stairs;
}

std::optional<double> latency_of(const Stairs& stairs, const std::vector<double>& shares) {
  double time = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0.0) continue;
    if (!stairs.levels[i].latency) return std::nullopt;
    time += shares[i] * seconds(*stairs.levels[i].latency);
  }
  return time;
}

std::optional<double> bandwidth_of(const Stairs& stairs, const std::vector<double>& shares) {
  return least_rate(stairs, shares, &StairLevel::bandwidth);
}

std::optional<double> bandwidth_of_one(const Stairs& stairs, const std::vector<double>& shares) {
  return least_rate(stairs, shares, &StairLevel::of_one);
}

Result<std::vector<double>> chased(const Stairs& stairs, Bytes working_set) {
  const std::vector<CacheShape>& levels = stairs.caches.levels;
  const auto larger = [](const CacheShape& a, const CacheShape& b) {
    return a.capacity < b.capacity;
  };
  const CacheShape& largest = *std::max_element(levels.begin(), levels.end(), larger);
  if (working_set > largest.capacity * beyond) {
    std::vector<double> shares(levels.size(), 0.0);
    shares.push_back(1.0);
    return shares;
  }
  const std::int64_t line = stairs.caches.levels.front().line.count();
  return answers(stairs.caches, chase_pass(line, lines_of(stairs, working_set)));
}

Result<std::vector<double>> streamed(const Stairs& stairs, Bytes working_set) {
  const std::int64_t line = stairs.caches.levels.front().line.count();
  return answers(stairs.caches,
                 stream_pass(line, lines_of(stairs, working_set), stairs.caches.cores));
}

Result<StairStep> stair_step(const Stairs& stairs, Bytes working_set) {
  Result<std::vector<double>> by_one = chased(stairs, working_set);
  if (!by_one) return by_one.diagnostics();
  Result<std::vector<double>> by_all = streamed(stairs, working_set);
  if (!by_all) return by_all.diagnostics();
  StairStep step;
  step.working_set = working_set;
  step.latency = latency_of(stairs, *by_one);
  step.bandwidth = bandwidth_of(stairs, *by_all);
  step.of_one = bandwidth_of_one(stairs, *by_one);
  step.chased = std::move(by_one).value();
  step.streamed = std::move(by_all).value();
  return step;
}

std::vector<Bytes> stair_sizes(const Stairs& stairs) {
  constexpr std::int64_t smallest = 1024;
  const HierarchyShape& shape = stairs.caches;
  const std::int64_t line = shape.levels.front().line.count();
  std::vector<Bytes> sizes;
  std::int64_t largest = smallest;
  for (const CacheShape& level : shape.levels) {
    const Bytes all = level.capacity * (shape.cores / level.shared_by);
    sizes.insert(sizes.end(), {level.capacity, all});
    largest = std::max(largest, 2 * all.count());
  }
  for (std::int64_t size = smallest; size <= largest; size *= 2) {
    sizes.emplace_back(size);
    sizes.emplace_back(size + size / 2);
  }
  for (Bytes& size : sizes) size = Bytes{std::max<std::int64_t>(1, size.count() / line) * line};
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace tantalus

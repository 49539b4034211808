#include "sim/hardware/cpu_memory.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus {

namespace {

constexpr double still_inside = 0.7;    // of the reach
constexpr double surely_outside = 2.0;  // of the reach
constexpr double return_cost = 0.15;    // of a fill, for the core that waits
// Dependent accesses of a first touch: two, and one more in every 16 KiB (a page walk, prefetchers that start anew), up to 40.
constexpr double first_accesses = 2.0, bytes_an_access = 16384.0, most_accesses = 40.0;

// ln(y) for y in [1, 3] by the series of the inverse hyperbolic tangent, to 1e-6: libm's logarithm differs between machines.
constexpr double natural_log(double y) {
  const double z = (y - 1.0) / (y + 1.0);
  const double square = z * z;
  double power = z;
  double sum = 0.0;
  for (int odd = 1; odd < 18; odd += 2) {
    sum += power / odd;
    power *= square;
  }
  return 2.0 * sum;
}

// Share of the data that a level of this reach no longer holds.
double missing(double distance, double reach) {
  if (reach <= 0.0 || distance >= surely_outside * reach) return 1.0;
  if (distance <= still_inside * reach) return 0.0;
  constexpr double whole = natural_log(surely_outside / still_inside);
  return std::clamp(natural_log(distance / (still_inside * reach)) / whole, 0.0, 1.0);
}

double instances(const CpuCacheSpec& cache, std::int64_t cores, std::int64_t all_cores) {
  const std::int64_t in_use = (cores + cache.shared_by - 1) / cache.shared_by;
  return static_cast<double>(std::clamp<std::int64_t>(all_cores / cache.shared_by, 1, in_use));
}

double reach_of(const CpuCacheSpec& cache, std::int64_t cores, std::int64_t all_cores) {
  return static_cast<double>(cache.effective->count()) * instances(cache, cores, all_cores);
}

double latency_seconds(const CpuCacheSpec& cache, double hertz) {
  return static_cast<double>(cache.latency.count()) / hertz;
}

double core_rate(const CpuCacheSpec& cache, double hertz) {
  return static_cast<double>(cache.bandwidth->count()) * hertz;
}

Bytes whole_bytes(double bytes) { return Bytes{static_cast<std::int64_t>(std::ceil(bytes))}; }

// All traffic runs at the rate at which the core gets its fills, write-backs costing it little.
Bandwidth limited_rate(double fills, double returns, double rate) {
  const double waited = fills + return_cost * returns;
  if (waited <= 0.0) return Bandwidth{0};
  return Bandwidth{
      static_cast<std::int64_t>(std::clamp(rate * (fills + returns) / waited, 1.0, 9e18))};
}

}  // namespace

CacheReach reach_of(const CpuSpec& spec, std::int64_t cores) {
  return {reach_of(spec.l1d, cores, spec.cores), reach_of(spec.l2, cores, spec.cores),
          spec.l3 ? reach_of(*spec.l3, cores, spec.cores) : 0.0};
}

LevelShares locate(Distance distance, const CacheReach& reach) {
  // A nearer level holds no more than a farther one, whatever the sizes: shares never become negative.
  const double past_l1 = missing(distance.own, reach.l1);
  const double past_l2 = std::min(past_l1, missing(distance.own, reach.l2));
  const double past_l3 = std::min(past_l2, missing(distance.shared, reach.l3));
  return {1.0 - past_l1, past_l1 - past_l2, past_l2 - past_l3, past_l3};
}

double access_seconds(const LevelShares& share, const CpuSpec& spec, double hertz) {
  double wait = share.l1 * latency_seconds(spec.l1d, hertz) +
                share.l2 * latency_seconds(spec.l2, hertz) +
                share.dram * seconds(spec.dram_latency);
  if (spec.l3) wait += share.l3 * latency_seconds(*spec.l3, hertz);
  return wait;
}

double clock_hertz(const CpuSpec& spec, std::int64_t cores) {
  return static_cast<double>((cores > 1 ? spec.clock.sustained : spec.clock.one_core)->count());
}

void add_pass(CpuTraffic& traffic, double bytes, Distance distance, bool written,
              const CpuSpec& spec, std::int64_t cores) {
  if (bytes <= 0.0) return;
  const LevelShares share = locate(distance, reach_of(spec, cores));
  const double hertz = clock_hertz(spec, cores);
  traffic.l1 += bytes;
  traffic.l2 += (1.0 - share.l1) * bytes;
  const double beyond_l2 = spec.l3 ? (share.l3 + share.dram) * bytes : 0.0;
  const double beyond_l3 = share.dram * bytes;
  traffic.l3_fills += beyond_l2;
  traffic.dram_fills += beyond_l3;
  if (written) {
    traffic.l3_returns += beyond_l2;
    traffic.dram_returns += beyond_l3;
  }
  LevelShares below = share;
  below.l1 = 0.0;  // the study found no first-touch time in L1
  const double accesses = std::min(most_accesses, first_accesses + bytes / bytes_an_access);
  traffic.cold += accesses * access_seconds(below, spec, hertz);
}

double private_seconds(const CpuTraffic& traffic, const CpuSpec& spec, std::int64_t cores) {
  const double hertz = clock_hertz(spec, cores);
  const double slower =
      std::max(traffic.l1 / core_rate(spec.l1d, hertz), traffic.l2 / core_rate(spec.l2, hertz));
  return slower / static_cast<double>(cores);
}

void set_traffic(BlockPhase& phase, const CpuTraffic& traffic, double share, double rate_share,
                 const CpuSpec& spec, std::int64_t cores) {
  const double hertz = clock_hertz(spec, cores);
  if (spec.l3) {
    phase.bytes[0] = whole_bytes((traffic.l3_fills + traffic.l3_returns) * share);
    phase.max_rate[0] =
        limited_rate(traffic.l3_fills, traffic.l3_returns, core_rate(*spec.l3, hertz));
  }
  phase.bytes[1] = whole_bytes((traffic.dram_fills + traffic.dram_returns) * share);
  phase.max_rate[1] =
      limited_rate(traffic.dram_fills, traffic.dram_returns,
                   rate_share * static_cast<double>(spec.one_core_bandwidth->count()));
  phase.latency = duration_from_seconds(traffic.cold);
}

}  // namespace tantalus

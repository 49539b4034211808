// Where an operand lies on a CPU and what moving it costs: reuse distance -> share of each level -> traffic of a region. Pure
// functions of the spec; no cache lines, no state. The events contend for L3 and DRAM with the bytes counted here.
//
// Rules (docs/modelling.md, "CPU memory levels"; they follow single-core microbenchmarks, error about 10 %):
//  - data whose reuse distance is below 0.7 of a level's reach are in it, beyond 2 times they are not, log-linear between;
//  - a store moves its line in (write allocate) and later out: twice its bytes below the private levels;
//  - one core is limited by the lines that it waits for, so write-backs cost it only 15 % of a fill, but they do take
//    bandwidth from everyone;
//  - the first touch after other work waits for dependent accesses, 2 of a few lines and 40 of a large operand (page walks,
//    prefetchers that must be trained).
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/kernel_cost.hpp"

namespace tantalus {

/// Shares of an operand found at each level; they sum to one.
struct LevelShares {
  double l1 = 0, l2 = 0, l3 = 0, dram = 0;
};

/// Bytes that `cores` cores together can count on at each level. `l3` is zero when there is none.
struct CacheReach {
  double l1 = 0, l2 = 0, l3 = 0;
};
CacheReach reach_of(const CpuSpec& spec, std::int64_t cores);

/// Bytes that passed since an operand was last touched, its own included; infinite for untouched data. Neighbours on a shared
/// L3 push it out of that level only.
struct Distance {
  // NOLINTNEXTLINE(google-explicit-constructor): most distances are the program's own bytes
  Distance(double bytes) : own(bytes), shared(bytes) {}
  Distance(double bytes, double foreign) : own(bytes), shared(bytes + foreign) {}

  double own, shared;
};
LevelShares locate(Distance distance, const CacheReach& reach);

/// Mean load-to-use time of data that lie so, at a core clock of `hertz`.
double access_seconds(const LevelShares& share, const CpuSpec& spec, double hertz);

/// What a region moves, summed over its cores.
struct CpuTraffic {
  double l1 = 0, l2 = 0;  // bytes through the private levels; farther data pass them too
  double l3_fills = 0, l3_returns = 0;  // through L3: towards the cores and back
  double dram_fills = 0, dram_returns = 0;
  double cold = 0;  // seconds of first touches, of one core
};

/// One pass of `cores` cores over `bytes` that were touched `distance` ago.
void add_pass(CpuTraffic& traffic, double bytes, Distance distance, bool written,
              const CpuSpec& spec, std::int64_t cores);

/// Seconds that one core of `cores` needs to pass its part through its private levels, the slower of the two.
double private_seconds(const CpuTraffic& traffic, const CpuSpec& spec, std::int64_t cores);

/// The bytes of one block that does `share` of the region, and the rates that one core reaches; `rate_share` slows main memory.
void set_traffic(BlockPhase& phase, const CpuTraffic& traffic, double share, double rate_share,
                 const CpuSpec& spec, std::int64_t cores);

/// The clock of a region: one busy core or several.
double clock_hertz(const CpuSpec& spec, std::int64_t cores);

}  // namespace tantalus

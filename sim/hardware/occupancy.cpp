#include "sim/hardware/occupancy.hpp"

#include <algorithm>
#include <limits>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return quotient_up(value, unit) * unit;
}

std::int64_t warps_of(const SmSpec& sm, const KernelLaunch& launch) {
  return quotient_up(launch.threads_per_block(), sm.warp_size);
}

std::int64_t blocks_by_threads(const SmSpec& sm, const KernelLaunch& launch) {
  return sm.max_threads / sm.warp_size / warps_of(sm, launch);
}

// Registers are handed to whole warps, and the register file is split evenly over the schedulers: a warp lives in one part.
std::int64_t blocks_by_registers(const SmSpec& sm, const KernelLaunch& launch) {
  if (launch.registers_per_thread == 0) return unlimited;
  if (launch.registers_per_thread > sm.registers_per_thread) return 0;
  const std::int64_t warp_need =
      round_up(launch.registers_per_thread * sm.warp_size, sm.register_unit);
  // The launch check of the hardware counts as if every part took the same number of warps.
  const std::int64_t assumed_warps = round_up(warps_of(sm, launch), sm.warp_granularity);
  const std::int64_t block_limit =
      sm.registers_per_block.value_or(std::min<std::int64_t>(sm.registers, 65536));
  if (warp_need * assumed_warps > block_limit) return 0;
  const std::int64_t warps_per_part = sm.registers / sm.warp_granularity / warp_need;
  return warps_per_part * sm.warp_granularity / warps_of(sm, launch);
}

std::int64_t blocks_by_shared(const SmSpec& sm, const KernelLaunch& launch) {
  const std::int64_t need =
      round_up(launch.shared_bytes.count() + sm.shared_reserved.count(), sm.shared_unit.count());
  if (need > sm.shared_memory_per_block.count() + sm.shared_reserved.count()) return 0;
  return need == 0 ? unlimited : sm.shared_memory.count() / need;
}

}  // namespace

Occupancy occupancy(const SmSpec& sm, const KernelLaunch& launch) {
  TANTALUS_CHECK(launch.threads_per_block() > 0, "a block has at least one thread");
  TANTALUS_CHECK(launch.registers_per_thread >= 0 && launch.shared_bytes >= Bytes{0},
                 "a kernel cannot need less than nothing");
  if (launch.threads_per_block() > max_threads_per_block) return {0, OccupancyLimit::threads};

  struct Limit {
    std::int64_t blocks;
    OccupancyLimit name;
  };
  const Limit limits[] = {{blocks_by_registers(sm, launch), OccupancyLimit::registers},
                          {blocks_by_shared(sm, launch), OccupancyLimit::shared},
                          {blocks_by_threads(sm, launch), OccupancyLimit::threads},
                          {sm.max_blocks, OccupancyLimit::blocks}};
  const Limit* tightest =
      std::min_element(std::begin(limits), std::end(limits),
                       [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  const bool small_grid =
      tightest->blocks > 0 && quotient_up(launch.blocks(), sm.count) < tightest->blocks;
  return {static_cast<int>(tightest->blocks), small_grid ? OccupancyLimit::grid : tightest->name};
}

}  // namespace tantalus

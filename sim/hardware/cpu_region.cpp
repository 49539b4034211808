#include "sim/hardware/cpu_region.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr double most_seconds = 1e6;  // of work of all cores together: 11 days, far below 2^63 ps
constexpr double most_count = 1e18;   // bytes or FLOPs
constexpr double most_pieces =
    1e12;  // more would change no share and lose the remainder in rounding

struct Partition {
  double pieces = 1, least = 1;
  std::int64_t longer = 0;
};

Partition partition(const CpuRegion& region) {
  const auto cores = static_cast<double>(region.cores);
  const double pieces = std::min(std::floor(region.pieces), most_pieces);
  const double least = std::floor(pieces / cores);
  return {pieces, least, static_cast<std::int64_t>(pieces - least * cores)};
}

BlockPhase moving_phase(const CpuRegion& region, double share, const CpuSpec& spec) {
  BlockPhase phase;
  const double part = share * static_cast<double>(region.cores);
  phase.unit_time =
      duration_from_seconds(private_seconds(region.traffic, spec, region.cores) * part);
  phase.unit_bound = Bound::l1;
  set_traffic(phase, region.traffic, share, region.rate_share, spec, region.cores);
  return phase;
}

BlockGroup group_of(const CpuRegion& region, std::int64_t blocks, double share,
                    const CpuSpec& spec) {
  const Duration compute =
      duration_from_seconds(region.cycles * share / clock_hertz(spec, region.cores));
  BlockPhase phase = moving_phase(region, share, spec);
  if (region.exposed < 1.0) {
    phase.exposed = region.exposed;
    if (compute > phase.unit_time) {
      phase.unit_time = compute;
      phase.unit_bound = Bound::compute;
    }
    return {blocks, {phase}};
  }
  BlockPhase computing;
  computing.unit_time = compute;
  return {blocks, {phase, computing}};
}

// Some cores get one piece more than the others.
void add_groups(KernelCost& kernel, const CpuRegion& region, const CpuSpec& spec) {
  const Partition parts = partition(region);
  if (parts.longer > 0) {
    kernel.groups.push_back(group_of(region, parts.longer, (parts.least + 1) / parts.pieces, spec));
  }
  if (parts.longer < region.cores) {
    kernel.groups.push_back(
        group_of(region, region.cores - parts.longer, parts.least / parts.pieces, spec));
  }
}

}  // namespace

std::int64_t used_lanes(const CpuMachine& machine) {
  const std::int64_t kernel = machine.library.vector.count() / 32;
  return std::max<std::int64_t>(1, std::min(kernel, machine.spec.simd.fp32_lanes()));
}

double flops_per_cycle(const CpuMachine& machine, DType type) {
  const double rate =
      static_cast<double>(used_lanes(machine)) * 2.0 * machine.spec.simd.multiply_adds();
  return type == DType::int8 ? rate * machine.library.int8_rate : rate;
}

double sync_seconds(const CpuMachine& machine, std::int64_t cores) {
  if (cores < 2) return 0.0;
  const CpuThreadSpec& threads = machine.library.threads;
  return seconds(threads.sync) + seconds(threads.sync_per_core) * static_cast<double>(cores);
}

double threading_loss(const CpuMachine& machine, std::int64_t cores, double samples) {
  const double on_one = std::ceil(static_cast<double>(cores) / std::max(samples, 1.0));
  return 1.0 + machine.library.threads.serial_share.value() * (on_one - 1.0);
}

std::int64_t cores_for(const CpuMachine& machine, double pieces) {
  const auto all = static_cast<double>(machine.spec.cores);
  return static_cast<std::int64_t>(std::clamp(std::floor(pieces), 1.0, all));
}

bool too_large(const CpuRegion& region, const CpuSpec& spec) {
  const CpuTraffic& t = region.traffic;
  const double bytes = t.l1 + t.l3_fills + t.l3_returns + t.dram_fills + t.dram_returns;
  const double slowest = private_seconds(t, spec, 1) +
                         bytes / static_cast<double>(spec.one_core_bandwidth->count()) +
                         region.fixed + region.cycles / clock_hertz(spec, region.cores);
  // The negation also catches what is not a number.
  return !(slowest < most_seconds && bytes < most_count && region.flops < most_count &&
           region.workspace < most_count);
}

KernelCost cut(const CpuRegion& region, const CpuSpec& spec) {
  TANTALUS_CHECK(region.cores >= 1 && region.cores <= spec.cores,
                 "a region runs on cores that exist");
  TANTALUS_CHECK(region.pieces >= static_cast<double>(region.cores), "every core has a piece");
  KernelCost kernel;
  kernel.launch.name = region.name;
  kernel.launch.grid = {region.cores, 1, 1};
  kernel.algorithm = region.algorithm;
  kernel.units_limit = static_cast<int>(region.cores);
  kernel.occupancy_limit =
      region.cores < spec.cores ? OccupancyLimit::grid : OccupancyLimit::blocks;
  kernel.fixed = duration_from_seconds(region.fixed);
  kernel.executed_flops = static_cast<std::int64_t>(region.flops);
  kernel.workspace = Bytes{static_cast<std::int64_t>(region.workspace)};
  add_groups(kernel, region, spec);
  return kernel;
}

}  // namespace tantalus

#include "sim/hardware/gpu_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr double most_bytes = 4e18;

void scale_units(KernelCost& cost, const std::vector<Duration>& full, double factor) {
  std::size_t i = 0;
  for (BlockGroup& group : cost.groups) {
    for (BlockPhase& phase : group.phases)
      phase.unit_time = duration_from_seconds(seconds(full[i++]) * factor);
  }
}

std::vector<Duration> unit_times(const KernelCost& cost) {
  std::vector<Duration> times;
  for (const BlockGroup& group : cost.groups) {
    for (const BlockPhase& phase : group.phases) times.push_back(phase.unit_time);
  }
  return times;
}

// The kernel's time grows with the factor, continuously and in the end in proportion, so the bracket always closes. False
// position; a side that stays put twice loses half of its weight (Illinois), which takes about ten steps.
void slow_to(KernelCost& cost, const DeviceRates& rates, double target) {
  const std::vector<Duration> full = unit_times(cost);
  const auto gap_at = [&](double factor) {
    scale_units(cost, full, factor);
    return seconds(alone_time(cost, rates)) - target;
  };
  double low = 1.0, low_weight = gap_at(1.0);
  double high = 2.0, high_weight = gap_at(high);
  while (high_weight < 0.0) {
    low = high;
    low_weight = high_weight;
    high *= 4.0;
    if (high > 1e9) return;  // no work on the SMs that could be slowed
    high_weight = gap_at(high);
  }
  int last_side = 0;
  for (int step = 0; step < 100 && high - low > 1e-9 * high; ++step) {
    const double middle = low - low_weight * (high - low) / (high_weight - low_weight);
    const double gap = gap_at(middle);
    if (gap >= 0.0) {
      high = middle;
      high_weight = gap;
      if (gap <= 1e-9 * target) break;
      if (last_side > 0) low_weight *= 0.5;
      last_side = 1;
    } else {
      low = middle;
      low_weight = gap;
      if (last_side < 0) high_weight *= 0.5;
      last_side = -1;
    }
  }
  scale_units(cost, full, high);
}

}  // namespace

Bytes share_of(double total, std::int64_t blocks) {
  const auto whole = static_cast<std::int64_t>(std::ceil(total));
  return Bytes{whole / blocks + (whole % blocks != 0 ? 1 : 0)};
}

std::int64_t divide_rounding_up(double value, double unit) {
  return static_cast<std::int64_t>(std::ceil(value / unit));
}

Bandwidth port_share(const GpuDevice& device, std::int64_t blocks, int blocks_per_sm) {
  const std::int64_t busiest = (blocks - 1) / device.rates.units + 1;
  const std::int64_t resident = std::clamp<std::int64_t>(busiest, 1, blocks_per_sm);
  return Bandwidth{std::max<std::int64_t>(
      1, static_cast<std::int64_t>(device.port_rate / static_cast<double>(resident)))};
}

Bandwidth latency_bound(const GpuDevice& device, double bytes_in_flight) {
  const double rate = std::min(bytes_in_flight / device.dram_latency, most_bytes);
  return Bandwidth{std::max<std::int64_t>(1, static_cast<std::int64_t>(rate))};
}

StreamPlan plan_stream(const GpuDevice& device, const GpuStreamSpec& spec) {
  return {spec, residency_of(device, spec.threads, spec.registers, Bytes{0})};
}

GpuKernel stream_kernel(const GpuDevice& device, const StreamPlan& plan, const StreamWork& work) {
  TANTALUS_CHECK(plan.residency.blocks_per_sm > 0, "the kernel fits on an SM");
  const double chunk = static_cast<double>(plan.spec.threads * plan.spec.elements_per_thread);
  const double chunks = std::max(1.0, std::ceil(work.elements / chunk));
  const std::int64_t slots = device.rates.units * plan.residency.blocks_per_sm;
  const auto blocks =
      static_cast<std::int64_t>(std::min(chunks, static_cast<double>(slots * most_stream_waves)));
  const auto per_block = [&](double total) { return total / static_cast<double>(blocks); };

  GpuKernel kernel;
  KernelCost& cost = kernel.cost;
  cost.launch.name = work.name;
  cost.launch.grid[0] = blocks;
  cost.launch.block[0] = plan.spec.threads;
  cost.launch.registers_per_thread = static_cast<int>(plan.spec.registers);
  cost.algorithm = Algorithm::direct;
  cost.blocks_per_unit = plan.residency.blocks_per_sm;
  cost.occupancy_limit = plan.residency.limited_by;
  cost.fixed =
      duration_from_seconds(static_cast<double>(plan.spec.start.count()) / device.lanes_clock);
  cost.executed_flops = static_cast<std::int64_t>(std::min(work.flops, most_bytes));

  // Nominal arithmetic never outruns the lanes, whatever the catalogue says an element takes.
  const double instructions = std::max(work.elements * work.instructions, work.flops / 2.0);
  const double compute = instructions / device.instructions_per_second();
  const double l1 = std::max(std::max(work.l1_bytes, work.traffic.all()) / device.l1_rate,
                             work.traffic.written / device.store_rate);
  BlockPhase phase;
  phase.unit_time =
      duration_from_seconds(std::min(per_block(std::max(compute, l1)), longest_kernel));
  phase.unit_bound = compute >= l1 ? Bound::compute : Bound::l1;
  const std::int64_t warps =
      (plan.spec.threads + device.spec.sm.warp_size - 1) / device.spec.sm.warp_size;
  phase.max_share = std::min(1.0, static_cast<double>(warps) / saturating_warps);
  const double wait =
      work.wait * static_cast<double>(plan.spec.elements_per_thread) * per_block(chunks);
  if (wait > 0.0) {
    phase.max_share =
        std::min(phase.max_share, (seconds(phase.unit_time) + 1e-12) / (wait + 1e-12));
  }
  phase.bytes = {share_of(std::min(work.traffic.all(), most_bytes), blocks),
                 share_of(std::min(work.traffic.dram(), most_bytes), blocks)};
  phase.max_rate = {port_share(device, blocks, cost.blocks_per_unit),
                    latency_bound(device, work.traffic.all() / chunks)};
  cost.groups.push_back({blocks, {phase}});

  kernel.joules = work.flops * device.joules_per_flop(MathUnit::lanes, DType::fp32) +
                  work.traffic.all() * device.joules_per_l2_byte +
                  work.traffic.dram() * device.joules_per_dram_byte;
  return kernel;
}

double device_seconds(const GpuDevice& device, const GpuKernel& kernel) {
  const double powered = device.power_budget > 0.0 ? kernel.joules / device.power_budget : 0.0;
  return std::max(seconds(alone_time(kernel.cost, device.rates)), powered);
}

bool representable(const GpuDevice& device, const GpuKernel& kernel) {
  double unit = 0.0;
  std::array<double, shared_levels> bytes{};
  for (const BlockGroup& group : kernel.cost.groups) {
    const auto blocks = static_cast<double>(group.blocks);
    for (const BlockPhase& phase : group.phases) {
      unit += seconds(phase.unit_time) / phase.max_share *
              (blocks / static_cast<double>(device.rates.units) + 1.0);
      for (std::size_t level = 0; level < shared_levels; ++level) {
        bytes[level] += static_cast<double>(phase.bytes[level].count()) * blocks;
      }
    }
  }
  double slowest = unit;
  for (std::size_t level = 0; level < shared_levels; ++level) {
    if (bytes[level] >= most_bytes) return false;
    slowest += bytes[level] / static_cast<double>(device.rates.bandwidth[level].count());
  }
  if (device.power_budget > 0.0) slowest += kernel.joules / device.power_budget;
  return slowest < longest_kernel;
}

KernelCost finish(const GpuDevice& device, GpuKernel kernel) {
  if (device.power_budget <= 0.0) return std::move(kernel.cost);
  const double target = kernel.joules / device.power_budget;
  if (target <= seconds(alone_time(kernel.cost, device.rates))) return std::move(kernel.cost);
  slow_to(kernel.cost, device.rates, target);
  for (BlockGroup& group : kernel.cost.groups) {
    for (BlockPhase& phase : group.phases) phase.unit_bound = Bound::power;
  }
  return std::move(kernel.cost);
}

}  // namespace tantalus

#include "sim/hardware/kernel_cost.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

// The busiest unit of a wave holds `resident` blocks; `blocks` are running on the whole device.
double phase_seconds(const BlockPhase& phase, std::int64_t resident, std::int64_t blocks,
                     const DeviceRates& device) {
  const auto r = static_cast<double>(resident);
  const auto all = static_cast<double>(blocks);
  const double unit = seconds(phase.unit_time) * r / std::min(1.0, r * phase.max_share);
  double memory = 0.0;
  for (std::size_t level = 0; level < shared_levels; ++level) {
    const auto bytes = static_cast<double>(phase.bytes[level].count());
    if (bytes <= 0.0) continue;
    auto rate = static_cast<double>(device.bandwidth[level].count());
    if (phase.max_rate[level].count() > 0) {
      rate = std::min(rate, all * static_cast<double>(phase.max_rate[level].count()));
    }
    memory = std::max(memory, bytes * all / rate);
  }
  return std::max(unit, memory) + phase.exposed * std::min(unit, memory) + seconds(phase.latency);
}

double wave_seconds(const BlockGroup& group, std::int64_t blocks, const DeviceRates& device,
                    std::int64_t units) {
  const std::int64_t resident = (blocks + units - 1) / units;
  double total = 0.0;
  for (const BlockPhase& phase : group.phases)
    total += phase_seconds(phase, resident, blocks, device);
  return total;
}

std::int64_t block_count(const KernelCost& kernel) {
  std::int64_t blocks = 0;
  for (const BlockGroup& group : kernel.groups) blocks += group.blocks;
  return blocks;
}

}  // namespace

Duration alone_time(const KernelCost& kernel, const DeviceRates& device) {
  TANTALUS_CHECK(device.units > 0 && kernel.blocks_per_unit > 0, "a kernel needs a unit to run on");
  const std::int64_t units = kernel.units_limit > 0
                                 ? std::min<std::int64_t>(kernel.units_limit, device.units)
                                 : device.units;
  const std::int64_t slots = units * kernel.blocks_per_unit;
  double total = seconds(kernel.fixed);
  if (const std::int64_t all = block_count(kernel);
      all <= slots) {  // one wave: the groups run side by side
    double longest = 0.0;
    for (const BlockGroup& group : kernel.groups) {
      longest = std::max(longest, wave_seconds(group, all, device, units));
    }
    return duration_from_seconds(total + longest);
  }
  for (const BlockGroup& group : kernel.groups) {
    const std::int64_t full_waves = group.blocks / slots;
    const std::int64_t tail = group.blocks % slots;
    if (full_waves > 0) {
      total += static_cast<double>(full_waves) * wave_seconds(group, slots, device, units);
    }
    if (tail > 0) total += wave_seconds(group, tail, device, units);
  }
  return duration_from_seconds(total);
}

Duration total_unit_time(const KernelCost& kernel) {
  Duration total;
  for (const BlockGroup& group : kernel.groups) {
    for (const BlockPhase& phase : group.phases) total += phase.unit_time * group.blocks;
  }
  return total;
}

Bytes total_bytes(const KernelCost& kernel, SharedLevel level) {
  Bytes total;
  for (const BlockGroup& group : kernel.groups) {
    for (const BlockPhase& phase : group.phases) {
      total += phase.bytes[static_cast<std::size_t>(level)] * group.blocks;
    }
  }
  return total;
}

}  // namespace tantalus

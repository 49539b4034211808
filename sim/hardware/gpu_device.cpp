#include "sim/hardware/gpu_device.hpp"

#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/hardware/occupancy.hpp"

namespace tantalus {

namespace {

constexpr double fastest_level = 4e18;  // bytes a second; keeps whatever a file says inside 64 bits

Bandwidth level_rate(double bytes_per_second) {
  TANTALUS_CHECK(bytes_per_second >= 1.0, "a memory level moves something");
  return Bandwidth{static_cast<std::int64_t>(std::min(bytes_per_second, fastest_level))};
}

double per_second(BytesPerCycle width, double clock) {
  return static_cast<double>(width.count()) * clock;
}

double joules(Energy energy) { return static_cast<double>(energy.count()) * 1e-15; }

std::optional<FlopsPerCycle> matrix_rate(const TensorSpec& tensor, DType type) {
  switch (type) {
    case DType::fp32:
      return tensor.fp32;
    case DType::tf32:
      return tensor.tf32;
    case DType::fp16:
      return tensor.fp16;
    case DType::bf16:
      return tensor.bf16;
    case DType::fp8:
      return tensor.fp8;
    case DType::int8:
      return tensor.int8;
    case DType::int64:
      break;
  }
  return std::nullopt;
}

// tf32 without a matrix unit is plain fp32; narrower formats have rates of their own; fp8 exists on matrix units only.
std::int64_t lanes_for(const SmSpec& sm, DType type) {
  switch (type) {
    case DType::fp32:
    case DType::tf32:
      return sm.fp32_lanes;
    case DType::fp16:
    case DType::bf16:
      return sm.fp16_lanes.value_or(sm.fp32_lanes);
    case DType::int8:
      return sm.int8_lanes.value_or(sm.fp32_lanes);
    case DType::fp8:
    case DType::int64:
      break;
  }
  return 0;
}

}  // namespace

GpuDevice::GpuDevice(const GpuSpec& s) : spec(s) {
  TANTALUS_CHECK(s.sm.count > 0 && s.l2.bandwidth && s.l2.bandwidth_per_sm && s.clock.sustained &&
                     s.clock.tensor,
                 "a GPU spec is derived and checked before it is used");
  lanes_clock = static_cast<double>(s.clock.sustained->count());
  matrix_clock = static_cast<double>(s.clock.tensor->count());
  l1_rate = per_second(s.sm.l1_bandwidth, lanes_clock);
  store_rate = per_second(s.sm.store_bandwidth, lanes_clock);
  port_rate = std::min(per_second(*s.l2.bandwidth_per_sm, lanes_clock), fastest_level);
  rates.units = s.sm.count;
  rates.bandwidth = {level_rate(per_second(*s.l2.bandwidth, lanes_clock)), s.dram.achievable()};
  TANTALUS_CHECK(rates.bandwidth[1] > Bandwidth{0}, "device memory moves something");
  dram_latency = seconds(s.dram_latency);
  queued = seconds(s.launch.queued);
  tlb_page = static_cast<double>(s.sm.tlb_page.count());
  tlb_entries = static_cast<double>(s.sm.tlb_reach.count()) / tlb_page;
  tlb_miss = static_cast<double>(s.sm.tlb_miss.count()) / lanes_clock;
  if (!s.power) return;
  const double watts =
      static_cast<double>(s.power->limit.count()) * 1e-3 * (1.0 - s.power->idle_share.value());
  power_budget = watts;
  joules_per_l2_byte = joules(s.power->per_l2_byte);
  joules_per_dram_byte = joules(s.power->per_dram_byte);
}

double GpuDevice::macs_per_second(MathUnit unit, DType type) const {
  if (unit == MathUnit::lanes) return static_cast<double>(lanes_for(spec.sm, type)) * lanes_clock;
  const std::optional<FlopsPerCycle> rate = matrix_rate(spec.tensor, type);
  return rate ? static_cast<double>(rate->count()) / 2.0 * matrix_clock : 0.0;
}

ListedPeaks GpuDevice::listed_peaks(DType type) const {
  const std::optional<FlopsPerCycle> matrix = matrix_rate(spec.tensor, type);
  const double per_clock = std::max(2.0 * static_cast<double>(lanes_for(spec.sm, type)),
                                    matrix ? static_cast<double>(matrix->count()) : 0.0);
  return {per_clock * static_cast<double>(spec.sm.count) *
              static_cast<double>(spec.clock.boost.count()),
          static_cast<double>(spec.dram.bandwidth->count())};
}

double GpuDevice::instructions_per_second() const {
  return static_cast<double>(spec.sm.fp32_lanes) * lanes_clock;
}

double GpuDevice::joules_per_flop(MathUnit unit, DType type) const {
  if (!spec.power) return 0.0;
  const std::optional<Energy>& energy =
      unit == MathUnit::matrix ? spec.power->per_tensor_flop : spec.power->per_flop;
  const double width =
      unit == MathUnit::matrix ? 2.0 : 4.0;  // bytes of the operands that the energy is stated for
  return energy ? joules(*energy) * static_cast<double>(element_size(type)) / width : 0.0;
}

double GpuDevice::hit_share(Bytes distance) const {
  const double useful = 0.7 * static_cast<double>(spec.l2.capacity.count());
  return std::clamp(1.5 - static_cast<double>(distance.count()) / useful, 0.0, 1.0);
}

Traffic traffic_of(const GpuDevice& device, const Operation& operation, ReuseDistances reuse) {
  Traffic traffic;
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const TensorUse& use = operation.operands[i];
    const auto size = static_cast<double>(use.size.count());
    const double missed = size * (1.0 - device.hit_share(i < reuse.size() ? reuse[i] : never_used));
    if (!use.written || operation.pass == Pass::update) {
      traffic.read += size;
      traffic.dram_read += missed;
    }
    if (use.written) {
      traffic.written += size;
      traffic.dram_written += missed;
    }
  }
  return traffic;
}

Residency residency_of(const GpuDevice& device, std::int64_t threads, std::int64_t registers,
                       Bytes shared) {
  KernelLaunch launch;
  launch.grid[0] = INT64_MAX;  // what one SM can hold, whatever the grid
  launch.block[0] = threads;
  launch.registers_per_thread = static_cast<int>(registers);
  launch.shared_bytes = shared;
  const Occupancy found = occupancy(device.spec.sm, launch);
  return {found.blocks_per_sm, found.limited_by};
}

}  // namespace tantalus

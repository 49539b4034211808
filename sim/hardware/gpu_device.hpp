// What kernels ask of a GPU, as plain doubles computed once from its spec, and the two questions that every kernel asks of
// the memory levels: how much of an operand the L2 still holds, and what crosses L2 and DRAM. Pure; knows no kernel, no clock.
#pragma once

#include "sim/base/units.hpp"
#include "sim/hardware/device_model.hpp"
#include "sim/hardware/gpu_library.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/hardware/kernel_cost.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

struct GpuDevice {
  explicit GpuDevice(const GpuSpec& spec);

  GpuSpec spec;
  DeviceRates rates;                         // SMs, {L2, DRAM}
  double lanes_clock = 0, matrix_clock = 0;  // Hz
  double l1_rate = 0, store_rate = 0;        // bytes a second of one SM
  double port_rate = 0;                      // most bytes a second that one SM draws through L2
  double dram_latency = 0, queued = 0;       // seconds
  double tlb_entries = 0, tlb_page = 1;      // pages of one SM's translation cache; bytes of a page
  double tlb_miss = 0;                       // seconds
  double power_budget = 0;                   // W above the idle draw; 0: power never limits
  double joules_per_l2_byte = 0, joules_per_dram_byte = 0;

  double clock(MathUnit unit) const {
    return unit == MathUnit::matrix ? matrix_clock : lanes_clock;
  }

  /// Multiply-adds a second of one SM; 0 when it has no such arithmetic.
  double macs_per_second(MathUnit unit, DType type) const;
  /// The listed boost clock on lanes or matrix units, whichever is faster.
  ListedPeaks listed_peaks(DType type) const;
  /// One instruction on every lane: what element-wise work is counted in.
  double instructions_per_second() const;
  double joules_per_flop(MathUnit unit, DType type) const;

  /// Share of an operand that the L2 still holds after `distance` bytes of other uses: 1 up to half of 0.7 x capacity, then
  /// falling to 0 at 1.5 times it (design study, element-wise rows and repeated products).
  double hit_share(Bytes distance) const;
};

/// Bytes of one operation by direction and level.
struct Traffic {
  double read = 0, written = 0;            // through L2
  double dram_read = 0, dram_written = 0;  // what of it reaches device memory

  double all() const { return read + written; }
  double dram() const { return dram_read + dram_written; }
};

/// Every operand once. An operand that an update writes is read first (weights, momenta) and counts twice.
Traffic traffic_of(const GpuDevice& device, const Operation& operation, ReuseDistances reuse);

/// Occupancy of a launch, computed once per device.
struct Residency {
  int blocks_per_sm = 0;
  OccupancyLimit limited_by = OccupancyLimit::blocks;
};
Residency residency_of(const GpuDevice& device, std::int64_t threads, std::int64_t registers,
                       Bytes shared);

}  // namespace tantalus

// The kernels of a GPU: pure functions from a piece of work to KernelCost, shared by every kind of operation. A GpuKernel is a
// cost with the energy that it takes; `finish` turns it into what runs, slowed where the board's power limit says so.
// Equations and sources: docs/modelling.md, "GPU kernels", "Element-wise and row operations", "Power".
#pragma once

#include <string_view>
#include <vector>

#include "sim/hardware/gpu_device.hpp"
#include "sim/hardware/gpu_library.hpp"
#include "sim/hardware/kernel_cost.hpp"

namespace tantalus {

struct GpuKernel {
  KernelCost cost;
  double joules = 0;  // above the idle draw
};

/// No kernel may take longer, so that sums of kernels stay far inside 64 bits of picoseconds: about 11 days.
inline constexpr double longest_kernel = 1e6;

/// Resident warps with which an SM issues at its full rate (design study: 4.3, five GPUs).
inline constexpr double saturating_warps = 4.3;

/// Blocks of a stream stay below this many waves: where the grid would be larger, its blocks loop over their chunks
/// (grid-stride), and the launch says so by its smaller grid. The error is at most half a wave in this many.
inline constexpr std::int64_t most_stream_waves = 64;
inline constexpr std::int64_t most_gemm_waves = 1024;

/// A library that goes image by image is refused a batch with more launches than this rather than simulated for hours.
inline constexpr std::int64_t most_image_launches = 100'000;

/// The launch of a stream with its occupancy on one device.
struct StreamPlan {
  GpuStreamSpec spec;
  Residency residency;
};
StreamPlan plan_stream(const GpuDevice& device, const GpuStreamSpec& spec);

/// `elements` results that need `instructions` each and move `traffic` in all; `flops` is the nominal arithmetic.
struct StreamWork {
  std::string_view name;
  double elements = 0;
  double instructions = 0;
  Traffic traffic;
  double l1_bytes = 0;  // bytes through L1; the traffic when that is more
  double flops = 0;
  double wait = 0;  // s, of one element: its loads go one after the other
};
GpuKernel stream_kernel(const GpuDevice& device, const StreamPlan& plan, const StreamWork& work);

/// Time of the kernels alone on the device, power limit included, each at least the queued launch cost apart: what a
/// catalogue's choice compares.
double device_seconds(const GpuDevice& device, const GpuKernel& kernel);

/// False for work that no Duration or byte count can hold.
bool representable(const GpuDevice& device, const GpuKernel& kernel);

/// Lengthens the work of the SMs until the energy fits the power limit, and says so in `unit_bound`.
KernelCost finish(const GpuDevice& device, GpuKernel kernel);

// ---- helpers of the families

/// ceil(total / blocks), so that the blocks together move at least `total`.
Bytes share_of(double total, std::int64_t blocks);
std::int64_t divide_rounding_up(double value, double unit);
/// Most that each of a kernel's blocks draws through the SM's port when `blocks` of them spread over the SMs.
Bandwidth port_share(const GpuDevice& device, std::int64_t blocks, int blocks_per_sm);
/// Loads in flight over the latency of device memory.
Bandwidth latency_bound(const GpuDevice& device, double bytes_in_flight);

}  // namespace tantalus

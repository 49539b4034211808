// How many blocks of a kernel one SM holds at a time, and which limit says so: NVIDIA's rules for compute capability 2.0 to
// 12.0 with the granularities of SmSpec, exact (tests compare it with the CUDA toolkit's own calculator). Pure. It knows
// nothing of time; that more resident blocks help only while latency is exposed is the kernels' business.
//
// Source: cuda_occupancy.h of CUDA 13, "Limits by compute capability" of docs/modelling.md. Not modelled: partitioned global
// caching (off by default on every part) and thread block clusters.
#pragma once

#include <cstdint>

#include "sim/hardware/gpu_spec.hpp"
#include "sim/results/results.hpp"
#include "sim/workload/kernel_launch.hpp"

namespace tantalus {

/// Most threads of one block, on every NVIDIA part since compute capability 2.0 and every AMD part since GCN.
inline constexpr std::int64_t max_threads_per_block = 1024;

struct Occupancy {
  int blocks_per_sm = 0;  // resident at most; 0: the kernel cannot run on this device
  OccupancyLimit limited_by = OccupancyLimit::blocks;

  bool operator==(const Occupancy&) const = default;
};

/// `limited_by` names the tightest limit, in the order registers, shared, threads, blocks when several are equal; `grid` when
/// the launch has too few blocks to fill every SM to that limit.
Occupancy occupancy(const SmSpec& sm, const KernelLaunch& launch);

}  // namespace tantalus

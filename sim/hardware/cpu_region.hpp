// One loop nest as a CPU library runs it, before it is cut into blocks: what it computes, what it moves, how many cores take
// part. cpu_gemm, cpu_conv and cpu_loops make regions; this file turns a region into a KernelCost. Pure.
//
// Compute and memory meet in one of two ways. Where the library overlaps them (loops), a block is one phase and `exposed` is
// the share of the shorter one that shows. Where it does not (`exposed` = 1: packing, streamed convolution weights), a block
// first moves and then computes, in two phases.
#pragma once

#include <cstdint>
#include <string>

#include "sim/hardware/cpu_library.hpp"
#include "sim/hardware/cpu_memory.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/kernel_cost.hpp"

namespace tantalus {

struct CpuRegion {
  std::string name;
  Algorithm algorithm = Algorithm::direct;
  std::int64_t cores = 1;
  double pieces = 1;  // equal parts of the static partition
  double cycles = 0;  // of all cores together
  double exposed = 0;
  double rate_share = 1;  // share of the memory rates that the access pattern reaches
  double fixed = 0;       // seconds: calls, fork and join
  double flops = 0;       // executed, padding excluded
  double workspace = 0;   // bytes
  CpuTraffic traffic;
};

/// What kernels are priced against.
struct CpuMachine {
  const CpuSpec& spec;
  const CpuLibrary& library;
};

/// fp32 lanes of the library's vectors on this machine.
std::int64_t used_lanes(const CpuMachine& machine);

/// Multiply-add FLOPs that one core executes a clock in this number format.
double flops_per_cycle(const CpuMachine& machine, DType type);

/// Seconds of one fork and join.
double sync_seconds(const CpuMachine& machine, std::int64_t cores);

/// How much longer `cores` cores take, together, than one. Cutting one sample between n of them costs 1 + serial_share x
/// (n - 1); with a sample for every core nothing is lost (docs/modelling.md, "Threads").
double threading_loss(const CpuMachine& machine, std::int64_t cores, double samples);

/// All cores, or as many as there are pieces of work; at least one.
std::int64_t cores_for(const CpuMachine& machine, double pieces);

/// Beyond what 64-bit picoseconds, bytes or FLOPs can hold, with room for the sums of a step.
bool too_large(const CpuRegion& region, const CpuSpec& spec);

/// `region` must not be too large.
KernelCost cut(const CpuRegion& region, const CpuSpec& spec);

}  // namespace tantalus

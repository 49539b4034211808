// The memory of a processor from its registers outwards, worked out of its file: per unit, in number, rate and latency.
//   registers, GPU   4 B each; reads: lanes x 3 operands x 4 B a clock of each SM
//   registers, CPU   those for renaming where the file has them, else those that its threads can name; reads: ports x 3 operands
//                    (2 where multiply and add are apart) x width
//   caches           capacity and rate of the file; a CPU's rates are of one core, times the cores
//   DRAM             its peak
// Rates are at the clock with all units busy, latencies at that of one (GPU: boost).
#pragma once

#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/results/memory_levels.hpp"

namespace tantalus {

/// Both take a spec that is derived and checked.
MemoryHierarchy memory_of(const GpuSpec& spec);
MemoryHierarchy memory_of(const CpuSpec& spec);

}  // namespace tantalus

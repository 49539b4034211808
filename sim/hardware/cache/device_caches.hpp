// The caches of a device as the exact simulator takes them. Device files say capacities and sharers; what they do not say is
// assumed here and printed with the answer: ways, LRU, and levels that keep what comes by. A `tantalus: cache/1` file says all.
#pragma once

#include "sim/hardware/cache/cache_shape.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/gpu_spec.hpp"

namespace tantalus {

/// Every core with its levels; lines of 64 B, write-back. Ways of the first level: 4 KiB each, because the set is then known before
/// the page is; of the others as many as make the number of sets a power of two, nearest to 16 and at most 20; else 16, or the next
/// smaller number that divides the lines.
HierarchyShape caches_of(const CpuSpec& spec);

/// Every SM with its first level and the L2. Lines of 128 B in sectors of 32 B; stores go through the first level and leave no line
/// there. The first level is the array less `shared`, which blocks take, and less what the system takes, where one array serves
/// both; otherwise its own capacity (where the file says none, that of the shared memory). An L2 of several partitions is two
/// levels: what an SM reads is kept in the partition near it, which has its share of the capacity, and at home in the whole L2.
/// NVIDIA's levels replace one of the oldest quarter (`aged`), as pointer chases show; others are LRU.
HierarchyShape caches_of(const GpuSpec& spec, Bytes shared = Bytes{0});

}  // namespace tantalus

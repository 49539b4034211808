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

/// Every SM with its first level at its largest (where the file does not say, the shared memory), and the L2. Lines of 128 B in
/// sectors of 32 B; stores go through the first level and leave no line there. An L2 of several partitions is two levels: what an
/// SM reads is kept in the partition near it, which has its share of the capacity, and at home in the whole L2.
HierarchyShape caches_of(const GpuSpec& spec);

}  // namespace tantalus

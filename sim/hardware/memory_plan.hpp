// Whether a step fits the device's memory: what the lowering keeps, the largest workspace that any chosen kernel asked for,
// and the driver's context, against the capacity. An answer, not an error. Pure.
#pragma once

#include <span>
#include <string>

#include "sim/results/results.hpp"
#include "sim/workload/task_graph.hpp"

namespace tantalus {

struct DeviceMemory {
  Bytes capacity, context;
};

/// Peak = parameters + gradients + optimizer + activations + workspace + context; it fits when peak <= capacity.
MemoryResult plan_memory(const TaskGraph& tasks, Bytes workspace, const DeviceMemory& device);

}  // namespace tantalus

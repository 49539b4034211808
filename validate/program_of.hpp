// From the simulator's lowered step to a program that a CPU runs: the same operations in the same order on the same tensors, so
// that measured and predicted lines stand for the same work. What the harness has no kernel for is a Diagnostic.
#pragma once

#include "kernels/program.hpp"
#include "models/dnn/layers.hpp"
#include "sim/base/result.hpp"
#include "sim/workload/task_graph.hpp"

namespace tantalus::validation {

/// One step for each task, in order. Code: not-measurable.
Result<kernels::Program> program_of(const Network& network, const TaskGraph& tasks, bool training);

}  // namespace tantalus::validation

// Rebuilds a run's times from its trace alone and says where they, or the results, do not follow: each task starts at the
// later of its predecessors' end and the release of what it needs; each launch waits for the host, the way and the front end;
// totals are sums and spans of what the trace shows. It shares no code with the simulator.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/trace.hpp"
#include "sim/results/results.hpp"
#include "sim/workload/task_graph.hpp"

namespace tantalus::test {

/// How the device under test takes launches.
struct LaunchRules {
  bool front_end = true;    // false: a CPU, whose tasks start when they are ready
  bool host_waits = false;  // the host issues the next task when the last is done
  Duration queued, latency, host;
  std::int64_t queue_depth = 1024;
};

/// One line for each thing that does not follow; empty when all does.
std::vector<std::string> check_trace(const TaskGraph& tasks, const Trace& trace,
                                     const Results& results, const LaunchRules& rules);

}  // namespace tantalus::test

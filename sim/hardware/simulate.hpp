// The two last arrows of the spine: a plan becomes a machine of joined components, and a machine and a task graph become
// results. Everything in the results was observed in events. A machine is built for one run; to time thousands of single
// operations on one machine use OperationTimer.
//
//   Machine machine = build(plan);
//   Result<Results> results = simulate(machine, tasks, {.device = "gpu0", .stack = stack});
#pragma once

#include <memory>
#include <string>

#include "sim/base/result.hpp"
#include "sim/engine/machine.hpp"
#include "sim/engine/trace.hpp"
#include "sim/hardware/stack_spec.hpp"
#include "sim/hardware/system_plan.hpp"
#include "sim/results/results.hpp"
#include "sim/workload/task_graph.hpp"

namespace tantalus {

struct RunOptions {
  std::string device;      // part to run on; empty: the first GPU by name, else the first CPU
  StackSpec stack;         // host time per operator, math mode
  Trace* trace = nullptr;  // where to keep the records; without it only the fingerprint is computed
  bool ideal_host = false;  // all is queued from the start: the device's own pace
};

/// Components for every part, their ports joined, the dispatcher on the host. `plan` must outlive the machine.
Machine build(const SystemPlan& plan);

/// Runs the graph on one device of the machine. Errors: unknown-device, an operation that the device cannot run (all of
/// them, once each), a copy without a host. Does not fit in memory is an answer (Results::memory), not an error.
Result<Results> simulate(Machine& machine, const TaskGraph& tasks, const RunOptions& options = {});

/// Adds to each task what its operation takes by itself, repeated (TaskResult::isolated): a machine of its own runs them.
void add_isolated(Results& results, const SystemPlan& plan, const TaskGraph& tasks,
                  const RunOptions& options);

/// Times single operations on one built machine, thousands a second: each call runs the operation twice, back to back, as
/// a loop of a benchmark does, and looks at the second. Caches hold what the first left; an earlier call leaves nothing.
class OperationTimer {
 public:
  explicit OperationTimer(const SystemPlan& plan, const RunOptions& options = {});
  ~OperationTimer();
  OperationTimer(OperationTimer&&) noexcept;
  OperationTimer& operator=(OperationTimer&&) noexcept;

  struct Timing {
    Duration
        interval;  // from the end of the first to the end of the second: what queued launches cost each
    Duration
        framework;  // the launch's way to the device and the execution: what a layer's timer sees
    Duration single_call;  // the same with the stack's host time before it: one synchronised call
    Duration roofline;     // from the listed peaks alone: a yardstick
    double host_doubt = 0.0;  // of what the times hold beyond the execution; see Results
    TaskResult task;          // the second, as it ran
  };
  Result<Timing> time(const Operation& operation);
  /// The same as one layer of a network whose layers are asked for in order: it reads what the call before wrote, finds its
  /// weights as cold as a whole pass leaves them, and shares the cores with threads that the call before left waiting. Before
  /// the first, a parallel region has just ended.
  Result<Timing> time_in_turn(const Operation& operation);

 private:
  struct State;
  Result<Timing> run_after(Operation before, const Operation& operation);

  std::unique_ptr<State> state_;
};

}  // namespace tantalus

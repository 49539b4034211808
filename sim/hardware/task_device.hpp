// The base of every component that runs tasks (gpu.hpp, cpu.hpp): it takes launches, waits for predecessors, asks the device's
// model for kernels in the order of execution (caches hold what ran before), runs them one after the other on its units and
// keeps what the events saw. When a task that is ready may begin is what a derived class decides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/engine/component.hpp"
#include "sim/hardware/block_engine.hpp"
#include "sim/hardware/device_kind.hpp"
#include "sim/hardware/device_model.hpp"
#include "sim/hardware/fabric.hpp"
#include "sim/hardware/launch_messages.hpp"
#include "sim/hardware/reuse.hpp"
#include "sim/hardware/stack_spec.hpp"
#include "sim/workload/task_graph.hpp"

namespace tantalus {

/// One run of one task graph, as the dispatcher and the device see it.
struct RunPlan {
  const TaskGraph* tasks = nullptr;
  std::vector<std::vector<TaskId>> predecessors;  // by task
  StackSpec stack;
  Duration host_step;  // host time of one launch call; zero with an ideal host
  TimePoint begin;

  bool graph() const { return stack.launch == LaunchMode::graph; }
  /// Host time to issue the task: a captured graph is one call.
  Duration host_of(TaskId id) const { return graph() && id.value > 0 ? Duration{0} : host_step; }
};

/// One task as the device saw it.
struct TaskRun {
  TimePoint queued;    // it reached the device
  TimePoint released;  // its last predecessor ended; the run's begin without one
  TimePoint start, end;
  Duration between;  // waiting between its own kernels
  std::vector<KernelCost> costs;
  std::vector<KernelRun> kernels;
  std::uint32_t waiting_for = 0;  // predecessors that have not ended
  FlowClassId copy_class;         // of a copy under way
  bool arrived = false, ended = false;
  std::vector<TaskId> successors;  // arrived while this one had not ended
};

/// Where copies between the host's memory and the device's go, one list a direction.
struct CopyRoutes {
  std::vector<Crossing> to_device, from_device;
};

class TaskDevice : public Component {
 public:
  TaskDevice(const DeviceSite& site, const DeviceModel& model);

  void list_ports(PortList& ports) override;
  void report(Results& results) const override;

  const DeviceModel& model() const { return model_; }
  CapacityId dram() const { return levels_[static_cast<std::size_t>(SharedLevel::dram)]; }

  /// Before the start: the way of copies (empty: there is none).
  void set_copy_routes(CopyRoutes routes) { routes_ = std::move(routes); }

  virtual Duration own_launch_latency() const = 0;
  virtual std::int64_t queue_depth() const = 0;
  /// True when the host's own threads run the tasks, so that the host cannot issue the next one meanwhile.
  virtual bool occupies_host() const = 0;

  /// Threads of earlier work that wait actively beside each task, for so long; none: as the run itself leaves them.
  virtual void assume_waiting(std::optional<Duration>) {}
  virtual Duration still_waiting() const { return Duration{0}; }

  /// A new run: caches are cold, nothing is queued. `plan` must outlive the run.
  virtual void begin_run(const RunPlan& plan);
  /// After begin_run: caches are as a step before this one leaves them, which used the same tensors in the same order.
  void rehearse();
  const TaskRun& run_of(TaskId id) const { return runs_[id.value]; }
  /// Why operations could not run; they ended at once.
  const Diagnostics& refusals() const { return refusals_; }
  /// One task as a report shows it.
  TaskResult result_of(TaskId id) const;

 protected:
  /// The task has come in; `ready` when nothing holds it back any more.
  virtual void task_arrived(TaskId id) = 0;
  virtual void task_ready(TaskId id) = 0;
  /// The next kernel of a task with more kernels may start whenever the device likes.
  virtual void kernel_ended(TaskId id, bool more) = 0;

  const RunPlan& plan() const { return *plan_; }
  const Task& task(TaskId id) const { return plan_->tasks->tasks()[id.value]; }
  TaskRun& run(TaskId id) { return runs_[id.value]; }
  bool is_copy(TaskId id) const { return std::holds_alternative<CopyWork>(task(id).work); }
  bool is_ready(TaskId id) const {
    return runs_[id.value].arrived && runs_[id.value].waiting_for == 0;
  }

  /// The task begins now: its kernels are chosen. How many there are.
  std::size_t begin_task(TaskId id);
  void start_kernel(TaskId id, std::size_t kernel);
  /// Bytes over the route of the copy's direction, then end_task.
  void start_copy(TaskId id);
  void end_task(TaskId id);
  /// Room in the launch queue.
  void take_from_queue(TaskId id) { taken_.send({id}); }
  virtual void copy_ended(TaskId) {}

 private:
  void arrive(const TaskLaunch& launch);
  void kernel_done(std::uint32_t slot);
  void copy_done(std::uint32_t slot);
  std::uint32_t take_slot(TaskId id);
  void count_busy();
  void refuse(const Diagnostic& why);
  bool time_left_for(const std::vector<KernelCost>& kernels);
  std::vector<Bytes> foreign_bytes(const Operation& operation);
  Duration launch_wait(const TaskRun& run) const;
  Bound bound_of(const TaskResult& result, const TaskRun& run) const;
  void add_layer(TaskResult& result) const;
  void add_kernels(TaskResult& result, const TaskRun& run) const;
  KernelResult kernel_result(const KernelCost& cost, const KernelRun& run) const;

  const DeviceModel& model_;
  SharedCapacity& flows_;
  std::array<CapacityId, shared_levels> levels_;
  BlockEngine blocks_;
  InPort<TaskLaunch> launches_{on<&TaskDevice::arrive>, this};
  OutPort<LaunchTaken> taken_;
  OutPort<TaskDone> done_;
  CopyRoutes routes_;
  const RunPlan* plan_ = nullptr;
  std::vector<TaskRun> runs_;
  ReuseTracker reuse_;
  Diagnostics refusals_;
  double work_seconds_ = 0.0;  // of all kernels so far, each alone
  std::vector<TaskId> slots_;  // tasks whose kernel or copy runs, by the argument of its event
  std::vector<std::uint32_t> free_slots_;
  std::int64_t kernels_running_ = 0;
  TimePoint busy_since_;
  Duration busy_;
};

/// The capacities of a device's shared levels in the fabric, nearest first; a level that the device lacks gets one that
/// nothing crosses.
std::array<CapacityId, shared_levels> add_levels(Fabric& fabric, const std::string& device,
                                                 const DeviceModel& model);

}  // namespace tantalus

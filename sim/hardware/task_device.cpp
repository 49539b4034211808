#include "sim/hardware/task_device.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/hardware/stack_kernels.hpp"

namespace tantalus {

namespace {

BlockEngineSpec blocks_spec(const DeviceModel& model,
                            const std::array<CapacityId, shared_levels>& levels) {
  return {model.rates().units, levels, model.level_bounds()};
}

template <class T>
Duration later_by(T later, T earlier) {
  return later > earlier ? later - earlier : Duration{0};
}

Diagnostic refusal(const std::string& device, std::string code, std::string message,
                   std::string hint) {
  Diagnostic why;
  why.code = std::move(code);
  why.path = device;
  why.message = std::move(message);
  why.hint = std::move(hint);
  return why;
}

}  // namespace

std::array<CapacityId, shared_levels> add_levels(Fabric& fabric, const std::string& device,
                                                 const DeviceModel& model) {
  std::array<CapacityId, shared_levels> levels;
  for (std::size_t i = 0; i < shared_levels; ++i) {
    levels[i] = fabric.add(device, std::string(name_of(model.level_bounds()[i])),
                           model.rates().bandwidth[i]);
  }
  return levels;
}

TaskDevice::TaskDevice(const DeviceSite& site, const DeviceModel& model)
    : Component(site.engine, site.id, site.name),
      model_(model),
      flows_(site.fabric.flows()),
      levels_(add_levels(site.fabric, site.name, model)),
      blocks_(site.engine, site.id, flows_, blocks_spec(model, levels_)) {}

void TaskDevice::list_ports(PortList& ports) {
  ports.add("launches", launches_,
            PortList::Need::optional);  // a part that nobody launches to stays idle
  ports.add("taken", taken_, PortList::Need::optional);
  ports.add("done", done_, PortList::Need::optional);
}

void TaskDevice::begin_run(const RunPlan& plan) {
  plan_ = &plan;
  runs_.assign(plan.tasks->tasks().size(), {});
  reuse_ = {};
  refusals_.clear();
  work_seconds_ = 0.0;
  busy_ = Duration{0};
}

void TaskDevice::rehearse() {
  for (const Task& task : plan_->tasks->tasks()) {
    if (const auto* operation = std::get_if<Operation>(&task.work)) {
      reuse_.use(operation->operands);
    } else if (const auto& copy = std::get<CopyWork>(task.work);
               copy.direction == CopyWork::Direction::host_to_device) {
      reuse_.pass_by(copy.size);
    }
  }
}

// ---- Order ---------------------------------------------------------------------------------------------------------

void TaskDevice::arrive(const TaskLaunch& launch) {
  const TaskId id = launch.task->id;
  TaskRun& now = run(id);
  now.arrived = true;
  now.queued = engine().now();
  now.released = plan_->begin;
  engine().record(TraceKind::task_queued, this->id(), id.value,
                  static_cast<std::uint32_t>(launch.task->stream));
  for (const TaskId before : plan_->predecessors[id.value]) {
    TaskRun& earlier = run(before);
    if (earlier.ended) {
      now.released = std::max(now.released, earlier.end);
    } else {
      earlier.successors.push_back(id);
      ++now.waiting_for;
    }
  }
  const bool ready = now.waiting_for == 0;
  task_arrived(id);
  if (ready) task_ready(id);
}

void TaskDevice::end_task(TaskId id) {
  TaskRun& now = run(id);
  now.end = engine().now();
  now.ended = true;
  engine().record(TraceKind::task_finished, this->id(), id.value,
                  static_cast<std::uint32_t>(task(id).stream));
  done_.send({id});
  for (const TaskId next : now.successors) {
    TaskRun& later = run(next);
    later.released = std::max(later.released, now.end);
    if (--later.waiting_for == 0) task_ready(next);
  }
}

// ---- Work ----------------------------------------------------------------------------------------------------------

void TaskDevice::refuse(const Diagnostic& why) {
  const bool known = std::find(refusals_.begin(), refusals_.end(), why) != refusals_.end();
  if (!known) refusals_.push_back(why);
}

/// Simulated time ends after 106 days; a run that comes near is refused while it can still be said.
bool TaskDevice::time_left_for(const std::vector<KernelCost>& kernels) {
  constexpr double most_days = 30.0, seconds_a_day = 86'400.0;
  const DeviceRates rates = model_.rates();
  for (const KernelCost& kernel : kernels) work_seconds_ += seconds(alone_time(kernel, rates));
  if (work_seconds_ < most_days * seconds_a_day) return true;
  refuse(refusal(name(), "too-long", "the run would take more than 30 days on this device",
                 "check the units of clocks and bandwidths, or ask for a smaller batch"));
  return false;
}

/// What neighbours moved through the shared cache since each operand was last used.
std::vector<Bytes> TaskDevice::foreign_bytes(const Operation& operation) {
  constexpr double most = 1e15;
  const auto rate = static_cast<double>(model_.neighbour_traffic().count());
  if (rate <= 0.0) return {};
  std::vector<Bytes> bytes;
  for (const Duration age : reuse_.ages(operation.operands, engine().now()))
    bytes.emplace_back(static_cast<std::int64_t>(std::min(most, rate * seconds(age))));
  return bytes;
}

std::size_t TaskDevice::begin_task(TaskId id) {
  TaskRun& now = run(id);
  now.start = engine().now();
  engine().record(TraceKind::task_started, this->id(), id.value,
                  static_cast<std::uint32_t>(task(id).stream));
  const auto* operation = std::get_if<Operation>(&task(id).work);
  if (operation == nullptr) return 0;
  const std::vector<Bytes> distances = reuse_.use(operation->operands);
  const std::vector<Bytes> foreign = foreign_bytes(*operation);
  Result<std::vector<KernelCost>> kernels =
      stack_kernels(plan_->stack, model_, *operation, {distances, foreign});
  if (!kernels) {
    for (const Diagnostic& why : kernels.diagnostics()) refuse(why);
    return 0;
  }
  if (!time_left_for(*kernels)) return 0;
  now.costs = std::move(kernels).value();
  now.kernels.reserve(now.costs.size());
  return now.costs.size();
}

std::uint32_t TaskDevice::take_slot(TaskId id) {
  if (free_slots_.empty()) {
    slots_.push_back(id);
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = id;
  return slot;
}

void TaskDevice::count_busy() {
  if (kernels_running_ > 0) busy_ += engine().now() - busy_since_;
  busy_since_ = engine().now();
}

void TaskDevice::start_kernel(TaskId id, std::size_t kernel) {
  TaskRun& now = run(id);
  if (kernel > 0) now.between += engine().now() - now.kernels.back().end;
  count_busy();
  ++kernels_running_;
  engine().record(TraceKind::resource_taken, this->id(), id.value, kernel_lane,
                  static_cast<std::int64_t>(kernel));
  blocks_.start(now.costs[kernel], id, {on<&TaskDevice::kernel_done>, this, take_slot(id)});
}

void TaskDevice::kernel_done(std::uint32_t slot) {
  const TaskId id = slots_[slot];
  free_slots_.push_back(slot);
  count_busy();
  --kernels_running_;
  TaskRun& now = run(id);
  engine().record(TraceKind::resource_freed, this->id(), id.value, kernel_lane,
                  static_cast<std::int64_t>(now.kernels.size()));
  now.kernels.push_back(blocks_.last_run());
  kernel_ended(id, now.kernels.size() < now.costs.size());
}

void TaskDevice::start_copy(TaskId id) {
  const auto& copy = std::get<CopyWork>(task(id).work);
  const bool inward = copy.direction == CopyWork::Direction::host_to_device;
  const std::vector<Crossing>& route = inward ? routes_.to_device : routes_.from_device;
  if (inward) reuse_.pass_by(copy.size);
  if (route.empty()) {
    const std::string word = inward ? "copy from the host" : "copy to the host";
    refuse(
        refusal(name(), "no-host",
                "the network asks for a " + word + ", but nothing joins '" + name() + "' to a host",
                "run it on a system with a CPU and a link to this device"));
    copy_ended(id);
    end_task(id);
    return;
  }
  run(id).copy_class = flows_.join_class(route, 1, Rate::unlimited());
  flows_.start(run(id).copy_class, copy.size, {on<&TaskDevice::copy_done>, this, take_slot(id)});
}

void TaskDevice::copy_done(std::uint32_t slot) {
  const TaskId id = slots_[slot];
  free_slots_.push_back(slot);
  flows_.close_class(run(id).copy_class);
  copy_ended(id);
  end_task(id);
}

// ---- Report --------------------------------------------------------------------------------------------------------

KernelResult TaskDevice::kernel_result(const KernelCost& cost, const KernelRun& run) const {
  const DeviceRates rates = model_.rates();
  KernelResult result;
  result.name = cost.launch.name;
  result.algorithm = std::string(name_of(cost.algorithm));
  result.grid = cost.launch.grid;
  result.block = cost.launch.block;
  result.registers_per_thread = cost.launch.registers_per_thread;
  result.shared_bytes = cost.launch.shared_bytes;
  result.blocks_per_sm = cost.blocks_per_unit;
  result.occupancy_limit = cost.occupancy_limit;
  std::int64_t blocks = 0;
  for (const BlockGroup& group : cost.groups) blocks += group.blocks;
  result.waves = static_cast<double>(blocks) /
                 (static_cast<double>(rates.units) * static_cast<double>(cost.blocks_per_unit));
  result.start = TimePoint{run.start - plan_->begin};
  result.end = TimePoint{run.end - plan_->begin};
  result.compute = Duration{divide_up(total_unit_time(cost).count(), rates.units)};
  result.cache_bytes = total_bytes(cost, SharedLevel::cache);
  result.dram_bytes = total_bytes(cost, SharedLevel::dram);
  if (result.cache_bytes > Bytes{0}) result.cache = result.cache_bytes / rates.bandwidth[0];
  if (result.dram_bytes > Bytes{0}) result.dram = result.dram_bytes / rates.bandwidth[1];
  result.executed_flops = cost.executed_flops;
  result.bound = run.bound;
  return result;
}

void TaskDevice::add_kernels(TaskResult& result, const TaskRun& run) const {
  Duration longest{-1};
  std::int64_t most_flops = -1;
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    result.kernels.push_back(kernel_result(run.costs[i], run.kernels[i]));
    result.workspace = std::max(result.workspace, run.costs[i].workspace);
    // What it was done by is the kernel that computes; what it waited for, the one that took longest.
    if (run.costs[i].executed_flops > most_flops) {
      most_flops = run.costs[i].executed_flops;
      result.algorithm = result.kernels.back().algorithm;
    }
    const Duration took = run.kernels[i].end - run.kernels[i].start;
    if (took <= longest) continue;
    longest = took;
    result.bound = run.kernels[i].bound;
  }
  if (!run.kernels.empty()) result.sync = run.kernels.back().sync;
}

/// From readiness to start, and between the kernels. Waiting for the launch to arrive is the host's doing when the host takes
/// time, because the way from host to device is a pipeline; without host time it is the way itself.
Duration TaskDevice::launch_wait(const TaskRun& run) const {
  const bool host_works = plan_->host_step > Duration{0};
  const TimePoint ready = host_works ? std::max(run.released, run.queued) : run.released;
  return later_by(run.start, ready) + run.between;
}

/// Host and launch path bind a task when the device had to wait for them and they took at least as long as its kernels did:
/// then a faster device would not have helped.
Bound TaskDevice::bound_of(const TaskResult& result, const TaskRun& run) const {
  Duration kernels;
  for (const KernelRun& kernel : run.kernels) kernels += kernel.end - kernel.start;
  const Duration least = std::max(kernels, result.launch);
  if (result.host > Duration{0} && run.queued > run.released && result.host >= least)
    return Bound::host;
  if (result.launch > Duration{0} && result.launch >= kernels) return Bound::launch;
  return result.bound;
}

void TaskDevice::add_layer(TaskResult& result) const {
  const std::span<const LayerInfo> layers = plan_->tasks->layers();
  if (result.layer.value >= layers.size()) return;  // a single operation belongs to no network
  const LayerInfo& layer = layers[result.layer.value];
  result.kind = layer.kind;
  result.input_bytes = layer.input_bytes;
  result.output_bytes = layer.output_bytes;
  result.parameter_bytes = layer.parameter_bytes;
}

TaskResult TaskDevice::result_of(TaskId id) const {
  const TaskRun& run = runs_[id.value];
  TaskResult result;
  result.task = id;
  result.name = task(id).name;
  result.device = name();
  result.queued = TimePoint{run.queued - plan_->begin};
  result.start = TimePoint{run.start - plan_->begin};
  result.end = TimePoint{run.end - plan_->begin};
  result.host = plan_->host_of(id);
  result.launch = launch_wait(run);
  if (const auto* operation = std::get_if<Operation>(&task(id).work)) {
    result.layer = operation->layer;
    add_layer(result);
    result.pass = std::string(name_of(operation->pass));
    result.macs = operation->macs;
    result.other_ops = operation->other_ops;
    result.roofline = roofline_time(*operation, model_.listed_peaks(operation->type));
    add_kernels(result, run);
    result.doubt = model_.doubt(*operation, result.bound);
    result.bound = bound_of(result, run);
  } else {
    result.is_copy = true;
    result.kind = result.pass = "copy";
    result.bound = Bound::dram;
    result.input_bytes = std::get<CopyWork>(task(id).work).size;
  }
  return result;
}

void TaskDevice::report(Results& results) const {
  if (plan_ == nullptr) return;  // nobody ran anything here
  results.device_busy = busy_;
  results.resources.push_back({name(), occupies_host() ? "cores" : "sm", blocks_.busy(), Bytes{0}});
}

}  // namespace tantalus

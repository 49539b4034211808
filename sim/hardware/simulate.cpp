#include "sim/hardware/simulate.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/hardware/dispatcher.hpp"
#include "sim/hardware/fabric.hpp"
#include "sim/hardware/memory_plan.hpp"
#include "sim/hardware/storage/storage_device.hpp"
#include "sim/hardware/task_device.hpp"

namespace tantalus {

namespace {

// Names that no part can have: ids of parts have no brackets.
constexpr std::string_view fabric_name = "(fabric)";
constexpr std::string_view dispatcher_name = "(dispatcher)";

// ---- Build -----------------------------------------------------------------------------------------------------------

std::vector<Component*> add_parts(Machine& machine, const SystemPlan& plan, Fabric& fabric) {
  std::vector<Component*> components;
  for (const PartPlan& part : plan.parts) {
    components.push_back(
        &machine.add(part.name, [&](Engine& engine, DeviceId id, std::string name) {
          return part.device->make({engine, id, std::move(name), fabric});
        }));
  }
  return components;
}

/// Both directions of one link.
struct LinkLanes {
  CapacityId from_a, from_b;
};

/// Host memory, every link in the direction of travel, device memory.
CopyRoutes routes_of(const SystemPlan& plan, std::size_t part, const TaskDevice& device,
                     const TaskDevice* host, const std::vector<LinkLanes>& lanes) {
  CopyRoutes routes;
  const auto both = [&](CapacityId in, CapacityId out) {
    routes.to_device.push_back({in.value});
    routes.from_device.push_back({out.value});
  };
  if (host == &device || device.occupies_host()) {  // read and written in the same memory
    const Crossing twice{device.dram().value, 2 * Crossing::one};
    return {{twice}, {twice}};
  }
  if (host == nullptr || plan.routes[part].empty()) return routes;
  both(host->dram(), host->dram());
  std::size_t at = *plan.host;
  for (const std::size_t link : plan.routes[part]) {
    const bool forward = plan.links[link].a == at;
    both(forward ? lanes[link].from_a : lanes[link].from_b,
         forward ? lanes[link].from_b : lanes[link].from_a);
    at = forward ? plan.links[link].b : plan.links[link].a;
  }
  both(device.dram(), device.dram());
  return routes;
}

std::vector<LinkLanes> add_links(const SystemPlan& plan, Fabric& fabric) {
  std::vector<bool> used(plan.links.size(), false);
  for (const auto& route : plan.routes) {
    for (const std::size_t link : route) used[link] = true;
  }
  std::vector<LinkLanes> lanes(plan.links.size());
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    if (!used[i]) continue;  // links between accelerators carry nothing yet
    const PlannedLink& link = plan.links[i];
    lanes[i].from_a = fabric.add(link.name, "to " + plan.parts[link.b].name, link.bandwidth);
    lanes[i].from_b = fabric.add(link.name, "to " + plan.parts[link.a].name, link.bandwidth);
  }
  return lanes;
}

/// A drive is no faster than the slowest link on its way to the host.
void limit_drives(const SystemPlan& plan, const std::vector<Component*>& components) {
  for (std::size_t part = 0; part < components.size(); ++part) {
    auto* drive = dynamic_cast<StorageDevice*>(components[part]);
    if (drive == nullptr) continue;
    for (const std::size_t link : plan.routes[part]) drive->limit_link(plan.links[link].bandwidth);
  }
}

void join_device(Machine& machine, const TaskDevice& device, Duration latency) {
  const std::string dispatcher(dispatcher_name);
  const std::string& name = device.name();
  const auto join = [&](PortName from, PortName to, Duration delay) {
    JoinRequest request;
    request.from = std::move(from);
    request.to = std::move(to);
    request.latency = delay;
    const Diagnostics problems = machine.join(request);
    TANTALUS_CHECK(problems.empty(), problems.empty() ? "" : problems.front().message);
  };
  join({dispatcher, "launches " + name}, {name, "launches"}, latency);
  join({name, "taken"}, {dispatcher, "taken " + name}, Duration{0});
  join({name, "done"}, {dispatcher, "done " + name}, Duration{0});
}

// ---- Results ---------------------------------------------------------------------------------------------------------

std::string libraries_of(const TaskGraph& tasks, const DeviceModel& model) {
  std::vector<std::string> names;
  for (const Task& task : tasks.tasks()) {
    const auto* operation = std::get_if<Operation>(&task.work);
    if (operation == nullptr) continue;
    std::string name = model.library_of(*operation);
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void add_layers(Results& results, const TaskGraph& tasks) {
  for (const LayerInfo& layer : tasks.layers()) {
    results.layers.push_back({layer.name, layer.kind, layer.parameters, layer.input_bytes,
                              layer.output_bytes, layer.parameter_bytes});
  }
}

Results collect(const Machine& machine, const TaskGraph& tasks, const Dispatcher& dispatcher) {
  Results results;
  machine.report(results);
  const DeviceModel& model = dispatcher.target().model();
  add_layers(results, tasks);
  Bytes workspace;
  for (const TaskResult& task : results.tasks) {
    results.step = std::max(results.step, task.end.since_start());
    workspace = std::max(workspace, task.workspace);
  }
  results.memory = plan_memory(tasks, workspace, {model.memory_capacity(), model.context_bytes()});
  results.device = dispatcher.target().name();
  results.library = libraries_of(tasks, model);
  results.generic_library = model.library_is_generic();
  results.stack = dispatcher.plan().stack.name;
  results.host_doubt = dispatcher.plan().stack.host_error.value();
  return results;
}

Dispatcher& dispatcher_of(Machine& machine) {
  auto* dispatcher = dynamic_cast<Dispatcher*>(machine.find(dispatcher_name));
  TANTALUS_CHECK(dispatcher != nullptr, "the machine was made by build()");
  return *dispatcher;
}

Result<std::size_t> find_device(const Dispatcher& dispatcher, const std::string& wanted) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dispatcher.devices().size(); ++i) {
    names.push_back(dispatcher.devices()[i]->name());
    if (wanted.empty() || wanted == names.back()) return i;
  }
  return unknown_run_device(wanted, names);
}

void run_to_end(Machine& machine, const Dispatcher& dispatcher) {
  machine.run();
  TANTALUS_CHECK(dispatcher.finished(), "every task of the graph has ended");
}

}  // namespace

Machine build(const SystemPlan& plan) {
  Machine machine;
  Fabric& fabric = machine.emplace<Fabric>(std::string(fabric_name));
  const std::vector<Component*> components = add_parts(machine, plan, fabric);
  const std::vector<LinkLanes> lanes = add_links(plan, fabric);
  limit_drives(plan, components);
  const auto device_at = [&](std::size_t part) {
    return dynamic_cast<TaskDevice*>(components[part]);
  };
  const TaskDevice* host = plan.host ? device_at(*plan.host) : nullptr;
  std::vector<TaskDevice*> devices;
  for (const std::size_t part : run_order(plan)) {
    TaskDevice* device = device_at(part);
    TANTALUS_CHECK(device != nullptr, "a device with a model runs tasks");
    device->set_copy_routes(routes_of(plan, part, *device, host, lanes));
    devices.push_back(device);
  }
  const std::string host_name = plan.host ? plan.parts[*plan.host].name : std::string();
  machine.emplace<Dispatcher>(std::string(dispatcher_name), devices, host_name);
  for (const TaskDevice* device : devices) {
    join_device(machine, *device, plan.host ? device->own_launch_latency() : Duration{0});
  }
  return machine;
}

Result<Results> simulate(Machine& machine, const TaskGraph& tasks, const RunOptions& options) {
  Dispatcher& dispatcher = dispatcher_of(machine);
  const Result<std::size_t> device = find_device(dispatcher, options.device);
  if (!device) return device.diagnostics();
  Trace fingerprint_only(Trace::Keep::fingerprint_only);
  Trace* trace = options.trace != nullptr ? options.trace : &fingerprint_only;
  machine.engine().set_trace(trace);
  dispatcher.load(
      tasks, *device, options.stack,
      options.ideal_host ? Dispatcher::HostThread::ideal : Dispatcher::HostThread::as_built);
  dispatcher.target().rehearse();
  const Diagnostics problems = machine.start();
  if (has_errors(problems)) return problems;
  run_to_end(machine, dispatcher);
  machine.engine().set_trace(nullptr);
  if (!dispatcher.target().refusals().empty()) return dispatcher.target().refusals();
  Results results = collect(machine, tasks, dispatcher);
  results.fingerprint = trace->fingerprint();
  return results;
}

// ---- OperationTimer --------------------------------------------------------------------------------------------------

struct OperationTimer::State {
  Machine machine;
  Dispatcher* dispatcher = nullptr;
  std::size_t device = 0;
  StackSpec stack;
  std::optional<Operation> before;  // of the layers in turn
  Duration waiting;  // threads left spinning by the call before; at first, as long as they ever do
};

OperationTimer::OperationTimer(const SystemPlan& plan, const RunOptions& options)
    : state_(std::make_unique<State>(
          State{build(plan), nullptr, 0, options.stack, {}, Duration{INT64_MAX / 4}})) {
  state_->dispatcher = &dispatcher_of(state_->machine);
  const Result<std::size_t> device = find_device(*state_->dispatcher, options.device);
  TANTALUS_CHECK(device.ok(), "choose_device() has accepted the device");
  state_->device = *device;
  TANTALUS_CHECK(state_->machine.start().empty(), "a built machine has all its ports joined");
}
OperationTimer::~OperationTimer() = default;
OperationTimer::OperationTimer(OperationTimer&&) noexcept = default;
OperationTimer& OperationTimer::operator=(OperationTimer&&) noexcept = default;

namespace {

/// Its input is what the operation before it wrote; nobody has touched the rest.
Operation reading_from(const Operation& before, Operation operation) {
  std::uint32_t free = 0;
  for (const TensorUse& use : before.operands) free = std::max(free, use.tensor.value + 1);
  for (TensorUse& use : operation.operands) use.tensor.value += free;
  if (!operation.operands.empty() && !before.operands.empty())
    operation.operands.front().tensor = before.operands.back().tensor;
  return operation;
}

}  // namespace

Result<OperationTimer::Timing> OperationTimer::time(const Operation& operation) {
  state_->dispatcher->devices()[state_->device]->assume_waiting(std::nullopt);
  return run_after(operation, operation);
}

Result<OperationTimer::Timing> OperationTimer::time_in_turn(const Operation& operation) {
  TaskDevice& device = *state_->dispatcher->devices()[state_->device];
  device.assume_waiting(state_->waiting);
  const Operation& before = state_->before ? *state_->before : operation;
  Result<Timing> timing = run_after(before, reading_from(before, operation));
  state_->waiting = device.still_waiting();
  state_->before = operation;
  return timing;
}

Result<OperationTimer::Timing> OperationTimer::run_after(Operation before,
                                                         const Operation& operation) {
  TaskGraph graph;
  graph.add(std::move(before));
  const TaskId second = graph.add(operation);
  Dispatcher& dispatcher = *state_->dispatcher;
  dispatcher.load(graph, state_->device, state_->stack, Dispatcher::HostThread::ideal);
  dispatcher.start();
  run_to_end(state_->machine, dispatcher);
  const TaskDevice& target = dispatcher.target();
  if (!target.refusals().empty()) return target.refusals();
  const TaskRun& run = target.run_of(second);
  const Duration framework = target.own_launch_latency() + (run.end - run.start);
  return Timing{
      run.end - target.run_of(TaskId{0}).end,
      framework,
      target.own_launch_latency() + single_call_time(state_->stack, operation, run.end - run.start),
      roofline_time(operation, target.model().listed_peaks(operation.type)),
      state_->stack.host_error.value(),
      target.result_of(second)};
}

void add_isolated(Results& results, const SystemPlan& plan, const TaskGraph& tasks,
                  const RunOptions& options) {
  OperationTimer timer(plan, options);
  for (TaskResult& task : results.tasks) {
    const auto* operation = std::get_if<Operation>(&tasks.tasks()[task.task.value].work);
    if (operation == nullptr) continue;
    const Result<OperationTimer::Timing> timing = timer.time(*operation);
    if (timing) task.isolated = timing->interval;
  }
  results.has_isolated = true;
}

}  // namespace tantalus

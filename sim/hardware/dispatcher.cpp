#include "sim/hardware/dispatcher.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"

namespace tantalus {

Dispatcher::Dispatcher(Engine& engine, DeviceId id, std::string name,
                       std::vector<TaskDevice*> devices, std::string host)
    : Component(engine, id, std::move(name)), devices_(std::move(devices)), host_(std::move(host)) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    channels_.push_back(std::make_unique<Channel>(this));
  }
}

void Dispatcher::list_ports(PortList& ports) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    ports.add("launches " + devices_[i]->name(), channels_[i]->launches);
    ports.add("taken " + devices_[i]->name(), channels_[i]->taken);
    ports.add("done " + devices_[i]->name(), channels_[i]->done);
  }
}

void Dispatcher::load(const TaskGraph& tasks, std::size_t device, const StackSpec& stack,
                      HostThread host) {
  TANTALUS_CHECK(device < devices_.size(), "a run has a device to run on");
  target_ = device;
  ideal_ = host_.empty() || host == HostThread::ideal;
  plan_.tasks = &tasks;
  plan_.predecessors = tasks.predecessors();
  plan_.stack = stack;
  plan_.host_step = ideal_ ? Duration{0} : stack.host_per_operator;
  plan_.begin = engine().now();
  issued_.assign(tasks.tasks().size(), {});
  next_ = done_ = 0;
  in_queue_ = 0;
  issuing_ = false;
  host_busy_ = Duration{0};
  target().begin_run(plan_);
}

void Dispatcher::start() {
  if (plan_.tasks != nullptr) issue_next();
}

/// A device that runs on the host's own threads keeps the host busy until it is done, unless the host is ideal.
bool Dispatcher::may_issue() const {
  if (issuing_ || next_ == issued_.size()) return false;
  if (in_queue_ >= target().queue_depth() && !plan_.graph()) return false;  // a graph is one launch
  return ideal_ || !target().occupies_host() || done_ == next_;
}

void Dispatcher::issue_next() {
  while (may_issue()) {
    issuing_ = true;
    issued_[next_] = engine().now();
    engine().record(TraceKind::resource_taken, id(), static_cast<std::uint32_t>(next_),
                    host_thread_lane, 1);
    const Duration host = plan_.host_of(plan_.tasks->tasks()[next_].id);
    if (host > Duration{0}) {
      engine().after(host, {on<&Dispatcher::send>, this});
      return;
    }
    send();
  }
}

void Dispatcher::send() {
  const Task& task = plan_.tasks->tasks()[next_];
  engine().record(TraceKind::resource_freed, id(), task.id.value, host_thread_lane, 1);
  const Duration host = plan_.host_of(task.id);
  host_busy_ += host;
  ++next_;
  ++in_queue_;
  issuing_ = false;
  channels_[target_]->launches.send({&task});
  if (host > Duration{0}) issue_next();  // otherwise issue_next() itself goes on
}

void Dispatcher::take_back(const LaunchTaken&) {
  --in_queue_;
  issue_next();
}

void Dispatcher::task_done(const TaskDone&) {
  ++done_;
  issue_next();
}

void Dispatcher::report(Results& results) const {
  if (plan_.tasks == nullptr) return;
  for (std::uint32_t i = 0; i < issued_.size(); ++i) {
    results.tasks.push_back(target().result_of(TaskId{i}));
    results.tasks.back().issued = TimePoint{issued_[i] - plan_.begin};
  }
  results.host_busy = host_busy_;
  results.host_per_operator = plan_.host_step;
  if (!ideal_) results.resources.push_back({host_, "host", host_busy_, Bytes{0}});
}

}  // namespace tantalus

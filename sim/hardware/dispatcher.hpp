// The host's side of a run: it walks the task graph in issue order, spends the stack's host time on every operator, sends the
// launch to the device, and stops while the device's launch queue is full. A lone part has an ideal host: no host time, and
// launches that are in the queue from the start. It decides nothing about kernels and waits for no result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/component.hpp"
#include "sim/hardware/launch_messages.hpp"
#include "sim/hardware/task_device.hpp"

namespace tantalus {

class Dispatcher final : public Component {
 public:
  /// `host` names the part whose thread this is; empty: there is none, and the host is ideal. Ports are named after the
  /// devices: "launches gpu0", "taken gpu0", "done gpu0".
  Dispatcher(Engine& engine, DeviceId id, std::string name, std::vector<TaskDevice*> devices,
             std::string host);

  void list_ports(PortList& ports) override;
  void start() override;
  void report(Results& results) const override;

  /// In the order of preference when nobody says where to run.
  const std::vector<TaskDevice*>& devices() const { return devices_; }

  enum class HostThread : std::uint8_t { as_built, ideal };
  /// What to run, where. Before the start, or when an earlier run is over; then `start()` is called again.
  void load(const TaskGraph& tasks, std::size_t device, const StackSpec& stack,
            HostThread host = HostThread::as_built);
  const RunPlan& plan() const { return plan_; }
  TaskDevice& target() const { return *devices_[target_]; }
  bool finished() const { return done_ == plan_.predecessors.size(); }

 private:
  struct Channel {
    Channel(Dispatcher* owner)  // NOLINT(google-explicit-constructor): made in place only
        : taken(on<&Dispatcher::take_back>, owner), done(on<&Dispatcher::task_done>, owner) {}
    OutPort<TaskLaunch> launches;
    InPort<LaunchTaken> taken;
    InPort<TaskDone> done;
  };

  void issue_next();
  void send();
  bool may_issue() const;
  void take_back(const LaunchTaken&);
  void task_done(const TaskDone&);

  std::vector<TaskDevice*> devices_;
  std::vector<std::unique_ptr<Channel>> channels_;  // ports do not move
  std::string host_;
  bool ideal_ = true;  // in this run
  std::size_t target_ = 0;
  RunPlan plan_;
  std::vector<TimePoint> issued_;  // by task
  std::size_t next_ = 0;           // to issue
  std::size_t done_ = 0;
  std::int64_t in_queue_ = 0;  // launches sent and not taken
  bool issuing_ = false;       // the host thread is busy
  Duration host_busy_;
};

}  // namespace tantalus

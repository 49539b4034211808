// A CPU in time: a task that is ready runs at once on the cores; there is no launch path beyond the cost of the call, which the
// kernel's `fixed` time holds. Tasks of different streams share cores and memory. After a parallel region the library's threads
// spin for a while and slow the serial loops that follow (cpu_spin.hpp). docs/modelling.md, "Blocks as events", "Threads".
#pragma once

#include "sim/hardware/cpu_spin.hpp"
#include "sim/hardware/task_device.hpp"

namespace tantalus {

class Cpu final : public TaskDevice {
 public:
  Cpu(const DeviceSite& site, const DeviceModel& model, SpinRule spin = {})
      : TaskDevice(site, model), spin_(spin) {}

  Duration own_launch_latency() const override { return Duration{0}; }
  std::int64_t queue_depth() const override { return INT64_MAX; }
  bool occupies_host() const override { return true; }
  void begin_run(const RunPlan& plan) override;
  void assume_waiting(std::optional<Duration> left) override { assumed_ = left; }
  Duration still_waiting() const override;

 protected:
  void task_arrived(TaskId) override {}
  void task_ready(TaskId id) override;
  void kernel_ended(TaskId id, bool more) override;

 private:
  void start_next(TaskId id, std::size_t kernel);

  SpinRule spin_;
  TimePoint spins_until_;
  std::optional<Duration> assumed_;
};

}  // namespace tantalus

// A CPU in time: a task that is ready runs at once on the cores; there is no launch path beyond the cost of the call, which the
// kernel's `fixed` time holds. Tasks of different streams share cores and memory. docs/modelling.md, "Blocks as events".
#pragma once

#include "sim/hardware/task_device.hpp"

namespace tantalus {

class Cpu final : public TaskDevice {
 public:
  Cpu(const DeviceSite& site, const DeviceModel& model) : TaskDevice(site, model) {}

  Duration own_launch_latency() const override { return Duration{0}; }
  std::int64_t queue_depth() const override { return INT64_MAX; }
  bool occupies_host() const override { return true; }

 protected:
  void task_arrived(TaskId) override {}
  void task_ready(TaskId id) override;
  void kernel_ended(TaskId id, bool more) override;
};

}  // namespace tantalus

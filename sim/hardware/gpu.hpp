// A GPU in time: launches wait in a bounded queue, one front end serves them, kernels of different streams share the SMs, and
// copy engines move bytes over the link while kernels run. What a kernel costs is the model's affair (gpu_model.hpp); how its
// blocks share SMs and memory is block_engine.hpp's. docs/modelling.md, "The launch path and the host".
#pragma once

#include <deque>
#include <vector>

#include "sim/hardware/task_device.hpp"

namespace tantalus {

/// What the component needs beside the model; GpuSpec (gpu_spec.hpp) has the same fields.
struct GpuTiming {
  Duration queued;                // least time between the starts of two kernels of one stream
  Duration latency;               // from the host's call to the launch queue
  std::int64_t queue_depth = 1;   // launches that may wait before the host blocks
  std::int64_t copy_engines = 1;  // copies at one time
  Duration captured = queued;     // as `queued`, inside a captured graph
};

class Gpu final : public TaskDevice {
 public:
  Gpu(const DeviceSite& site, const DeviceModel& model, const GpuTiming& timing);

  Duration own_launch_latency() const override { return timing_.latency; }
  std::int64_t queue_depth() const override { return timing_.queue_depth; }
  bool occupies_host() const override { return false; }
  void begin_run(const RunPlan& plan) override;

 protected:
  void task_arrived(TaskId id) override;
  void task_ready(TaskId id) override;
  void kernel_ended(TaskId id, bool more) override;
  void copy_ended(TaskId id) override;

 private:
  /// The front of a stream is the task that runs or is next to run. One launch at most is with the front end, or through it
  /// and waiting for its turn; the next is served when that one has started.
  struct Stream {
    int number = 0;
    std::deque<TaskId> tasks;
    std::size_t next_kernel = 0;  // of the front task; 0: it has not begun
    bool with_front_end = false;
    bool served = false;
    bool running = false;  // a kernel of the front task runs
    TaskId serving;        // whose launch is with the front end
  };

  std::size_t stream_of(TaskId id);
  void request(std::size_t stream);
  void serve_next();
  void serve_done();
  void try_start(std::size_t index);
  void request_following(std::size_t index);
  TaskId next_launch(const Stream& stream);
  void end_front(std::size_t index);
  void try_copy();

  GpuTiming timing_;
  std::vector<Stream> streams_;  // in order of first use
  std::deque<std::size_t>
      front_queue_;  // streams that want the front end; the first is being served
  bool front_busy_ = false;
  std::deque<TaskId> copies_;  // ready, in order of readiness
  std::int64_t copies_running_ = 0;
};

}  // namespace tantalus

#include "sim/hardware/gpu.hpp"

#include <algorithm>

namespace tantalus {

Gpu::Gpu(const DeviceSite& site, const DeviceModel& model, const GpuTiming& timing)
    : TaskDevice(site, model), timing_(timing) {}

void Gpu::begin_run(const RunPlan& plan) {
  TaskDevice::begin_run(plan);
  streams_.clear();
}

std::size_t Gpu::stream_of(TaskId id) {
  const int number = task(id).stream;
  const auto known = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const Stream& stream) { return stream.number == number; });
  if (known != streams_.end()) return static_cast<std::size_t>(known - streams_.begin());
  streams_.emplace_back();
  streams_.back().number = number;
  return streams_.size() - 1;
}

// Copies have queues of their own in the hardware: the front end only sees kernels.
void Gpu::task_arrived(TaskId id) {
  if (is_copy(id)) return;
  const std::size_t index = stream_of(id);
  Stream& stream = streams_[index];
  stream.tasks.push_back(id);
  if (!stream.with_front_end && !stream.served) request(index);
}

void Gpu::task_ready(TaskId id) {
  if (!is_copy(id)) {
    try_start(stream_of(id));
    return;
  }
  copies_.push_back(id);
  try_copy();
}

// ---- The front end -------------------------------------------------------------------------------------------------

void Gpu::request(std::size_t stream) {
  streams_[stream].with_front_end = true;
  front_queue_.push_back(stream);
  if (!front_busy_) serve_next();
}

void Gpu::serve_next() {
  if (front_queue_.empty()) return;
  front_busy_ = true;
  Stream& stream = streams_[front_queue_.front()];
  stream.serving = next_launch(stream);
  engine().record(TraceKind::resource_taken, id(), stream.serving.value, front_end_lane, 1);
  const Duration service = plan().graph() ? timing_.captured : timing_.queued;
  engine().after(service, {on<&Gpu::serve_done>, this});
}

void Gpu::serve_done() {
  const std::size_t index = front_queue_.front();
  front_queue_.pop_front();
  front_busy_ = false;
  Stream& stream = streams_[index];
  stream.with_front_end = false;
  stream.served = true;
  engine().record(TraceKind::resource_freed, id(), stream.serving.value, front_end_lane, 1);
  try_start(index);
  if (!front_busy_) serve_next();
}

void Gpu::try_start(std::size_t index) {
  Stream& stream = streams_[index];
  if (!stream.served || stream.running) return;
  const TaskId id = stream.tasks.front();
  if (stream.next_kernel == 0) {
    if (!is_ready(id)) return;
    take_from_queue(id);
    if (begin_task(id) == 0) {  // nothing to run: an operation that the device refused
      stream.served = false;
      end_front(index);
      return;
    }
  }
  stream.served = false;
  stream.running = true;
  const std::size_t kernel = stream.next_kernel++;
  start_kernel(id, kernel);
  request_following(index);
}

/// The launch after the one that has just started is served while that one runs.
void Gpu::request_following(std::size_t index) {
  const Stream& stream = streams_[index];
  const bool more_kernels = stream.next_kernel < run(stream.tasks.front()).costs.size();
  if (more_kernels || stream.tasks.size() > 1) request(index);
}

/// The task of the next launch of the stream: the front one, unless all its kernels have started.
TaskId Gpu::next_launch(const Stream& stream) {
  const bool begun = stream.next_kernel > 0;
  const bool all_started = begun && stream.next_kernel == run(stream.tasks.front()).costs.size();
  return stream.tasks[all_started ? 1 : 0];
}

void Gpu::kernel_ended(TaskId id, bool more) {
  const std::size_t index = stream_of(id);
  streams_[index].running = false;
  if (more) {
    try_start(index);
  } else {
    end_front(index);
  }
}

void Gpu::end_front(std::size_t index) {
  const TaskId id = streams_[index].tasks.front();
  streams_[index].tasks.pop_front();
  streams_[index].next_kernel = 0;
  const Stream& stream = streams_[index];
  if (!stream.tasks.empty() && !stream.with_front_end && !stream.served) request(index);
  end_task(id);
}

// ---- Copy engines --------------------------------------------------------------------------------------------------

void Gpu::try_copy() {
  while (copies_running_ < timing_.copy_engines && !copies_.empty()) {
    const TaskId id = copies_.front();
    copies_.pop_front();
    ++copies_running_;
    take_from_queue(id);
    engine().record(TraceKind::resource_taken, this->id(), id.value, copy_engine_lane, 1,
                    timing_.copy_engines - copies_running_);
    begin_task(id);
    start_copy(id);
  }
}

void Gpu::copy_ended(TaskId id) {
  --copies_running_;
  engine().record(TraceKind::resource_freed, this->id(), id.value, copy_engine_lane, 1,
                  timing_.copy_engines - copies_running_);
  try_copy();
}

}  // namespace tantalus

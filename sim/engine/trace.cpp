#include "sim/engine/trace.hpp"

namespace tantalus {

std::string_view name_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::task_queued:
      return "task-queued";
    case TraceKind::task_started:
      return "task-started";
    case TraceKind::task_finished:
      return "task-finished";
    case TraceKind::flow_started:
      return "flow-started";
    case TraceKind::flow_rate_changed:
      return "flow-rate-changed";
    case TraceKind::flow_finished:
      return "flow-finished";
    case TraceKind::cohort_started:
      return "cohort-started";
    case TraceKind::cohort_finished:
      return "cohort-finished";
    case TraceKind::resource_taken:
      return "resource-taken";
    case TraceKind::resource_freed:
      return "resource-freed";
  }
  return "unknown";
}

std::uint64_t Trace::fingerprint() const {
  // The fold leaves the last word's low bits where they fell; two more folds spread them over the whole result.
  Trace last(Keep::fingerprint_only);
  last.state_ = state_;
  last.fold(static_cast<std::uint64_t>(count_));
  last.fold(0);
  return last.state_;
}

void Trace::clear() {
  const Trace fresh(keep_);
  state_ = fresh.state_;
  count_ = 0;
  devices_seen_ = 0;
  records_.clear();
  order_seen_.clear();
}

std::uint32_t Trace::first_seen(DeviceId device) {
  if (device.value >= order_seen_.size()) order_seen_.resize(device.value + std::size_t{1}, 0);
  order_seen_[device.value] = ++devices_seen_;
  return devices_seen_;
}

}  // namespace tantalus

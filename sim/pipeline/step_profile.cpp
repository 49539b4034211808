#include "sim/pipeline/step_profile.hpp"

#include <algorithm>
#include <map>

namespace tantalus {

namespace {

bool is_gradient(const TaskResult& task) {
  return task.pass == "weight_gradient" || task.pass == "bias_gradient";
}

/// Kernels of the update alone.
Duration busy_of_update(const Results& results) {
  Duration sum;
  for (const TaskResult& task : results.tasks) {
    if (task.pass != "update") continue;
    for (const KernelResult& kernel : task.kernels) sum += kernel.end - kernel.start;
  }
  return sum;
}

std::vector<GradientReady> gradients_of(const Results& results, TimePoint begin) {
  std::map<LayerId, TimePoint> last;
  for (const TaskResult& task : results.tasks) {
    if (is_gradient(task)) last[task.layer] = std::max(last[task.layer], task.end);
  }
  std::vector<GradientReady> all;
  all.reserve(last.size());
  for (const auto& [layer, end] : last)
    all.push_back({results.layers[layer.value].parameter_bytes, end - begin});
  std::stable_sort(all.begin(), all.end(), [](const GradientReady& a, const GradientReady& b) {
    return a.ready < b.ready;
  });
  return all;
}

Duration scaled(Duration time, std::int64_t part, std::int64_t whole) {
  return Duration{divide_up(Int128{time.count()} * part, whole)};
}

}  // namespace

StepProfile profile_step(const Results& as_built, const Results& ideal_host) {
  StepProfile step;
  TimePoint begin, last_other;
  for (const TaskResult& task : ideal_host.tasks) {
    if (task.pass != "update") last_other = std::max(last_other, task.end);
    step.parameter_tensors += is_gradient(task) ? 1 : 0;
  }
  step.host = as_built.host_busy;
  step.tail = as_built.step - step.host;
  step.device = ideal_host.step;
  step.busy = ideal_host.device_busy;
  step.update = begin + step.device - last_other;
  step.update_busy = std::min(busy_of_update(ideal_host), step.update);
  step.gradients = gradients_of(ideal_host, begin);
  step.parameters = ideal_host.memory.parameters;
  step.optimizer = ideal_host.memory.optimizer;
  return step;
}

StepProfile shortened(const StepProfile& step, std::int64_t part, std::int64_t whole) {
  StepProfile less = step;
  for (Duration* time : {&less.device, &less.busy, &less.update, &less.update_busy})
    *time = scaled(*time, part, whole);
  for (GradientReady& gradient : less.gradients)
    gradient.ready = scaled(gradient.ready, part, whole);
  return less;
}

}  // namespace tantalus

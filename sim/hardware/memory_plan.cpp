#include "sim/hardware/memory_plan.hpp"

#include <algorithm>

namespace tantalus {

namespace {

std::string largest_layer(const TaskGraph& tasks) {
  const std::vector<Bytes>& alive = tasks.memory.activations_by_layer;
  const auto largest = std::max_element(alive.begin(), alive.end());
  const auto index = static_cast<std::size_t>(largest - alive.begin());
  return index < tasks.layers().size() ? tasks.layers()[index].name : std::string();
}

}  // namespace

MemoryResult plan_memory(const TaskGraph& tasks, Bytes workspace, const DeviceMemory& device) {
  const MemoryNeed& need = tasks.memory;
  MemoryResult result;
  result.capacity = device.capacity;
  result.parameters = need.parameters;
  result.gradients = need.gradients;
  result.optimizer = need.optimizer;
  result.activations = need.activations;
  result.workspace = workspace;
  result.context = device.context;
  result.peak = need.parameters + need.gradients + need.optimizer + need.activations + workspace +
                device.context;
  result.fits = result.peak <= result.capacity;
  result.largest_layer = largest_layer(tasks);
  return result;
}

}  // namespace tantalus

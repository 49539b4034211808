#include "models/dnn/step_builder.hpp"

#include <algorithm>
#include <utility>

namespace tantalus {

TensorId StepBuilder::add_tensor(Bytes size, TensorRole role) {
  Tracked tensor;
  tensor.info.size = size;
  tensor.info.role = role;
  tensors_.push_back(std::move(tensor));
  return TensorId{static_cast<std::uint32_t>(tensors_.size() - 1)};
}

void StepBuilder::follow(TensorId made, TensorId cause) {
  const Tracked& from = tensors_[cause.value];
  Tracked& to = tensors_[made.value];
  to.written = from.written;
  to.writer = from.writer;
}

void StepBuilder::emit(Operation operation) {
  std::vector<TaskId> after = predecessors_of(operation);
  const TaskId task{static_cast<std::uint32_t>(graph.tasks().size())};
  note_uses(operation, task);
  graph.add(std::move(operation), std::move(after));
}

std::vector<TaskId> StepBuilder::predecessors_of(const Operation& operation) const {
  std::vector<TaskId> after;
  for (const TensorUse& use : operation.operands) {
    const Tracked& tensor = tensors_[use.tensor.value];
    if (tensor.written) after.push_back(tensor.writer);
    if (use.written) after.insert(after.end(), tensor.readers.begin(), tensor.readers.end());
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  return after;
}

void StepBuilder::note_uses(const Operation& operation, TaskId task) {
  for (const TensorUse& use : operation.operands) {
    Tracked& tensor = tensors_[use.tensor.value];
    if (tensor.first_use < 0) tensor.first_use = task.value;
    tensor.last_use = task.value;
    if (!use.written) tensor.readers.push_back(task);
  }
  for (const TensorUse& use : operation.operands) {
    if (!use.written) continue;
    Tracked& tensor = tensors_[use.tensor.value];
    tensor.written = true;
    tensor.writer = task;
    tensor.readers.clear();
  }
}

std::vector<Bytes> StepBuilder::alive_at_each_task() const {
  const std::size_t count = graph.tasks().size();
  std::vector<std::int64_t> change(count + 1, 0);
  for (const Tracked& tensor : tensors_) {
    if (tensor.info.role != TensorRole::transient || tensor.first_use < 0) continue;
    const std::int64_t size = tensor.info.size.count();
    change[static_cast<std::size_t>(tensor.first_use)] += size;
    if (!tensor.info.result) change[static_cast<std::size_t>(tensor.last_use) + 1] -= size;
  }
  std::vector<Bytes> alive(count);
  Bytes now;
  for (std::size_t i = 0; i < count; ++i) alive[i] = now += Bytes{change[i]};
  return alive;
}

void StepBuilder::plan_memory() {
  MemoryNeed& memory = graph.memory;
  for (const Tracked& tensor : tensors_) {
    if (tensor.info.role == TensorRole::parameter) memory.parameters += tensor.info.size;
    if (tensor.info.role == TensorRole::gradient) memory.gradients += tensor.info.size;
    if (tensor.info.role == TensorRole::optimizer) memory.optimizer += tensor.info.size;
  }
  memory.activations_by_layer.assign(graph.layers().size(), Bytes{0});
  const std::vector<Bytes> alive = alive_at_each_task();
  for (const Task& task : graph.tasks()) {
    const auto* operation = std::get_if<Operation>(&task.work);
    if (operation == nullptr) continue;
    const Bytes now = alive[task.id.value];
    Bytes& of_layer = memory.activations_by_layer[operation->layer.value];
    of_layer = std::max(of_layer, now);
    memory.activations = std::max(memory.activations, now);
  }
}

}  // namespace tantalus

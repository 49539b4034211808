// Internal to lower(): collects the tasks and tensors of one step, finds what each task waits for, and answers what is alive
// when. It knows no layer kinds. Included by lower*.cpp and memory_plan only.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/workload/task_graph.hpp"

namespace tantalus {

/// Which sum of MemoryNeed a tensor belongs to. Transient: alive from its first use to its last (activations, their
/// gradients, saved indices, casts).
enum class TensorRole : std::uint8_t { parameter, gradient, optimizer, transient };

struct TensorInfo {
  Bytes size;
  TensorRole role = TensorRole::transient;
  bool result = false;  // handed to the caller: alive to the end of the step
};

class StepBuilder {
 public:
  TaskGraph graph;

  TensorId add_tensor(Bytes size, TensorRole role);
  void mark_result(TensorId tensor) { tensors_[tensor.value].info.result = true; }
  Bytes size_of(TensorId tensor) const { return tensors_[tensor.value].info.size; }

  /// Says that `made` comes from `cause` by a way outside the step (a loss): who uses it waits for the cause's writer.
  void follow(TensorId made, TensorId cause);

  /// Appends an operation after the last writers of what it touches and, where it writes, after the last readers.
  void emit(Operation operation);

  /// Fills graph.memory from the tensors and their first and last uses.
  void plan_memory();

 private:
  struct Tracked {
    TensorInfo info;
    bool written = false;
    TaskId writer;
    std::vector<TaskId> readers;  // since the last write
    std::int64_t first_use = -1, last_use = -1;
  };

  std::vector<TaskId> predecessors_of(const Operation& operation) const;
  void note_uses(const Operation& operation, TaskId task);
  std::vector<Bytes> alive_at_each_task() const;

  std::vector<Tracked> tensors_;
};

}  // namespace tantalus

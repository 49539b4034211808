// The lowered program: operations and copies, and what must finish before what. Plain data, no hardware, no clock. Tasks are
// numbered in issue order: a predecessor always has a smaller id, so a cycle cannot be written down.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

/// Bytes between the host's memory and the device's.
struct CopyWork {
  enum class Direction : std::uint8_t { host_to_device, device_to_host };
  Direction direction = Direction::host_to_device;
  Bytes size;
};

struct Task {
  TaskId id;
  std::string name;
  int stream = 0;  // tasks of one stream run in issue order
  std::variant<Operation, CopyWork> work;
  std::vector<TaskId> after;  // predecessors besides the previous task of the same stream
};

/// One layer as reports name it; tasks point to layers through Operation::layer.
struct LayerInfo {
  std::string name;
  std::string kind;  // "conv2d"
  std::int64_t parameters = 0;
  Bytes input_bytes, output_bytes, parameter_bytes;
};

/// What the step keeps in device memory, from the lowering: sizes that do not depend on the device.
struct MemoryNeed {
  Bytes parameters, gradients, optimizer,
      activations;                          // activations: the peak of what is alive at one time
  std::vector<Bytes> activations_by_layer;  // alive when that layer runs; index is LayerId
};

class TaskGraph {
 public:
  LayerId add_layer(LayerInfo layer);

  /// Appends a task; `after` must hold ids of earlier tasks (a later one is a broken invariant).
  TaskId add(Operation operation, std::vector<TaskId> after = {}, int stream = 0);
  TaskId add(std::string name, CopyWork copy, std::vector<TaskId> after = {}, int stream = 0);

  std::span<const Task> tasks() const { return tasks_; }
  std::span<const LayerInfo> layers() const { return layers_; }

  /// For each task all its predecessors, the previous task of its stream included; for checkers and schedulers.
  std::vector<std::vector<TaskId>> predecessors() const;

  MemoryNeed memory;

 private:
  std::vector<Task> tasks_;
  std::vector<LayerInfo> layers_;
};

}  // namespace tantalus

// What travels between the dispatcher and a device that runs tasks. Pointers point into the task graph of the run, which
// outlives every message.
#pragma once

#include "sim/workload/task_graph.hpp"

namespace tantalus {

/// The host asks a device to run a task.
struct TaskLaunch {
  const Task* task = nullptr;
};

/// The task has left the device's launch queue: there is room for one more.
struct LaunchTaken {
  TaskId task;
};

/// The task's last block has ended, or its last byte has arrived.
struct TaskDone {
  TaskId task;
};

}  // namespace tantalus

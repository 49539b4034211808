// What travels between the dispatcher and a device that runs tasks, and how the trace calls the resources on that way.
// Pointers point into the task graph of the run, which outlives every message.
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

/// Lanes of the trace's resource records. `amount` is 1, except that a kernel's is its number within its task.
inline constexpr std::uint32_t front_end_lane = 0;  // serves one launch at a time
inline constexpr std::uint32_t copy_engine_lane = 1;
inline constexpr std::uint32_t host_thread_lane = 2;  // issues one task at a time
inline constexpr std::uint32_t kernel_lane = 3;       // a kernel of the task runs

}  // namespace tantalus

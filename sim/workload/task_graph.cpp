#include "sim/workload/task_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

TaskId next_id(const std::vector<Task>& tasks, const std::vector<TaskId>& after) {
  const TaskId id{static_cast<std::uint32_t>(tasks.size())};
  for (const TaskId before : after) {
    TANTALUS_CHECK(before < id, "a task waits for earlier tasks only");
  }
  return id;
}

}  // namespace

LayerId TaskGraph::add_layer(LayerInfo layer) {
  layers_.push_back(std::move(layer));
  return LayerId{static_cast<std::uint32_t>(layers_.size() - 1)};
}

TaskId TaskGraph::add(Operation operation, std::vector<TaskId> after, int stream) {
  const TaskId id = next_id(tasks_, after);
  std::string name = operation.name;
  tasks_.push_back({id, std::move(name), stream, std::move(operation), std::move(after)});
  return id;
}

TaskId TaskGraph::add(std::string name, CopyWork copy, std::vector<TaskId> after, int stream) {
  const TaskId id = next_id(tasks_, after);
  tasks_.push_back({id, std::move(name), stream, copy, std::move(after)});
  return id;
}

std::vector<std::vector<TaskId>> TaskGraph::predecessors() const {
  std::vector<std::vector<TaskId>> all;
  all.reserve(tasks_.size());
  std::map<int, TaskId> last_of_stream;
  for (const Task& task : tasks_) {
    std::vector<TaskId> before = task.after;
    if (const auto last = last_of_stream.find(task.stream); last != last_of_stream.end()) {
      if (std::find(before.begin(), before.end(), last->second) == before.end()) {
        before.push_back(last->second);
      }
    }
    last_of_stream[task.stream] = task.id;
    all.push_back(std::move(before));
  }
  return all;
}

}  // namespace tantalus

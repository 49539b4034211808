#include "sim/workload/task_graph.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

Operation named(const std::string& name) {
  Operation operation;
  operation.name = name;
  return operation;
}

TEST_CASE("tasks are numbered in issue order and keep the operation's name") {
  TaskGraph tasks;
  const TaskId first = tasks.add(named("conv1"));
  const TaskId second = tasks.add("input", CopyWork{CopyWork::Direction::host_to_device, Bytes{8}});

  CHECK(first == TaskId{0});
  CHECK(second == TaskId{1});
  CHECK(tasks.tasks()[0].name == "conv1");
  CHECK(std::get<CopyWork>(tasks.tasks()[1].work).size == Bytes{8});
}

TEST_CASE("the previous task of the same stream is a predecessor") {
  TaskGraph tasks;
  const TaskId a = tasks.add(named("a"), {}, 0);
  tasks.add(named("b"), {}, 1);
  tasks.add(named("c"), {}, 0);

  const auto before = tasks.predecessors();

  CHECK(before[0].empty());
  CHECK(before[1].empty());
  CHECK(before[2] == std::vector<TaskId>{a});
}

TEST_CASE("a predecessor that is named and in the same stream counts once") {
  TaskGraph tasks;
  const TaskId a = tasks.add(named("a"));
  tasks.add(named("b"), {a});

  CHECK(tasks.predecessors()[1] == std::vector<TaskId>{a});
}

TEST_CASE("a task cannot wait for a later one: cycles cannot be written down") {
  TaskGraph tasks;

  CHECK_THROWS_AS(tasks.add(named("a"), {TaskId{0}}), InvariantError);
}

TEST_CASE("layers are numbered in the order in which they are added") {
  TaskGraph tasks;

  CHECK(tasks.add_layer({"conv1", "conv2d", 0, {}, {}, {}}) == LayerId{0});
  CHECK(tasks.add_layer({"relu1", "relu", 0, {}, {}, {}}) == LayerId{1});
  CHECK(tasks.layers()[1].name == "relu1");
}

}  // namespace
}  // namespace tantalus

#include "tests/sim/hardware/trace_checker.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/fake_system.hpp"

namespace tantalus::test {
namespace {

TaskGraph two_tasks() {
  TaskGraph tasks;
  tasks.add(operation_named("a"));
  tasks.add(operation_named("b"));
  return tasks;
}

SystemPlan plan_for_two() {
  FakeModel model({2, {gb_per_s, gb_per_s}});
  model.set("a", kernel_of(2, {computing(3 * us)}));
  model.set("b", kernel_of(3, {computing(5 * us)}));
  return lone(gpu_part("gpu0", std::move(model)));
}

TEST_CASE("the checker finds nothing in a true run") {
  const TaskGraph tasks = two_tasks();
  const SystemPlan plan = plan_for_two();
  const Run run(plan, tasks);

  CHECK(check_trace(tasks, run.trace, run.results, {}).empty());
}

TEST_CASE("the checker sees a task that starts a picosecond late") {
  const TaskGraph tasks = two_tasks();
  const SystemPlan plan = plan_for_two();
  const Run run(plan, tasks);
  Trace forged;
  for (TraceRecord record : run.trace.records()) {
    if (record.kind == TraceKind::task_started && record.subject == 1) ++record.time;
    forged.add(record);
  }

  CHECK_FALSE(check_trace(tasks, forged, run.results, {}).empty());
}

TEST_CASE("the checker sees a reported time that no event shows") {
  const TaskGraph tasks = two_tasks();
  const SystemPlan plan = plan_for_two();
  Run run(plan, tasks);
  run.results.step += Duration{1};

  CHECK(check_trace(tasks, run.trace, run.results, {}).size() == 1);
}

TEST_CASE("the checker sees blocks that never ended") {
  const TaskGraph tasks = two_tasks();
  const SystemPlan plan = plan_for_two();
  const Run run(plan, tasks);
  Trace forged;
  for (TraceRecord record : run.trace.records()) {
    if (record.kind == TraceKind::cohort_started && record.subject == 0) ++record.amount;
    forged.add(record);
  }

  CHECK_FALSE(check_trace(tasks, forged, run.results, {}).empty());
}

}  // namespace
}  // namespace tantalus::test

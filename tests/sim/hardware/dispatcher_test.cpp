#include "sim/hardware/dispatcher.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/fake_system.hpp"

namespace tantalus::test {
namespace {

FakeModel model() {
  FakeModel model({4, {1'000 * gb_per_s, 100 * gb_per_s}});
  model.set("short", kernel_of(4, {computing(1 * us)}));
  model.set("long", kernel_of(4, {computing(50 * us)}));
  return model;
}

TaskGraph repeated(const std::string& name, int times) {
  TaskGraph tasks;
  for (int i = 0; i < times; ++i) tasks.add(operation_named(name));
  return tasks;
}

constexpr GpuTiming five_us_away{2 * us, 5 * us, 1024, 2};

TEST_CASE("short operators run at the pace of the host") {
  // Issue takes 8 us each; the last is sent at 80, arrives at 85, is served until 87 and runs 1 us.
  const SystemPlan plan = hosted(model(), five_us_away);
  const Run run(plan, repeated("short", 10), stack_of(8 * us));

  CHECK(run.results.step == 88 * us);
  CHECK(run.results.host_busy == 80 * us);
  CHECK(run.results.device_busy == 10 * us);
  for (const TaskResult& task : run.results.tasks) CHECK(task.bound == Bound::host);
}

TEST_CASE("the host runs ahead of long kernels") {
  const SystemPlan plan = hosted(model(), five_us_away);
  const Run run(plan, repeated("long", 3), stack_of(8 * us));

  CHECK(run.results.step == (8 + 5 + 2 + 3 * 50) * us);
  CHECK(run.results.tasks[2].issued.since_start() == 16 * us);
  CHECK(run.results.tasks[2].bound == Bound::compute);
}

TEST_CASE("the host stops while the launch queue is full") {
  // Room for one: the second task is issued when the first has started, at 8 + 5 + 2 us; the third when the second has.
  GpuTiming shallow = five_us_away;
  shallow.queue_depth = 1;
  const SystemPlan plan = hosted(model(), shallow);
  const Run run(plan, repeated("long", 3), stack_of(8 * us));

  CHECK(run.results.tasks[1].issued.since_start() == 15 * us);
  CHECK(run.results.tasks[2].issued == run.results.tasks[1].start);
}

TEST_CASE("a lone part has an ideal host") {
  const SystemPlan plan = lone(gpu_part("gpu0", model(), five_us_away));
  const Run run(plan, repeated("short", 10), stack_of(8 * us));

  CHECK(run.results.step == (10 * 2 + 1) * us);  // only the device's own pace
  CHECK(run.results.host_busy == Duration{0});
  CHECK(run.results.host_per_operator == Duration{0});
  for (const TaskResult& task : run.results.tasks) CHECK(task.bound != Bound::host);
}

TEST_CASE("a captured graph is one launch, and its kernels follow at the device's own pace") {
  // Issued once in 8 us, 5 us on the way; then ten kernels of 1 us, each served in 1.5 us.
  GpuTiming timing = five_us_away;
  timing.captured = Duration{1'500'000};
  timing.queue_depth = 1;
  StackSpec stack = stack_of(8 * us);
  stack.launch = LaunchMode::graph;
  const SystemPlan plan = hosted(model(), timing);
  const Run run(plan, repeated("short", 10), stack);

  CHECK(run.results.host_busy == 8 * us);
  CHECK(run.results.step == (8 + 5 + 15 + 1) * us);
}

TEST_CASE("a device on the host's own threads keeps the host busy until it is done") {
  FakeModel cpu({4, {Bandwidth{0}, 100 * gb_per_s}});
  cpu.set("short", kernel_of(4, {computing(1 * us)}));
  const SystemPlan plan = hosted(model(), instant_launch, std::move(cpu));
  const Run run(plan, repeated("short", 3), stack_of(8 * us), "cpu");

  CHECK(run.results.step == 3 * (8 + 1) * us);
  CHECK(run.results.device == "cpu");
}

}  // namespace
}  // namespace tantalus::test

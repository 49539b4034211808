#include "sim/hardware/gpu.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/fake_system.hpp"

namespace tantalus::test {
namespace {

constexpr DeviceRates four_sms{4, {1'000 * gb_per_s, 100 * gb_per_s}};

/// Operation "short" of 1 us, "long" of 10 us, "stream" of 400 kB (4 us alone), "pair" of two kernels of 1 us.
FakeModel model() {
  FakeModel model(four_sms);
  model.set("short", kernel_of(4, {computing(1 * us)}));
  model.set("long", kernel_of(4, {computing(10 * us)}));
  model.set("stream", kernel_of(2, {streaming(Bytes{200'000})}, 2));
  model.set("pair", {kernel_of(4, {computing(1 * us)}), kernel_of(4, {computing(1 * us)})});
  return model;
}

constexpr GpuTiming two_us_apart{2 * us, 5 * us, 1024, 2};

TaskGraph chain(const std::vector<std::string>& operations) {
  TaskGraph tasks;
  for (const std::string& name : operations) tasks.add(operation_named(name));
  return tasks;
}

Duration end_of(const Run& run, std::size_t task) {
  return run.results.tasks[task].end.since_start();
}

TEST_CASE("kernels of one stream run one after the other") {
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  const Run run(plan, chain({"long", "short", "long"}));

  CHECK(run.results.step == 21 * us);
}

TEST_CASE("short kernels are paced by the front end, long ones hide it") {
  // First service 2 us. Then starts lie max(launch, kernel) apart: 2 + 2 + 2 + 10 after the start at 2.
  const SystemPlan plan = lone(gpu_part("gpu0", model(), two_us_apart));
  const Run run(plan, chain({"short", "short", "long", "short"}));

  CHECK(end_of(run, 0) == 3 * us);
  CHECK(end_of(run, 1) == 5 * us);
  CHECK(end_of(run, 2) == 16 * us);
  CHECK(end_of(run, 3) == 17 * us);  // its launch was served while the long one ran
}

TEST_CASE("every kernel of an operation is a launch of its own") {
  const SystemPlan plan = lone(gpu_part("gpu0", model(), two_us_apart));
  const Run run(plan, chain({"pair"}));

  CHECK(run.results.step == 5 * us);             // starts at 2 and 4, the second ends at 5
  CHECK(run.results.tasks[0].launch == 3 * us);  // 2 before the first, 1 between the two
}

TEST_CASE("a short kernel behind the front end is launch-bound, a long one is not") {
  const SystemPlan plan = lone(gpu_part("gpu0", model(), two_us_apart));
  const Run run(plan, chain({"short", "short", "long"}));

  CHECK(run.results.tasks[1].bound == Bound::launch);
  CHECK(run.results.tasks[2].bound == Bound::compute);
}

TEST_CASE("kernels of two streams overlap and share DRAM") {
  TaskGraph tasks;
  tasks.add(operation_named("stream"), {}, 0);
  tasks.add(operation_named("stream"), {}, 1);
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  const Run run(plan, tasks);

  CHECK(end_of(run, 0) == 8 * us);  // 4 us alone
  CHECK(end_of(run, 1) == 8 * us);
  CHECK(run.results.device_busy == 8 * us);
}

TEST_CASE("a task waits for its predecessors in other streams") {
  TaskGraph tasks;
  const TaskId first = tasks.add(operation_named("long"), {}, 0);
  tasks.add(operation_named("short"), {first}, 1);
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  const Run run(plan, tasks);

  CHECK(run.results.tasks[1].start.since_start() == 10 * us);
}

TEST_CASE("a copy runs beside a kernel and meets it in DRAM") {
  // The kernel streams 400 kB at 100 GB/s, the copy 20 kB over a link of 10 GB/s. The kernel's two blocks and the copy share
  // the DRAM: the copy takes its 10, the kernel 90: the copy ends after 2 us; the kernel had 180 of 400 kB and needs
  // 2.2 us more.
  TaskGraph tasks;
  tasks.add(operation_named("stream"), {}, 0);
  tasks.add("input", CopyWork{CopyWork::Direction::host_to_device, Bytes{20'000}}, {}, 1);
  const SystemPlan plan = hosted(model());
  const Run run(plan, tasks);

  CHECK(end_of(run, 1) == 2 * us);
  CHECK(end_of(run, 0) == Duration{4'200'000});
}

TEST_CASE("no more copies run than there are copy engines") {
  TaskGraph tasks;
  for (int stream = 0; stream < 3; ++stream) {
    tasks.add("input", CopyWork{CopyWork::Direction::host_to_device, Bytes{10'000}}, {}, stream);
  }
  GpuTiming one_engine = instant_launch;
  one_engine.copy_engines = 1;
  const SystemPlan plan = hosted(model(), one_engine);
  const Run run(plan, tasks);

  CHECK(end_of(run, 0) == 1 * us);  // 10 kB at 10 GB/s, one after the other
  CHECK(end_of(run, 1) == 2 * us);
  CHECK(end_of(run, 2) == 3 * us);
}

TEST_CASE("copies in opposite directions do not share the link") {
  TaskGraph tasks;
  tasks.add("in", CopyWork{CopyWork::Direction::host_to_device, Bytes{10'000}}, {}, 0);
  tasks.add("out", CopyWork{CopyWork::Direction::device_to_host, Bytes{10'000}}, {}, 1);
  const SystemPlan plan = hosted(model());
  const Run run(plan, tasks);

  CHECK(run.results.step == 1 * us);
}

TEST_CASE("the model hears of operands in the order of execution, one step after another") {
  Operation first = operation_named("short");
  first.operands = {{TensorId{1}, Bytes{100}, true}};
  Operation second = operation_named("short");
  second.operands = {{TensorId{1}, Bytes{100}, false}, {TensorId{2}, Bytes{50}, true}};
  TaskGraph tasks;
  tasks.add(first);
  tasks.add(second);
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  const Run run(plan, tasks);

  const auto& seen = dynamic_cast<const FakeModel*>(plan.parts[0].device->model())->seen_distances;
  // The step before ended with the 150 bytes of the second task, which used tensor 1 last; tensor 2 lies one step away.
  CHECK(seen.at(0) == std::vector<Bytes>{Bytes{150}});
  CHECK(seen.at(1) == std::vector<Bytes>{Bytes{100}, Bytes{250}});
}

}  // namespace
}  // namespace tantalus::test

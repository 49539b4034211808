#include "sim/hardware/simulate.hpp"

#include <doctest/doctest.h>

#include "sim/hardware/storage/ssd.hpp"
#include "tests/golden.hpp"
#include "tests/sim/hardware/fake_system.hpp"
#include "tests/sim/hardware/storage/storage_load.hpp"

namespace tantalus::test {
namespace {

FakeModel model() {
  FakeModel model({4, {1'000 * gb_per_s, 100 * gb_per_s}});
  KernelCost cost = kernel_of(6, {computing(2 * us), streaming(Bytes{50'000})}, 2);
  cost.executed_flops = 1234;
  cost.workspace = Bytes{500};
  cost.algorithm = Algorithm::implicit_gemm;
  cost.occupancy_limit = OccupancyLimit::registers;
  model.set("conv1", cost);
  model.set("relu1", kernel_of(8, {streaming(Bytes{10'000})}));
  return model;
}

TaskGraph small_network() {
  TaskGraph tasks;
  const LayerId conv = tasks.add_layer({"conv1", "conv2d", 10, Bytes{100}, Bytes{200}, Bytes{40}});
  const LayerId relu = tasks.add_layer({"relu1", "relu", 0, Bytes{200}, Bytes{200}, Bytes{0}});
  Operation first = operation_named("conv1");
  first.layer = conv;
  first.macs = 77;
  Operation second = operation_named("relu1");
  second.layer = relu;
  second.other_ops = 5;
  tasks.add(first);
  tasks.add(second);
  tasks.memory.parameters = Bytes{40};
  tasks.memory.activations = Bytes{400};
  tasks.memory.activations_by_layer = {Bytes{300}, Bytes{400}};
  return tasks;
}

TEST_CASE("results name layers, kernels and what the events saw") {
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  const Run run(plan, small_network(), stack_of(Duration{0}));
  const TaskResult& conv = run.results.tasks.at(0);
  const KernelResult& kernel = conv.kernels.at(0);

  CHECK(run.results.device == "gpu0");
  CHECK(run.results.library == "fake-library");
  CHECK(run.results.stack == "test");
  CHECK(run.results.layers.at(1).name == "relu1");
  CHECK(conv.kind == "conv2d");
  CHECK(conv.macs == 77);
  CHECK(conv.parameter_bytes == Bytes{40});
  CHECK(conv.algorithm == "implicit_gemm");
  CHECK(conv.workspace == Bytes{500});
  CHECK(conv.doubt.model == 0.25);
  CHECK(kernel.waves == 0.75);      // 6 blocks over 4 SMs x 2
  CHECK(kernel.compute == 3 * us);  // 6 x 2 us over 4 SMs
  CHECK(kernel.dram == 3 * us);     // 300 kB at 100 GB/s
  CHECK(kernel.dram_bytes == Bytes{300'000});
  CHECK(kernel.executed_flops == 1234);
  CHECK(kernel.occupancy_limit == OccupancyLimit::registers);
  CHECK(run.results.tasks.at(1).other_ops == 5);
}

TEST_CASE("resources are never busier than the run is long nor carry more than their peak") {
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  const Run run(plan, small_network());

  REQUIRE(run.results.resources.size() == 2);  // dram and sm; nothing crossed L2
  for (const ResourceUse& use : run.results.resources) {
    CHECK(use.busy <= run.results.step);
    CHECK(use.device == "gpu0");
  }
  CHECK(run.results.resources[0].resource == "dram");
  CHECK(run.results.resources[0].bytes == Bytes{380'000});
}

TEST_CASE("the memory verdict counts workspace and context") {
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  const Run run(plan, small_network());

  CHECK(run.results.memory.fits);
  CHECK(run.results.memory.peak == Bytes{40 + 400 + 500 + 1'000});
  CHECK(run.results.memory.largest_layer == "relu1");
}

TEST_CASE("operations that a device cannot run are all reported, once each") {
  TaskGraph tasks;
  for (const char* name : {"strange", "conv1", "odd", "strange"}) tasks.add(operation_named(name));
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  Machine machine = build(plan);
  const Result<Results> run = simulate(machine, tasks);

  REQUIRE_FALSE(run.ok());
  REQUIRE(run.diagnostics().size() == 2);
  CHECK(run.diagnostics()[0].message == "cannot run 'strange'");
  CHECK(run.diagnostics()[1].message == "cannot run 'odd'");
}

TEST_CASE("a copy without a host is an error") {
  TaskGraph tasks;
  tasks.add("input", CopyWork{CopyWork::Direction::host_to_device, Bytes{10}});
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  Machine machine = build(plan);
  const Result<Results> run = simulate(machine, tasks);

  REQUIRE_FALSE(run.ok());
  CHECK(run.diagnostics()[0].code == "no-host");
  testing::check_golden("tests/data/bad/run/no-host.expected", render(run.diagnostics()[0]));
}

TEST_CASE("a run that would pass the end of simulated time is refused") {
  FakeModel slow({1, {Bandwidth{1}, Bandwidth{1}}});
  slow.set("endless", kernel_of(1, {streaming(Bytes{3'000'000})}));  // 35 days
  TaskGraph tasks;
  tasks.add(operation_named("endless"));
  const SystemPlan plan = lone(gpu_part("gpu0", std::move(slow)));
  Machine machine = build(plan);
  const Result<Results> run = simulate(machine, tasks);

  REQUIRE_FALSE(run.ok());
  CHECK(run.diagnostics()[0].code == "too-long");
}

TEST_CASE("an unknown device is answered with those that can run") {
  const SystemPlan plan = hosted(model());
  Machine machine = build(plan);
  const Result<Results> run =
      simulate(machine, small_network(), {"gpu1", stack_of(1 * us), nullptr});

  REQUIRE_FALSE(run.ok());
  CHECK(run.diagnostics()[0].code == "unknown-device");
  CHECK(run.diagnostics()[0].message.find("'gpu0', 'cpu'") != std::string::npos);
  CHECK(run.diagnostics()[0].hint == "did you mean 'gpu0'?");
}

SystemPlan with_second_gpu() {
  SystemPlan plan = hosted(model());
  plan.parts.push_back(gpu_part("gpu1", model()));
  plan.links.push_back({"pcie cpu-gpu1", 0, 2, 10 * gb_per_s});
  plan.routes.push_back({1});
  return plan;
}

bool same(const Results& a, const Results& b) {
  bool equal = a.step == b.step && a.fingerprint == b.fingerprint && a.host_busy == b.host_busy &&
               a.resources.size() == b.resources.size() && a.tasks.size() == b.tasks.size();
  for (std::size_t i = 0; equal && i < a.tasks.size(); ++i) {
    equal = a.tasks[i].start == b.tasks[i].start && a.tasks[i].end == b.tasks[i].end;
  }
  return equal;
}

TEST_CASE("an unused second GPU changes nothing, not even the fingerprint") {
  const SystemPlan one = hosted(model()), two = with_second_gpu();

  CHECK(same(Run(one, small_network()).results, Run(two, small_network()).results));
}

TEST_CASE("renaming a device changes nothing but its name") {
  SystemPlan plan = hosted(model());
  plan.parts[1].name = "a-card";
  const SystemPlan original = hosted(model());

  CHECK(same(Run(plan, small_network()).results, Run(original, small_network()).results));
}

// Alone it reads large blocks at what PCI Express 4.0 x4 carries, 6.74 GB/s.
SsdSpec fast_drive() {
  SsdSpec spec;
  spec.link.pcie = PcieLinkSpec{4, 4};
  spec.command_time = Duration{8'000'000};
  spec.commands_per_second = 1'000'000;
  spec.channels = spec.dies_per_channel = 8;
  spec.page = Bytes{16'384};
  spec.read_time = Duration{50'000'000};
  spec.program_time = Duration{500'000'000};
  spec.channel_rate = Bandwidth{1'600'000'000};
  return spec;
}

double read_rate(const std::vector<Bandwidth>& way) {
  static const DeviceKind kind{"ssd", "a drive", nullptr, DeviceKind::Role::storage};
  SystemPlan plan = hosted(model());
  plan.parts.push_back({"disk", &kind, std::make_unique<SpecPlan<Ssd, SsdSpec>>(fast_drive())});
  plan.routes.emplace_back();
  for (const Bandwidth rate : way) {
    plan.routes.back().push_back(plan.links.size());
    plan.links.push_back({"pcie " + std::to_string(plan.links.size()), 0, 2, rate});
  }
  Machine machine = build(plan);
  constexpr Bytes large{1 << 20};
  return testing::load_disk(machine, testing::random_reads(large), 32, 2'000).per_second *
         static_cast<double>(large.count());
}

TEST_CASE("a drive is as fast as its port, or as the slowest link on its way to the host") {
  CHECK(read_rate({}) == doctest::Approx(6.74e9).epsilon(0.02));
  CHECK(read_rate({40 * gb_per_s}) == doctest::Approx(6.74e9).epsilon(0.02));
  CHECK(read_rate({4 * gb_per_s, 3 * gb_per_s}) == doctest::Approx(3e9).epsilon(0.02));
  CHECK(read_rate({3 * gb_per_s, 4 * gb_per_s}) == doctest::Approx(3e9).epsilon(0.02));
}

TEST_CASE("the same run twice gives the same fingerprint, another run another one") {
  const SystemPlan plan = hosted(model());
  const Run first(plan, small_network(), stack_of(3 * us));
  const Run again(plan, small_network(), stack_of(3 * us));
  const Run slower(plan, small_network(), stack_of(4 * us));

  CHECK(first.results.fingerprint == again.results.fingerprint);
  CHECK(first.results.fingerprint != slower.results.fingerprint);
}

TEST_CASE("the fingerprint does not need the records") {
  const SystemPlan plan = hosted(model());
  const Run kept(plan, small_network(), stack_of(3 * us));
  Machine machine = build(plan);
  const Result<Results> light = simulate(machine, small_network(), {"", stack_of(3 * us), nullptr});

  CHECK(light->fingerprint == kept.results.fingerprint);
}

TEST_CASE("the operation timer gives the interval of back-to-back launches") {
  const SystemPlan plan = hosted(model(), {5 * us, 9 * us, 1024, 2});
  OperationTimer timer(plan);

  // relu1: 80 kB at 100 GB/s is less than the 5 us between launches; two waves of four blocks.
  CHECK(timer.time(operation_named("relu1"))->interval == 5 * us);
  CHECK(timer.time(operation_named("relu1"))->task.bound == Bound::launch);
}

TEST_CASE("an earlier operation leaves nothing for the next one that is timed") {
  const SystemPlan plan = lone(gpu_part("gpu0", model()));
  OperationTimer timer(plan);
  const Duration first = timer.time(operation_named("conv1"))->interval;
  timer.time(operation_named("relu1"));

  CHECK(timer.time(operation_named("conv1"))->interval == first);
  CHECK_FALSE(timer.time(operation_named("strange")).ok());
  CHECK(timer.time(operation_named("conv1"))->interval == first);
}

}  // namespace
}  // namespace tantalus::test

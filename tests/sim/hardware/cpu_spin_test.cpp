#include "sim/hardware/cpu_spin.hpp"

#include <doctest/doctest.h>

#include "sim/hardware/cpu.hpp"
#include "tests/sim/hardware/cpu_fixture.hpp"
#include "tests/sim/hardware/fake_system.hpp"

namespace tantalus::test {

namespace {

constexpr Duration ms{1'000'000'000};
const DeviceRates two_cores{2, {1'000 * gb_per_s, 10 * gb_per_s}};
const SpinRule twice_as_long{10 * ms, 2.0};

KernelCost serial(Duration time) {
  KernelCost cost = kernel_of(1, {computing(time)});
  cost.units_limit = 1;
  return cost;
}

KernelCost parallel(Duration time) {
  KernelCost cost = kernel_of(2, {computing(time)});
  cost.units_limit = 2;
  return cost;
}

Duration stretched(const KernelCost& kernel, Duration left) {
  return alone_time(beside_spinners(kernel, twice_as_long, left, two_cores), two_cores);
}

}  // namespace

TEST_CASE("threads spin only where cores have siblings and the library says for how long") {
  CpuSpec spec = read_cpu("xeon-e5-2650-v3").value();
  CpuLibrary library = read_library("openblas-avx2-haswell").value();

  // 2^28 ticks at 2.3 GHz; beside spinners one core has the clock of all, and a thread beside a busy one runs at 0.62.
  CHECK(seconds(spin_rule_of(spec, library).lasts) == doctest::Approx(268435456 / 2.3e9));
  CHECK(spin_rule_of(spec, library).slower == doctest::Approx(3.0 / 2.3 / 0.62));
  library.threads.spin_ticks = 0;
  CHECK(spin_rule_of(spec, library).slower == 1.0);
  library.threads.spin_ticks = 1000;
  spec.smt.threads = 1;
  CHECK(spin_rule_of(spec, library).lasts == Duration{0});
}

TEST_CASE("a serial loop beside spinning threads takes longer until they sleep") {
  const auto about = [](Duration time) { return doctest::Approx(seconds(time)).epsilon(1e-9); };

  CHECK(seconds(stretched(serial(3 * ms), 10 * ms)) == about(6 * ms));
  CHECK(seconds(stretched(serial(8 * ms), 10 * ms)) ==
        about(13 * ms));  // five of eight in the first ten, three after
  CHECK(seconds(stretched(serial(8 * ms), Duration{0})) == about(8 * ms));
}

TEST_CASE("what main memory sets is not slowed by a spinning sibling") {
  KernelCost copy = kernel_of(1, {streaming(Bytes{50'000'000})});
  copy.units_limit = 1;

  CHECK(stretched(copy, 10 * ms) == alone_time(copy, two_cores));
}

TEST_CASE(
    "a phase split at the end of the spinning moves the same bytes and keeps its latency once") {
  KernelCost kernel = kernel_of(1, {streaming(Bytes{40'000'000})});
  kernel.groups[0].phases[0].unit_time = 8 * ms;
  kernel.groups[0].phases[0].latency = 1 * ms;

  const KernelCost split = beside_spinners(kernel, twice_as_long, 5 * ms, two_cores);

  CHECK(split.groups[0].phases.size() == 2);
  CHECK(total_bytes(split, SharedLevel::dram) == Bytes{40'000'000});
  CHECK(split.groups[0].phases[1].latency == Duration{0});
}

namespace {

class SpinningPlan final : public DevicePlan {
 public:
  explicit SpinningPlan(FakeModel model) : model_(std::move(model)) {}
  std::unique_ptr<Component> make(const DeviceSite& site) const override {
    return std::make_unique<Cpu>(site, model_, twice_as_long);
  }
  const DeviceModel* model() const override { return &model_; }

 private:
  FakeModel model_;
};

FakeModel threaded_model() {
  FakeModel model(two_cores);
  model.set("product", parallel(1 * ms));
  model.set("loop", serial(8 * ms));
  model.set("short", serial(1 * ms));
  return model;
}

SystemPlan spinning_system() {
  return lone({"cpu0", &fake_cpu_kind, std::make_unique<SpinningPlan>(threaded_model())});
}

std::vector<Duration> spans(const std::vector<std::string>& names) {
  const SystemPlan plan = spinning_system();
  Machine machine = build(plan);
  TaskGraph tasks;
  for (const std::string& name : names) tasks.add(operation_named(name));
  const Result<Results> results = simulate(machine, tasks);
  std::vector<Duration> found;
  for (const TaskResult& task : results->tasks) found.push_back(task.end - task.start);
  return found;
}

}  // namespace

TEST_CASE(
    "loops right after a parallel region find its threads spinning, later ones find them asleep") {
  const std::vector<Duration> took =
      spans({"loop", "product", "loop", "short", "product", "short"});

  CHECK(took[0] == 8 * ms);   // nothing parallel has run yet
  CHECK(took[2] == 13 * ms);  // they stop ten after the product
  CHECK(took[3] == 1 * ms);
  CHECK(took[5] == 2 * ms);
}

TEST_CASE("operators timed in turn see the threads that the one before left waiting") {
  const SystemPlan plan = spinning_system();
  OperationTimer timer(plan);
  const auto in_turn = [&](const char* name) {
    return timer.time_in_turn(operation_named(name))->framework;
  };

  CHECK(in_turn("loop") == 13 * ms);  // a parallel region has just ended
  CHECK(in_turn("loop") == 8 * ms);
  CHECK(in_turn("product") == 1 * ms);
  CHECK(in_turn("short") == 2 * ms);
  CHECK(timer.time(operation_named("loop"))->framework == 8 * ms);  // alone, nobody spins
}

}  // namespace tantalus::test

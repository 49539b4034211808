#include "sim/hardware/system_plan.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "sim/hardware/simulate.hpp"
#include "tests/golden.hpp"
#include "tests/sim/hardware/fake_system.hpp"

namespace tantalus::test {
namespace {

struct CardSpec {
  std::int64_t units = 0;
};
template <class Visitor>
void describe(Visitor& v, CardSpec& s) {
  v.required("units", s.units, within(1, 1024), "units");
}

template <bool gpu>
ReadDevice read_card(const DeviceSource& source) {
  Result<CardSpec> spec = read_spec<CardSpec>(source.body, source.context);
  if (!spec) return spec.diagnostics();
  FakeModel model({spec->units, {100 * gb_per_s, 100 * gb_per_s}});
  model.set("work", kernel_of(4, {computing(1 * us)}));
  if constexpr (gpu)
    return ReadDevice{std::make_unique<FakeGpuPlan>(std::move(model), instant_launch)};
  return ReadDevice{std::make_unique<FakeCpuPlan>(std::move(model))};
}

ReadDevice read_stuck(const DeviceSource& source) {
  Result<CardSpec> spec = read_spec<CardSpec>(source.body, source.context);
  if (!spec) return spec.diagnostics();
  return ReadDevice{std::make_unique<FakeGpuPlan>(
      FakeModel({spec->units, {1 * gb_per_s, Bandwidth{0}}}), instant_launch)};
}

/// A device that can run nothing.
class Disk final : public Component {
 public:
  Disk(Engine& engine, DeviceId id, std::string name, CardSpec)
      : Component(engine, id, std::move(name)) {}
  void list_ports(PortList&) override {}
};

const DeviceKind kinds[] = {{"gpu", "a card", &read_card<true>, DeviceKind::Role::accelerator},
                            {"cpu", "a processor", &read_card<false>, DeviceKind::Role::host}};

Result<DeviceText> no_files(const std::string& stem) { return unknown_device(stem); }

Result<SystemPlan> plan_text(const std::string& text) {
  const Result<SystemSpec> spec = load_system_text(text, "s.yaml", {&no_files, {}, true});
  if (!spec) return spec.diagnostics();
  return plan_system(*spec, kinds, &no_files);
}

const std::string parts =
    "tantalus: system/1\nname: two\nparts:\n"
    "  gpu1: {kind: gpu, units: 4}\n  cpu: {kind: cpu, units: 8}\n  gpu0: {kind: gpu, units: 4}\n";
const std::string links =
    "links:\n  - {join: [cpu, gpu0], pcie: {generation: 3, lanes: 16}}\n"
    "  - {join: [gpu1, gpu0], nvlink: {links: 4, generation: 2}}\n";

bool has(const Diagnostics& found, const std::string& code, int line) {
  return std::any_of(found.begin(), found.end(), [&](const Diagnostic& one) {
    return one.code == code && one.where.line == line;
  });
}

TEST_CASE("parts come by name, the CPU hosts, and routes follow the links") {
  const Result<SystemPlan> plan = plan_text(parts + links);

  REQUIRE(plan.ok());
  CHECK(plan->parts[0].name == "cpu");
  CHECK(plan->parts[2].name == "gpu1");
  CHECK(plan->host == std::size_t{0});
  CHECK(plan->routes[0].empty());
  CHECK(plan->routes[1].size() == 1);
  CHECK(plan->routes[2].size() == 2);  // through gpu0
  CHECK(plan->links[plan->routes[2][0]].name == "pcie cpu-gpu0");
}

TEST_CASE("the first GPU by name is chosen, then the CPU; any part can be asked for") {
  const Result<SystemPlan> plan = plan_text(parts + links);
  REQUIRE(plan.ok());

  CHECK(*choose_device(*plan, "") == 1);
  CHECK(*choose_device(*plan, "cpu") == 0);
  CHECK(choose_device(*plan, "gpu7").diagnostics()[0].code == "unknown-device");
}

TEST_CASE("the order of parts and links in the file changes nothing") {
  const std::string other =
      "tantalus: system/1\nname: two\nparts:\n"
      "  gpu0: {kind: gpu, units: 4}\n  gpu1: {kind: gpu, units: 4}\n  cpu: {kind: cpu, units: 8}\n"
      "links:\n  - {join: [gpu1, gpu0], nvlink: {links: 4, generation: 2}}\n"
      "  - {join: [cpu, gpu0], pcie: {generation: 3, lanes: 16}}\n";
  TaskGraph tasks;
  tasks.add("input", CopyWork{CopyWork::Direction::host_to_device, Bytes{1'000'000}});
  tasks.add(operation_named("work"));
  const Result<SystemPlan> one = plan_text(parts + links), two = plan_text(other);
  REQUIRE(one.ok());
  REQUIRE(two.ok());

  CHECK(Run(*one, tasks).results.fingerprint == Run(*two, tasks).results.fingerprint);
}

TEST_CASE("mistakes of all parts are reported together") {
  const Result<SystemPlan> plan = plan_text(
      "tantalus: system/1\nname: two\nparts:\n"
      "  gpu0: {kind: gpu, unitz: 4}\n  gpu1: {kind: gpu, units: 0}\n  tpu0: {kind: gpi, units: "
      "1}\n");

  REQUIRE_FALSE(plan.ok());
  CHECK(has(plan.diagnostics(), "unknown-kind", 6));
  CHECK(plan.diagnostics().size() == 3);  // misspelt field, out of range, unknown kind
}

TEST_CASE("an unknown kind proposes the nearest one") {
  const Result<SystemPlan> plan =
      plan_text("tantalus: system/1\nname: one\nparts:\n  g: {kind: gpuu, units: 4}\n");

  REQUIRE_FALSE(plan.ok());
  CHECK(plan.diagnostics()[0].hint == "did you mean 'gpu'?");
}

TEST_CASE("a GPU that no chain of links joins to the host is an error") {
  const Result<SystemPlan> plan =
      plan_text(parts + "links:\n  - {join: [gpu1, gpu0], nvlink: {links: 4, generation: 2}}\n");

  REQUIRE_FALSE(plan.ok());
  CHECK(has(plan.diagnostics(), "no-route", 8));  // at the link that touches it
}

TEST_CASE("a GPU that no link touches is reported where the system names it") {
  const Result<SystemPlan> plan =
      plan_text(parts + "links:\n  - {join: [cpu, gpu1], pcie: {generation: 3, lanes: 16}}\n");

  REQUIRE_FALSE(plan.ok());
  CHECK(has(plan.diagnostics(), "no-route", 6));
}

Diagnostic only_problem_of(const std::string& device, std::span<const DeviceKind> known) {
  const Result<SystemSpec> spec = load_system_text(device, "s.yaml", {&no_files, {}, true});
  REQUIRE(spec.ok());
  const Result<SystemPlan> plan = plan_system(*spec, known, &no_files);
  REQUIRE(plan.diagnostics().size() == 1);
  return plan.diagnostics().front();
}

TEST_CASE("a system of parts that run nothing is an error") {
  const DeviceKind disks[] = {
      {"disk", "stores things", &read_device<Disk, CardSpec>, DeviceKind::Role::other}};

  const Diagnostic problem = only_problem_of("tantalus: device/1\nkind: disk\nunits: 4\n", disks);

  CHECK(problem.code == "no-runner");
  testing::check_golden("tests/data/bad/run/no-runner.expected", render(problem));
}

TEST_CASE("a device whose memory has no bandwidth is an error") {
  const DeviceKind stuck[] = {{"gpu", "a card", &read_stuck, DeviceKind::Role::accelerator}};

  const Diagnostic problem = only_problem_of("tantalus: device/1\nkind: gpu\nunits: 4\n", stuck);

  CHECK(problem.code == "no-bandwidth");
  testing::check_golden("tests/data/bad/run/no-bandwidth.expected", render(problem));
}

TEST_CASE("an NVLink without a rate is an error at its line") {
  const Result<SystemPlan> plan =
      plan_text(parts +
                "links:\n  - {join: [cpu, gpu0], pcie: {generation: 3, lanes: 16}}\n"
                "  - {join: [gpu0, gpu1], nvlink: {links: 4}}\n");

  REQUIRE_FALSE(plan.ok());
  CHECK(has(plan.diagnostics(), "missing-rate", 9));
}

TEST_CASE("a link to an unknown part and one from a part to itself are errors at their lines") {
  const Result<SystemPlan> plan =
      plan_text(parts +
                "links:\n  - {join: [cpu, gpu5], pcie: {generation: 3, lanes: 16}}\n"
                "  - {join: [gpu0, gpu0], pcie: {generation: 3, lanes: 16}}\n");

  REQUIRE_FALSE(plan.ok());
  const auto at = [&](int line) {
    return std::any_of(plan.diagnostics().begin(), plan.diagnostics().end(),
                       [&](const Diagnostic& one) { return one.where.line == line; });
  };
  CHECK(at(8));
  CHECK(at(9));
}

TEST_CASE("the host section picks the processor, and refuses a part that is none") {
  const std::string two_cpus =
      "tantalus: system/1\nname: two\nparts:\n  cpu0: {kind: cpu, units: 1}\n  cpu1: {kind: cpu, "
      "units: 1}\n";

  const Result<SystemPlan> second = plan_text(two_cpus + "host: {processor: cpu1}\n");
  REQUIRE(second.ok());
  CHECK(second->host == std::size_t{1});
  const Result<SystemPlan> wrong = plan_text(two_cpus + "host: {processor: cpu2}\n");
  REQUIRE_FALSE(wrong.ok());
  CHECK(has(wrong.diagnostics(), "unknown-device", 6));
}

TEST_CASE("a device file alone has no host") {
  const Result<SystemPlan> plan = plan_text("tantalus: device/1\nkind: gpu\nunits: 4\n");

  REQUIRE(plan.ok());
  CHECK_FALSE(plan->host.has_value());
  CHECK(plan->parts[0].name == "gpu0");
}

TEST_CASE("a processor alone issues its own operations") {
  const Result<SystemPlan> plan = plan_text("tantalus: device/1\nkind: cpu\nunits: 4\n");

  REQUIRE(plan.ok());
  CHECK(plan->host == std::size_t{0});
}

}  // namespace
}  // namespace tantalus::test

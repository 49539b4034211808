// The files of hw_configs as the program reads them: every system plans, and what the events make of real parts.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/hardware/device_table.hpp"
#include "sim/hardware/simulate.hpp"
#include "source_dir.hpp"

namespace tantalus {
namespace {

const std::filesystem::path folder = std::filesystem::path(TANTALUS_SOURCE_DIR) / "hw_configs";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

DeviceLookUp look_in(const std::string& kind) {
  return [kind](const std::string& stem) -> Result<DeviceText> {
    const std::filesystem::path file = folder / kind / (stem + ".yaml");
    if (!std::filesystem::exists(file)) return unknown_device(stem);
    return DeviceText{file.string(), text_of(file)};
  };
}

Result<SystemPlan> plan_file(const std::filesystem::path& file,
                             const std::vector<std::string>& sets = {}) {
  SystemLoad load{look_in("devices"), {}, true};
  for (const std::string& set : sets) load.sets.push_back(parse_override(set).value());
  const Result<SystemSpec> spec = load_system_text(text_of(file), file.string(), load);
  if (!spec) return spec.diagnostics();
  return plan_system(*spec, device_kinds(), look_in("libraries"));
}

std::string all_texts(const Diagnostics& found) {
  std::string text;
  for (const Diagnostic& one : found) text += render(one);
  return text;
}

/// y = f(x) on `elements` fp32 values that no cache holds.
Operation stream_of(std::int64_t elements) {
  Operation operation;
  operation.name = "relu";
  operation.work = ElementwiseShape{ElementFn::relu, elements};
  operation.operands = {{TensorId{0}, Bytes{4 * elements}, false},
                        {TensorId{1}, Bytes{4 * elements}, true}};
  operation.other_ops = elements;
  return operation;
}

Duration time_on(const SystemPlan& plan, const Operation& operation) {
  return OperationTimer(plan).time(operation)->interval;
}

TEST_CASE("every system file plans and builds") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "systems")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 8);

  for (const std::filesystem::path& file : files) {
    const Result<SystemPlan> plan = plan_file(file);
    INFO(file.string(), "\n", all_texts(plan.diagnostics()));
    REQUIRE(plan.ok());
    CHECK(plan->host.has_value());
    CHECK(build(*plan).size() == plan->parts.size() + 2);  // and the fabric and the dispatcher
  }
}

TEST_CASE("doubling DRAM clock, channels or width gives the same gain on a streaming kernel") {
  const std::filesystem::path part = folder / "devices" / "a100-80gb-pcie.yaml";
  const Operation stream = stream_of(256 << 20);
  const Result<SystemPlan> plain = plan_file(part);
  REQUIRE(plain.ok());
  const Duration before = time_on(*plain, stream);
  const auto time_with = [&](const std::string& set) {
    const Result<SystemPlan> plan = plan_file(part, {"hypothetical=true", set});
    INFO(all_texts(plan.diagnostics()));
    REQUIRE(plan.ok());
    return time_on(*plan, stream);
  };

  const Duration clock = time_with("gpu0.dram.data_rate=6046 MT/s");
  const Duration channels = time_with("gpu0.dram.channels=80");
  const Duration width = time_with("gpu0.dram.channel_width=256 bit");

  CHECK(channels == width);
  CHECK(
      seconds(clock) ==
      doctest::Approx(seconds(channels)).epsilon(0.002));  // the clock is not doubled to the digit
  CHECK(seconds(before) > 1.5 * seconds(channels));
}

TEST_CASE("small operators on a large GPU in a system are host-bound, alone they are not") {
  TaskGraph tasks;
  for (int i = 0; i < 12; ++i) tasks.add(stream_of(1'000));
  const Result<SystemPlan> node = plan_file(folder / "systems" / "h200-node.yaml");
  const Result<SystemPlan> part = plan_file(folder / "devices" / "h200-sxm.yaml");
  REQUIRE(node.ok());
  REQUIRE(part.ok());
  Machine node_machine = build(*node), part_machine = build(*part);

  const Result<Results> hosted = simulate(node_machine, tasks);
  const Result<Results> alone = simulate(part_machine, tasks);

  REQUIRE(hosted.ok());
  REQUIRE(alone.ok());
  CHECK(hosted->tasks.back().bound == Bound::host);
  CHECK(alone->tasks.back().bound != Bound::host);
  CHECK(hosted->host_busy > hosted->device_busy);
  CHECK(alone->step < hosted->step);
}

TEST_CASE("twice the HBM rate pays on a streaming kernel") {
  const Result<SystemPlan> real = plan_file(folder / "systems" / "h200-node.yaml");
  const Result<SystemPlan> what_if = plan_file(folder / "systems" / "h200-double-hbm.yaml");
  REQUIRE(real.ok());
  REQUIRE(what_if.ok());

  CHECK(time_on(*what_if, stream_of(256 << 20)) < time_on(*real, stream_of(256 << 20)));
}

TEST_CASE("a link trains at the lesser of what it offers and what the device's own port can do") {
  const std::filesystem::path file = folder / "systems" / "cloud-t4.yaml";
  const auto copy_time = [&](const std::vector<std::string>& sets) {
    const Result<SystemPlan> plan = plan_file(file, sets);
    REQUIRE(plan.ok());
    Machine machine = build(*plan);
    TaskGraph tasks;
    tasks.add("input", CopyWork{CopyWork::Direction::host_to_device, Bytes{1 << 30}});
    return simulate(machine, tasks)->step;
  };

  const double full = seconds(copy_time({}));
  CHECK(seconds(copy_time({"gpu0.pcie.lanes=8"})) == doctest::Approx(2 * full).epsilon(0.01));
  CHECK(seconds(copy_time({"gpu0.pcie.generation=2"})) > 1.9 * full);
  CHECK(seconds(copy_time({"gpu0.pcie.generation=6", "gpu0.pcie.lanes=32"})) ==
        doctest::Approx(full));
}

}  // namespace
}  // namespace tantalus

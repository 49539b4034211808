// Every kernel of LeNet's training step: what the simulator says that it asks of the L1 and L2 against what the emulator counts.
// docs/modelling.md, "Our own kernels", says which are exact and why the others are not.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/predicted_run.hpp"

namespace tantalus::test {
namespace {

using emulate::AccessKind;
using emulate::LaunchTraffic;
using emulate::sector_bytes;

struct StepTraffic {
  std::string name;
  Pass pass = Pass::forward;
  std::int64_t bias = 0;  // bytes
  std::vector<KernelCost> predicted;
  std::vector<LaunchTraffic> counted;
};

std::vector<StepTraffic> run_lenet(std::int64_t batch, Algorithm convolutions) {
  const PredictedRun run("lenet", our_run(batch, Mode::training), "a100-80gb-pcie", convolutions);
  kernels::GpuChain chain({}, run.program, run.chooser());
  std::vector<StepTraffic> steps;
  for (std::size_t i = 0; i < run.program.steps.size(); ++i) {
    emulate::TrafficRecorder recorder;
    emulate::record_into(&recorder);
    chain.kernels()[i].run();
    emulate::record_into(nullptr);
    const Operation& operation = run.operations[i];
    const std::size_t count = operation.operands.size();
    const std::int64_t bias = operation.bias ? operation.operands[count - 2].size.count() : 0;
    steps.push_back({operation.name, operation.pass, bias, run.predicted[i], recorder.launches()});
  }
  return steps;
}

bool is_product(const KernelCost& kernel) {
  return kernel.launch.name.find("gemm_") != std::string::npos;
}

std::int64_t bytes_of_phase(const KernelCost& kernel, std::size_t phase) {
  const BlockGroup& group = kernel.groups.front();
  return group.phases.at(phase).bytes[0].count() * group.blocks;
}

bool same_launch(const KernelCost& predicted, const LaunchTraffic& counted) {
  const auto& grid = predicted.launch.grid;
  const kernels::Dim3 g = counted.shape.grid;
  return grid[0] == g.x && grid[1] == g.y && grid[2] == g.z &&
         predicted.launch.block[0] == counted.shape.block.x;
}

/// Each block's share is rounded up to a byte.
void check_rounded_up(std::int64_t predicted, std::int64_t exact, std::int64_t blocks) {
  CHECK(predicted >= exact);
  CHECK(predicted < exact + blocks);
}

/// A product reads every operand of its layer at least once, the model says: the bias too, which is a kernel of its own here.
void check_read(const KernelCost& predicted, std::int64_t asked, std::int64_t bias) {
  const std::int64_t blocks = predicted.groups.front().blocks;
  const std::int64_t model = bytes_of_phase(predicted, 0);
  check_rounded_up(model, model >= asked + bias ? asked + bias : asked, blocks);
}

/// Products: the bytes that threads ask for, of both operands and of the results.
void check_product(const KernelCost& predicted, const LaunchTraffic& counted, std::int64_t bias,
                   bool exact) {
  CHECK(same_launch(predicted, counted));
  CHECK(predicted.launch.shared_bytes.count() == counted.shared_bytes);
  const std::int64_t blocks = predicted.groups.front().blocks;
  const std::int64_t read = counted.of(AccessKind::read).bytes;
  if (exact) {
    check_read(predicted, read, bias);
  } else {
    CHECK(bytes_of_phase(predicted, 0) >= read);
  }
  check_rounded_up(bytes_of_phase(predicted, 1), counted.of(AccessKind::write).bytes, blocks);
}

/// Streams: the sectors of every operand once.
void check_stream(const KernelCost& predicted, const LaunchTraffic& counted) {
  const std::int64_t sectors = counted.of(AccessKind::read).footprint -
                               counted.of(AccessKind::read, "bias").footprint +
                               counted.of(AccessKind::write).footprint;
  std::int64_t buffers = 0;
  for (const auto& kind : counted.by_buffer) buffers += static_cast<std::int64_t>(kind.size());
  const std::int64_t model = total_bytes(predicted, SharedLevel::cache).count();
  const std::int64_t blocks = predicted.groups.front().blocks;
  CHECK(sectors * sector_bytes > model - blocks - 1);
  CHECK(sectors * sector_bytes < model + buffers * sector_bytes);
}

void check_step(const StepTraffic& step, bool implicit) {
  INFO(step.name, " ", name_of(step.pass));
  if (step.pass == Pass::update) {  // one kernel a layer there, one a parameter here
    std::int64_t bytes = 0;
    for (const LaunchTraffic& launch : step.counted)
      bytes += launch.of(AccessKind::read).bytes + launch.of(AccessKind::write).bytes;
    REQUIRE(step.predicted.size() == 1);
    check_rounded_up(total_bytes(step.predicted[0], SharedLevel::cache).count(), bytes,
                     step.predicted[0].groups.front().blocks);
    return;
  }
  REQUIRE(step.predicted.size() == step.counted.size());
  for (std::size_t i = 0; i < step.counted.size(); ++i) {
    const LaunchTraffic& counted = step.counted[i];
    INFO(step.predicted[i].launch.name, " / ", counted.kernel);
    // At the border, taps of the gradient reach past the outputs: they are not loaded, but the model counts them.
    const bool exact = !(implicit && counted.kernel.rfind("conv_input_gradient", 0) == 0);
    if (is_product(step.predicted[i])) {
      check_product(step.predicted[i], counted, step.bias, exact);
    } else {
      check_stream(step.predicted[i], counted);
    }
  }
}

TEST_CASE("the traffic of LeNet's kernels is what the simulator assumes, by implicit GEMM") {
  for (const std::int64_t batch : {1, 5}) {
    for (const StepTraffic& step : run_lenet(batch, Algorithm::implicit_gemm))
      check_step(step, true);
  }
}

TEST_CASE("the traffic of LeNet's kernels is what the simulator assumes, by im2col") {
  for (const std::int64_t batch : {1, 5}) {
    for (const StepTraffic& step : run_lenet(batch, Algorithm::im2col_gemm))
      check_step(step, false);
  }
}

TEST_CASE("the element-wise kernels of LeNet ask for each sector once") {
  for (const StepTraffic& step : run_lenet(5, Algorithm::implicit_gemm)) {
    for (const LaunchTraffic& launch : step.counted) {
      if (launch.kernel.rfind("relu", 0) != 0 && launch.kernel != "sgd") continue;
      INFO(step.name, " ", launch.kernel);
      for (const AccessKind kind : {AccessKind::read, AccessKind::write})
        CHECK(launch.of(kind).sectors == launch.of(kind).footprint);
    }
  }
}

}  // namespace
}  // namespace tantalus::test

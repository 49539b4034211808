// Whole networks with random weights: a forward pass and training steps with the CUDA kernels under the emulator.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kernels/gpu/graph.cuh"
#include "tests/kernels/gpu/predicted_run.hpp"

namespace tantalus::test {
namespace {

using kernels::GpuChain;

/// Every number that the chain holds, tensor after tensor.
std::vector<std::vector<float>> all_numbers(const GpuChain& chain,
                                            const kernels::Program& program) {
  std::vector<std::vector<float>> all;
  for (std::size_t i = 0; i < program.tensor_bytes.size(); ++i) {
    const int tensor = static_cast<int>(i);
    if (kernels::holds_numbers(program, tensor)) all.push_back(chain.values(tensor));
  }
  return all;
}

double largest_difference(const std::vector<std::vector<float>>& a,
                          const std::vector<std::vector<float>>& b) {
  double worst = 0.0;
  for (std::size_t t = 0; t < a.size(); ++t) {
    double most = 1e-30, off = 0.0;
    for (std::size_t i = 0; i < a[t].size(); ++i) {
      most = std::max(most, std::abs(static_cast<double>(a[t][i])));
      const double difference = std::abs(static_cast<double>(a[t][i]) - b[t][i]);
      if (!(difference <= off)) off = difference;  // takes a NaN
    }
    if (!(off / most <= worst)) worst = off / most;
  }
  return worst;
}

TEST_CASE("a training step of LeNet leaves the same numbers whatever the tiles and the algorithm") {
  const RunSpec run = our_run(2, Mode::training);
  const PredictedRun implicit("lenet", run, "a100-80gb-pcie", Algorithm::implicit_gemm);
  const PredictedRun columns("lenet", run, "t4", Algorithm::im2col_gemm);
  GpuChain first({}, implicit.program, implicit.chooser());
  GpuChain second({}, columns.program, columns.chooser());
  GpuChain third({}, implicit.program,
                 [](const kernels::Step& step) { return kernels::usual_choice(step, 16); });

  first.run();
  second.run();
  third.run();

  const auto numbers = all_numbers(first, implicit.program);
  CHECK(largest_difference(numbers, all_numbers(second, columns.program)) < 1e-4);
  CHECK(largest_difference(numbers, all_numbers(third, implicit.program)) < 1e-4);
  for (const auto& tensor : numbers) {
    for (const float value : tensor) REQUIRE(std::isfinite(value));
  }
}

TEST_CASE("a training step recorded as a graph does what its launches do") {
  const PredictedRun run("lenet", our_run(1, Mode::training), "a100-80gb-pcie",
                         Algorithm::automatic);
  GpuChain plain({}, run.program, run.chooser());
  GpuChain recorded({}, run.program, run.chooser());
  kernels::Graph graph({}, [&] { recorded.run(); });

  for (int step = 0; step < 2; ++step) {
    plain.run();
    graph.start({});
  }

  CHECK(largest_difference(all_numbers(plain, run.program), all_numbers(recorded, run.program)) ==
        0.0);
}

TEST_CASE("each step claims multiply-adds as the network has them") {
  const PredictedRun run("lenet", our_run(2, Mode::training), "a100-80gb-pcie",
                         Algorithm::implicit_gemm);
  GpuChain chain({}, run.program, [](const kernels::Step&) { return kernels::ProductChoice{}; });
  chain.run();
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const Operation& operation = run.operations[i];
    if (operation.macs == 0) continue;
    INFO(operation.name);
    const std::int64_t bias = operation.bias ? operation.operands.back().size.count() / 4 : 0;
    CHECK(chain.claim(i).flops == 2 * operation.macs + bias);
  }
}

void check_whole_pass(const std::string& network, Mode mode) {
  const PredictedRun run(network, our_run(1, mode), "a100-80gb-pcie", Algorithm::automatic);
  GpuChain chain({}, run.program, run.chooser());
  chain.run();
  const std::vector<float> scores = chain.values(run.program.steps.back().at.y);
  double sum = 0.0;
  for (const float score : scores) {
    REQUIRE(std::isfinite(score));
    sum += std::abs(score);
  }
  CHECK(sum > 0.0);
}

TEST_CASE("a forward pass of AlexNet comes to its end, in one tower and as in 2012") {
  check_whole_pass("alexnet", Mode::inference);
  check_whole_pass("alexnet-2012", Mode::inference);
}

}  // namespace
}  // namespace tantalus::test

#include "validate/program_of.hpp"

#include <string>

#include <doctest/doctest.h>

#include "models/dnn/lower.hpp"
#include "sim/config/network_spec.hpp"

namespace tantalus::validation {
namespace {

Network network_of(const std::string& layers) {
  const std::string text =
      "tantalus: network/1\nname: test\nsources: {\"*\": test}\ninput: {image: [3, 8, 8]}\n"
      "classes: 10\nlayers:\n" +
      layers;
  const Result<NetworkSpec> spec = read_network(text, "test.yaml");
  REQUIRE(spec);
  Result<Network> network = infer(*spec);
  REQUIRE(network);
  return std::move(network).value();
}

RunSpec training(std::int64_t batch) {
  RunSpec run;
  run.batch = batch;
  run.mode = Mode::training;
  return run;
}

TEST_CASE("a lowered training step becomes as many steps with the tensors in their roles") {
  const Network network = network_of(
      "  - {name: conv, kind: conv2d, out: 4, kernel: 3}\n  - {name: relu, kind: relu}\n"
      "  - {name: pool, kind: max_pool, kernel: 2}\n  - {name: fc, kind: linear, out: 10}\n");
  const TaskGraph tasks = lower(network, training(2));

  const Result<kernels::Program> program = program_of(network, tasks, true);

  REQUIRE(program);
  REQUIRE(program->steps.size() == tasks.tasks().size());
  const kernels::Step& conv = program->steps.front();
  const auto& size = std::get<kernels::ConvSize>(conv.size);
  CHECK(size.batch == 2);
  CHECK(size.out_h == 6);
  CHECK(conv.at.bias != kernels::none);
  CHECK(program->steps[1].at.x == conv.at.y);  // ReLU reads what the convolution wrote
  CHECK(program->tensor_bytes[static_cast<std::size_t>(conv.at.w)] == 4 * 3 * 9 * 4);
}

TEST_CASE("the gradients of a fully connected layer keep batch, inputs and outputs apart") {
  const Network network =
      network_of("  - {name: fc1, kind: linear, out: 7}\n  - {name: fc2, kind: linear, out: 10}\n");
  const Result<kernels::Program> program = program_of(network, lower(network, training(3)), true);
  REQUIRE(program);

  for (const kernels::Step& step : program->steps) {
    const auto* fc = std::get_if<kernels::LinearSize>(&step.size);
    if (fc == nullptr) continue;
    CHECK(fc->batch == 3);
    const bool first = step.name.rfind("fc1", 0) == 0;
    CHECK(fc->out == (first ? 7 : 10));
    CHECK(fc->in == (first ? 192 : 7));
  }
}

TEST_CASE("a layer without a kernel in the harness is refused by name") {
  const Network network = network_of(
      "  - {name: conv, kind: conv2d, out: 4, kernel: 3}\n  - {name: norm, kind: batch_norm}\n"
      "  - {name: fc, kind: linear, out: 10}\n");

  const Result<kernels::Program> program = program_of(network, lower(network, training(2)), true);

  REQUIRE_FALSE(program);
  CHECK(program.diagnostics().front().code == "not-measurable");
  CHECK(program.diagnostics().front().path.rfind("norm", 0) == 0);
}

}  // namespace
}  // namespace tantalus::validation

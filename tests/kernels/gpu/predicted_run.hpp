// A network of models/networks predicted with the catalogue of our own kernels, and the same steps as a program with the tiles
// and algorithms that the prediction chose.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kernels/gpu/gpu_chain.cuh"
#include "models/dnn/lower.hpp"
#include "sim/config/network_spec.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"
#include "validate/predicted_choice.hpp"
#include "validate/program_of.hpp"

namespace tantalus::test {

inline Network network_of(const std::string& stem) {
  const std::string path = "models/networks/" + stem + ".yaml";
  const Result<NetworkSpec> spec = read_network(read_text(path), path);
  REQUIRE(spec);
  Result<Network> network = infer(*spec);
  REQUIRE(network);
  return std::move(network).value();
}

/// As hw_configs/libraries/tantalus-cuda.yaml has it.
inline RunSpec our_run(std::int64_t batch, Mode mode) {
  RunSpec run;
  run.batch = batch;
  run.mode = mode;
  run.software.bytes_of_index = 4;
  return run;
}

struct PredictedRun {
  PredictedRun(const std::string& network, const RunSpec& run, const std::string& device,
               Algorithm convolutions) {
    const Network whole = network_of(network);
    const TaskGraph tasks = lower(whole, run);
    Result<kernels::Program> made =
        validation::program_of(whole, tasks, run.mode == Mode::training);
    REQUIRE(made);
    program = std::move(made).value();
    const GpuModel model(read_gpu(device).value(), {read_gpu_library("tantalus-kernels").value()});
    for (const Task& task : tasks.tasks()) {
      operations.push_back(std::get<Operation>(task.work));
      if (std::holds_alternative<ConvShape>(operations.back().work))
        operations.back().algorithm = convolutions;
      Result<std::vector<KernelCost>> kernels = model.kernels(operations.back(), {});
      REQUIRE(kernels.ok());
      predicted.push_back(std::move(kernels).value());
    }
  }

  /// For GpuChain: the choices in the order of the steps.
  kernels::Chooser chooser() const {
    return [this](const kernels::Step& step) {
      const auto place = static_cast<std::size_t>(&step - program.steps.data());
      std::vector<std::string> names;
      for (const KernelCost& kernel : predicted.at(place)) names.push_back(kernel.launch.name);
      return validation::choice_from(names).value_or(kernels::ProductChoice{});
    };
  }

  kernels::Program program;
  std::vector<Operation> operations;
  std::vector<std::vector<KernelCost>> predicted;  // of each step
};

}  // namespace tantalus::test

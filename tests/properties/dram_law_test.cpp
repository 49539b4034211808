// A law of caches: what a pass touches and the last-level cache cannot hold has crossed device memory.
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/dnn/lower.hpp"
#include "sim/config/network_spec.hpp"
#include "sim/hardware/reuse.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {
namespace {

Network network_of(const std::string& stem) {
  const std::string path = "models/networks/" + stem + ".yaml";
  const Result<NetworkSpec> spec = read_network(read_text(path), path);
  REQUIRE(spec);
  Result<Network> network = infer(*spec);
  REQUIRE(network);
  return std::move(network).value();
}

/// Every tensor of the pass once.
Bytes touched_by(const TaskGraph& tasks) {
  std::map<TensorId, Bytes> sizes;
  for (const Task& task : tasks.tasks()) {
    for (const TensorUse& use : std::get<Operation>(task.work).operands)
      sizes[use.tensor] = std::max(sizes[use.tensor], use.size);
  }
  Bytes all;
  for (const auto& [tensor, size] : sizes) all += size;
  return all;
}

Bytes predicted_dram_bytes(const GpuModel& model, const TaskGraph& tasks) {
  ReuseTracker tracker;
  Bytes all;
  for (const Task& task : tasks.tasks()) {
    const auto& operation = std::get<Operation>(task.work);
    const std::vector<Bytes> distances = tracker.use(operation.operands);
    const auto kernels = model.kernels(operation, distances);
    REQUIRE(kernels.ok());
    for (const KernelCost& kernel : *kernels) all += total_bytes(kernel, SharedLevel::dram);
  }
  return all;
}

void check_law(const GpuModel& model, const std::string& network, Mode mode, std::int64_t batch) {
  RunSpec run;
  run.batch = batch;
  run.mode = mode;
  const TaskGraph tasks = lower(network_of(network), run);
  INFO(model.spec().name, ", ", network, ", batch ", batch, ", ", name_of(mode));
  CHECK(predicted_dram_bytes(model, tasks) >= touched_by(tasks) - model.spec().l2.capacity);
}

TEST_CASE("a pass moves at least what exceeds the last-level cache through device memory") {
  std::vector<GpuModel> models;
  for (const char* device : {"gtx1080", "t4", "v100-pcie", "a100-80gb-pcie", "mi210"})
    models.push_back(gpu_model(device));
  models.emplace_back(read_gpu("a100-80gb-pcie").value(),
                      std::vector<GpuLibrary>{read_gpu_library("tantalus-kernels").value()});
  for (const GpuModel& model : models) {
    for (const Mode mode : {Mode::inference, Mode::training}) {
      check_law(model, "lenet", mode, 1);
      check_law(model, "lenet", mode, 4096);
      check_law(model, "alexnet", mode, 1);
      check_law(model, "alexnet", mode, 64);
      check_law(model, "alexnet-2012", mode, 16);
    }
  }
}

}  // namespace
}  // namespace tantalus::test

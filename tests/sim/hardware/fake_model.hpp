// A DeviceModel whose kernels are written by the test: the test double of GpuModel and CpuModel. An operation's kernels are
// looked up by its name; an unknown name is refused with a Diagnostic, as a real model refuses a number format.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/hardware/device_model.hpp"

namespace tantalus::test {

inline constexpr Duration us{1'000'000};  // picoseconds
inline constexpr Bandwidth gb_per_s{1'000'000'000};

class FakeModel final : public DeviceModel {
 public:
  explicit FakeModel(DeviceRates rates) : rates_(rates) {}

  void set(const std::string& operation, std::vector<KernelCost> kernels) {
    kernels_[operation] = std::move(kernels);
  }
  void set(const std::string& operation, KernelCost kernel) {
    set(operation, std::vector<KernelCost>{std::move(kernel)});
  }

  Result<std::vector<KernelCost>> kernels(const Operation& operation,
                                          ReuseDistances reuse) const override {
    seen_distances.emplace_back(reuse.begin(), reuse.end());
    if (const auto known = kernels_.find(operation.name); known != kernels_.end())
      return known->second;
    return Diagnostic{Severity::error,
                      "unsupported-number-format",
                      {},
                      "",
                      "cannot run '" + operation.name + "'",
                      "",
                      1};
  }
  DeviceRates rates() const override { return rates_; }
  ListedPeaks listed_peaks(DType) const override { return {1e12, 1e11}; }
  std::array<Bound, shared_levels> level_bounds() const override {
    return {Bound::l2, Bound::dram};
  }
  Bytes memory_capacity() const override { return Bytes{1'000'000}; }
  Bytes context_bytes() const override { return Bytes{1'000}; }
  std::string library_of(const Operation&) const override { return "fake-library"; }
  bool library_is_generic() const override { return false; }
  Doubt doubt(const Operation&, Bound) const override { return {"fake", 0.25, 0.0}; }

  mutable std::vector<std::vector<Bytes>>
      seen_distances;  // by call, for tests of the order of execution

 private:
  DeviceRates rates_;
  std::map<std::string, std::vector<KernelCost>> kernels_;
};

/// A phase that only needs its unit.
inline BlockPhase computing(Duration unit_time, double max_share = 1.0) {
  BlockPhase phase;
  phase.unit_time = unit_time;
  phase.max_share = max_share;
  return phase;
}

/// A phase that only moves bytes through DRAM.
inline BlockPhase streaming(Bytes dram, Bandwidth max_rate = Bandwidth{0}) {
  BlockPhase phase;
  phase.bytes[1] = dram;
  phase.max_rate[1] = max_rate;
  return phase;
}

inline KernelCost kernel_of(std::int64_t blocks, std::vector<BlockPhase> phases, int per_unit = 1) {
  KernelCost cost;
  cost.launch.name = "kernel";
  cost.launch.grid = {blocks, 1, 1};
  cost.groups.push_back({blocks, std::move(phases)});
  cost.blocks_per_unit = per_unit;
  return cost;
}

inline Operation operation_named(const std::string& name) {
  Operation operation;
  operation.name = name;
  operation.work = ElementwiseShape{};
  return operation;
}

}  // namespace tantalus::test

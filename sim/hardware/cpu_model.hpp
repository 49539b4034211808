// A CPU as a DeviceModel: operations in, costs of its library's kernels out. It has no clock and no state; the component that
// owns it (cpu.hpp) adds when. A serial loop is one block on one core, a parallel region one block for each core that takes
// part (static partition), with the remainder as a group of its own so that the tail is right.
//
// Errors: number formats without arithmetic, algorithms that the catalogue lacks and shapes beyond 64-bit time come back as
// Diagnostics. Equations and expected errors: docs/modelling.md, "CPU kernels", "CPU memory levels", "Threads".
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/hardware/cpu_library.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/device_model.hpp"
#include "sim/hardware/doubt.hpp"
#include "sim/hardware/memory_levels.hpp"

namespace tantalus {

class CpuModel final : public DeviceModel {
 public:
  /// Both derived and checked (read_spec does that); a spec that check() calls contradictory is a broken invariant.
  /// `measured` says which rates of the device come from its calibration.
  CpuModel(CpuSpec spec, CpuLibrary library, Measured measured = {});

  Result<std::vector<KernelCost>> kernels(const Operation& operation,
                                          ReuseDistances reuse) const override;

  bool wants_packed_weights(const Operation& operation) const override;

  DeviceRates rates() const override { return rates_; }
  Bandwidth neighbour_traffic() const override {
    return spec_.l3 ? spec_.l3->neighbours : Bandwidth{0};
  }
  ListedPeaks listed_peaks(DType type) const override;
  std::array<Bound, shared_levels> level_bounds() const override {
    return {Bound::l3, Bound::dram};
  }
  Bytes memory_capacity() const override { return spec_.dram.capacity; }
  Bytes context_bytes() const override { return Bytes{0}; }
  std::optional<MemoryHierarchy> memory_hierarchy() const override { return memory_of(spec_); }
  std::string library_of(const Operation&) const override { return library_.name; }
  bool library_is_generic() const override { return library_.generic; }
  Doubt doubt(const Operation& operation, Bound bound) const override;

  const CpuSpec& spec() const { return spec_; }
  const CpuLibrary& library() const { return library_; }

 private:
  CpuSpec spec_;
  CpuLibrary library_;
  Measured measured_;
  DeviceRates rates_;
};

}  // namespace tantalus

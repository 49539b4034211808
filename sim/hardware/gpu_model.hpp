// A GPU as a DeviceModel: an operation in, the kernels of its library's fastest algorithm out. It has no clock and no state;
// the component that owns it (gpu.hpp) adds when. Everything that depends on the device and the catalogue alone, such as the
// occupancy of each tile, is computed once, so that an operation costs microseconds to price.
//
// Errors: number formats without arithmetic, algorithms that no catalogue lists, kernels that fit no SM and shapes beyond
// 64-bit time come back as Diagnostics (codes unsupported-number-format, unknown-algorithm, no-kernel-fits, too-large).
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/hardware/device_model.hpp"
#include "sim/hardware/doubt.hpp"
#include "sim/hardware/gpu_library.hpp"
#include "sim/hardware/gpu_spec.hpp"

namespace tantalus {

class GpuModel final : public DeviceModel {
 public:
  /// All derived and checked (read_spec does that). Catalogues in order of preference: the first that can run an operation
  /// answers for it. A spec that check() calls contradictory, or no catalogue, is a broken invariant. `measured` says which
  /// rates of the device come from its calibration.
  GpuModel(const GpuSpec& spec, std::vector<GpuLibrary> libraries, Measured measured = {});
  GpuModel(GpuModel&&) noexcept;
  ~GpuModel() override;

  Result<std::vector<KernelCost>> kernels(const Operation& operation,
                                          ReuseDistances reuse) const override;

  bool wants_channels_last(const Operation& operation) const override;
  DeviceRates rates() const override;
  ListedPeaks listed_peaks(DType type) const override;
  std::array<Bound, shared_levels> level_bounds() const override {
    return {Bound::l2, Bound::dram};
  }
  Bytes memory_capacity() const override;
  Bytes context_bytes() const override;
  std::optional<MemoryHierarchy> memory_hierarchy() const override;
  std::string library_of(const Operation& operation) const override;
  bool library_is_generic() const override;
  Doubt doubt(const Operation& operation, Bound bound) const override;

  const GpuSpec& spec() const;

 private:
  struct Tables;
  std::unique_ptr<const Tables> tables_;
};

}  // namespace tantalus

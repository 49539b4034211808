// What every device that runs operations can answer without a clock: which kernels an operation becomes and what they cost.
// The event components (gpu.hpp, cpu.hpp) own one of these and only add *when*. Implemented by GpuModel and CpuModel.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/hardware/kernel_cost.hpp"
#include "sim/results/memory_levels.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

/// For each operand of an operation, in order: bytes that other uses moved since its last use (reuse distance). Untouched
/// data has `never_used`. A device turns distance into the share that its caches still hold. `foreign` counts what others than
/// this program moved through a cache that they share with it; empty where nobody does.
inline constexpr Bytes never_used{INT64_MAX};
class ReuseDistances {
 public:
  ReuseDistances() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a list of distances is one, in every test
  ReuseDistances(const std::vector<Bytes>& own) : own_(own) {}
  ReuseDistances(const std::vector<Bytes>& own, const std::vector<Bytes>& foreign)
      : own_(own), foreign_(foreign) {}

  std::size_t size() const { return own_.size(); }
  Bytes operator[](std::size_t operand) const { return own_[operand]; }
  Bytes foreign(std::size_t operand) const {
    return operand < foreign_.size() ? foreign_[operand] : Bytes{0};
  }
  auto begin() const { return own_.begin(); }
  auto end() const { return own_.end(); }

 private:
  std::span<const Bytes> own_, foreign_;
};

/// What the data sheet promises: the yardstick of a roofline, never of the simulation.
struct ListedPeaks {
  double flops =
      0;  // a second at one number format, on the fastest unit, multiply and add counted as two
  double bandwidth = 0;  // bytes a second of main memory
};

/// max(FLOPs / peak, operand bytes / bandwidth): the plain roofline that predictions are shown beside.
Duration roofline_time(const Operation& operation, const ListedPeaks& peaks);

class DeviceModel {
 public:
  virtual ~DeviceModel() = default;

  /// The kernels of the fastest algorithm, in the order they run; a Diagnostic when the device cannot run it at all (no
  /// lanes for the number format).
  virtual Result<std::vector<KernelCost>> kernels(const Operation& operation,
                                                  ReuseDistances reuse) const = 0;

  /// True when the units that would run this convolution read images channels_last only.
  virtual bool wants_channels_last(const Operation&) const { return false; }

  /// True when this convolution's kernel reads its weights in blocks of its own, not as the framework keeps them.
  virtual bool wants_packed_weights(const Operation&) const { return false; }

  virtual DeviceRates rates() const = 0;
  /// What neighbours move through a cache that they share with this device; zero where it is alone.
  virtual Bandwidth neighbour_traffic() const { return Bandwidth{0}; }
  virtual ListedPeaks listed_peaks(DType type) const = 0;
  virtual std::array<Bound, shared_levels> level_bounds() const = 0;  // {l2, dram} or {l3, dram}
  virtual Bytes memory_capacity() const = 0;
  virtual Bytes context_bytes() const = 0;
  /// From the registers outwards; none for a device whose file does not say.
  virtual std::optional<MemoryHierarchy> memory_hierarchy() const { return std::nullopt; }

  /// The catalogue that answered for this operation, and whether it is a generic one.
  virtual std::string library_of(const Operation& operation) const = 0;
  virtual bool library_is_generic() const = 0;

  /// How far the time of this operation's kernels is to be trusted when `bound` is what its longest kernel waited for: the
  /// catalogue's stated error of the operation's family, and what it says of rates that the device's file did not measure.
  virtual Doubt doubt(const Operation& operation, Bound bound) const = 0;
};

}  // namespace tantalus

// Reuse distances: how many bytes went by since a tensor was last touched. A cache that keeps the most recent bytes holds what
// was touched a short distance ago; the device turns distance into the share that it still holds. Pure bookkeeping over the
// order of uses: no clock, no cache size, nothing about which device runs what.
//
// The operation that last used a tensor counts with all its operands: it streams them side by side, so that by its end about
// that many bytes separate an element from its use. For the same operation repeated, the distance is its operands' size, as
// the GPU timing study uses it (docs/modelling.md, "GPU kernels").
#pragma once

#include <map>
#include <span>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/workload/operation.hpp"
#include "sim/workload/tensor.hpp"

namespace tantalus {

class ReuseTracker {
 public:
  /// The distance of every operand, in order, `never_used` for tensors not seen before; then records these uses.
  std::vector<Bytes> use(std::span<const TensorUse> operands);

  /// How long ago each operand was last used, in order, zero for tensors not seen before; then records these uses at `now`.
  std::vector<Duration> ages(std::span<const TensorUse> operands, TimePoint now);

  /// Bytes that went by without a name (a copy into device memory): they push out what was there.
  void pass_by(Bytes size);

 private:
  Bytes gone_by_;
  std::map<TensorId, Bytes> last_use_;  // value of gone_by_ when the last operation to use it began
  std::map<TensorId, TimePoint> used_at_;
};

}  // namespace tantalus

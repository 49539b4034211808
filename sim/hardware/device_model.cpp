#include "sim/hardware/device_model.hpp"

#include <algorithm>

namespace tantalus {

Duration roofline_time(const Operation& operation, const ListedPeaks& peaks) {
  const double flops =
      2.0 * static_cast<double>(operation.macs) + static_cast<double>(operation.other_ops);
  const auto bytes = static_cast<double>(operand_bytes(operation).count());
  const double compute = peaks.flops > 0.0 ? flops / peaks.flops : 0.0;
  return duration_from_seconds(std::max(compute, bytes / peaks.bandwidth));
}

}  // namespace tantalus

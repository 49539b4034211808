// The operands of an operation as passes over memory: which bytes, how long ago. Shared by the CPU kernels; pure.
#pragma once

#include <cstddef>

#include "sim/hardware/cpu_memory.hpp"
#include "sim/hardware/cpu_region.hpp"
#include "sim/hardware/device_model.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

/// An operation together with how long ago each operand was used; operands beyond the span count as never used.
struct CpuRequest {
  const Operation& operation;
  ReuseDistances reuse;

  Distance distance(std::size_t operand) const {
    const Bytes bytes = operand < reuse.size() ? reuse[operand] : never_used;
    return {static_cast<double>(bytes.count()),
            static_cast<double>(reuse.foreign(operand).count())};
  }
  double element() const { return static_cast<double>(element_size(operation.type)); }
};

/// One pass over one operand, no more than `most` bytes of it.
inline void add_operand(CpuTraffic& traffic, const CpuRequest& request, std::size_t operand,
                        const CpuSpec& spec, std::int64_t cores, double most = 9e18) {
  const TensorUse& use = request.operation.operands[operand];
  const auto size = static_cast<double>(use.size.count());
  add_pass(traffic, size < most ? size : most, request.distance(operand), use.written, spec, cores);
}

/// One pass over every operand.
inline void add_operands(CpuTraffic& traffic, const CpuRequest& request, const CpuSpec& spec,
                         std::int64_t cores) {
  for (std::size_t i = 0; i < request.operation.operands.size(); ++i) {
    add_operand(traffic, request, i, spec, cores);
  }
}

inline double round_up_to(double value, double step) {
  const auto whole =
      static_cast<double>(static_cast<std::int64_t>(value / step < 9e18 ? value / step : 9e18));
  return (whole * step < value ? whole + 1 : whole) * step;
}

}  // namespace tantalus

// Operations that look along rows: softmax, layer norm, batch norm, LRN, sums. A row is one warp's or one block's work and is
// read as often as its algorithm must; later reads hit the L2 while all rows in flight fit there. Long rows may be shared by
// several blocks, whose results a second kernel joins. Pure. Source: the project's GPU timing study, softmax and layer norm.
#pragma once

#include <vector>

#include "sim/hardware/gpu_kernels.hpp"

namespace tantalus {

struct RowPlan {
  GpuRowSpec spec;
  Residency residency;
};
RowPlan plan_row(const GpuDevice& device, const GpuRowSpec& spec);

std::vector<GpuKernel> row_kernels(const GpuDevice& device, const RowPlan& plan,
                                   const StreamPlan& joining, const Operation& operation,
                                   const RowShape& shape, const Traffic& whole);

}  // namespace tantalus

// Everything that is not a matrix product or a convolution: element-wise loops, pooling, rows (softmax, norms, LRN, sums) and
// embedding look-ups. Each is so many cycles a vector or element, by the catalogue, over the operands' traffic. Pure.
#pragma once

#include <vector>

#include "sim/hardware/cpu_operands.hpp"
#include "sim/hardware/cpu_region.hpp"

namespace tantalus {

CpuRegion elementwise_region(const CpuRequest& request, const ElementwiseShape& shape,
                             const CpuMachine& machine);
CpuRegion pool_region(const CpuRequest& request, const PoolShape& shape, const CpuMachine& machine);
CpuRegion row_region(const CpuRequest& request, const RowShape& shape, const CpuMachine& machine);
CpuRegion embedding_region(const CpuRequest& request, const EmbeddingShape& shape,
                           const CpuMachine& machine);

}  // namespace tantalus

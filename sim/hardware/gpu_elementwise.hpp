// Kernels that stream: element-wise functions, optimizer updates, pooling, embedding look-up and scatter. Their time is the
// traffic of their operands or the instructions of their elements, whichever is longer. Pure.
#pragma once

#include "sim/hardware/gpu_kernels.hpp"

namespace tantalus {

GpuKernel elementwise_kernel(const GpuDevice& device, const StreamPlan& plan,
                             const GpuElementwiseSpec& spec, const Operation& operation,
                             const ElementwiseShape& shape, const Traffic& traffic);

/// Forward: one result for each output. Input gradient: one for each input, which looks at the windows that hold it.
/// Of a pooling layer. A gradient that gathers does not read what it writes.
Traffic pooling_traffic(const GpuDevice& device, const GpuPoolingSpec& spec,
                        const Operation& operation, ReuseDistances reuse);
GpuKernel pooling_kernel(const GpuDevice& device, const StreamPlan& plan,
                         const GpuPoolingSpec& spec, const Operation& operation,
                         const PoolShape& shape, const Traffic& traffic);

/// Only the rows that are looked up move, however large the table is; a scatter reads, adds and writes them.
GpuKernel embedding_kernel(const GpuDevice& device, const StreamPlan& plan,
                           const GpuEmbeddingSpec& spec, const Operation& operation,
                           const EmbeddingShape& shape, ReuseDistances reuse);

}  // namespace tantalus

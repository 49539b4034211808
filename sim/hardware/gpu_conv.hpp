// Convolutions on a GPU: each pass is a matrix product with its own roles (filters, pixels, taps), run as implicit GEMM or
// through a column matrix; depthwise layers are streams. Winograd and FFT are in gpu_transform_conv.hpp. The catalogue's
// entries compete, the fastest wins. Pure.
#pragma once

#include <vector>

#include "sim/hardware/gpu_gemm.hpp"

namespace tantalus {

/// A convolution entry of the catalogue on one device: the number formats and passes that it takes, its own kernels.
struct ConvPlan {
  GpuConvSpec spec;
  std::vector<DType> types;
  std::vector<GemmPlan> product;  // empty: the catalogue's
  StreamPlan transform;           // of Winograd and FFT
  std::optional<StreamPlan> column;
  Residency fused;  // of Winograd in one kernel
  bool takes(const Operation& operation, const ConvShape& shape) const;
};
ConvPlan plan_conv(const GpuDevice& device, const GpuConvSpec& spec);

/// The product that one pass of a convolution amounts to, for one group; `batch` counts groups and, for a strided input
/// gradient, the sub-problems of its strides.
struct ConvProduct {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
};
/// `channel_multiple` pads the channels of each tap, as matrix units want them.
ConvProduct conv_product(const ConvShape& shape, Pass pass, std::int64_t channel_multiple);

/// True for one input channel a group, where a product would waste its tiles.
bool is_depthwise(const ConvShape& shape);

struct ConvTools {
  const GpuDevice& device;
  const std::vector<GemmPlan>& families;
  const StreamPlan& reduction;  // also forms column matrices and adds biases
  const StreamPlan& depthwise;
  const GpuDepthwiseSpec& depthwise_spec;
};

/// Kernels of one entry; empty when it cannot run this.
std::vector<GpuKernel> conv_kernels(const ConvTools& tools, const ConvPlan& plan,
                                    const Operation& operation, const ConvShape& shape,
                                    const Traffic& traffic);
std::vector<GpuKernel> depthwise_kernels(const ConvTools& tools, const Operation& operation,
                                         const ConvShape& shape, const Traffic& traffic);

}  // namespace tantalus

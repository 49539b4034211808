// Convolutions that multiply point by point in a transformed domain (Lavin and Gray, Fast Algorithms for Convolutional Neural
// Networks, CVPR 2016; Vasilache et al., Fast Convolutional Nets With fbfft, ICLR 2015): kernels that transform data and
// filters, one batch of products with a product a point, a kernel that transforms back; or, for Winograd, all of it in one
// kernel whose blocks keep the transformed tile on the SM. Pure. Equations: docs/modelling.md, "Winograd and FFT".
#pragma once

#include "sim/hardware/gpu_conv.hpp"

namespace tantalus {

/// What one pass becomes: `points` products of m x n x k for each group.
struct TransformedProduct {
  double points = 1;  // complex ones for FFT
  std::int64_t m = 1, n = 1, k = 1;
  double data = 0, other = 0,
         result = 0;  // transformed values of each of the three operands, all points and groups
};
TransformedProduct transformed_product(const GpuTransformSpec& spec, Algorithm algorithm,
                                       const ConvShape& shape, Pass pass);

/// True when the entry's tile takes this filter, stride and pass.
bool transform_takes(const GpuConvSpec& spec, const ConvShape& shape, Pass pass);

/// Transforms and products as kernels of their own; empty when the entry cannot run this or would need too large a workspace.
std::vector<GpuKernel> transformed_kernels(const ConvTools& tools, const ConvPlan& plan,
                                           const Operation& operation, const ConvShape& shape,
                                           const Traffic& traffic);

/// One kernel after the filter transform; empty when no block fits an SM.
std::vector<GpuKernel> fused_winograd_kernels(const ConvTools& tools, const ConvPlan& plan,
                                              const Operation& operation, const ConvShape& shape,
                                              const Traffic& traffic);

}  // namespace tantalus

// Convolutions as CPU libraries run them: directly on a channel-blocked layout (oneDNN), or as a column matrix and one matrix
// product an image (Caffe on any BLAS); forward and both gradients. Pure. Equations: docs/modelling.md, "CPU kernels".
#pragma once

#include <vector>

#include "sim/hardware/cpu_operands.hpp"
#include "sim/hardware/cpu_region.hpp"

namespace tantalus {

/// Kernel taps that fall inside the image, summed over the outputs of one axis: what a direct kernel really multiplies.
double taps_inside(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                   std::int64_t pad, std::int64_t dilation);

/// Whether the library has a direct kernel of this shape.
bool has_direct_kernel(const CpuDirectConvSpec& direct, const ConvShape& shape, Pass pass);

/// The catalogue must have a `direct` section.
std::vector<CpuRegion> direct_conv_regions(const CpuRequest& request, const ConvShape& shape,
                                           const CpuMachine& machine);

/// The catalogue must have an `im2col` section.
std::vector<CpuRegion> im2col_conv_regions(const CpuRequest& request, const ConvShape& shape,
                                           const CpuMachine& machine);

}  // namespace tantalus

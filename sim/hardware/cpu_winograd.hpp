// Convolution as CPU libraries run Winograd's minimal filtering F(m x m, 3 x 3) (Lavin and Gray, Fast Algorithms for Convolutional
// Neural Networks, CVPR 2016): tiles of (m + 2)^2 inputs are transformed, one matrix product is run for each of their points, the
// results are transformed back. Weights were transformed when the network was loaded. Pure. Equations: docs/modelling.md, "CPU
// kernels".
#pragma once

#include <vector>

#include "sim/hardware/cpu_operands.hpp"
#include "sim/hardware/cpu_region.hpp"

namespace tantalus {

/// Whether the library has a kernel of this tile for the operation: 3x3, stride 1, undilated, forward.
bool takes_winograd(const CpuWinogradSpec& spec, const CpuWinogradTileSpec& tile,
                    const Operation& operation);

/// One entry for each tile that the library has for the operation; empty without a `winograd` section.
std::vector<std::vector<CpuRegion>> winograd_conv_regions(const CpuRequest& request,
                                                          const CpuMachine& machine);

}  // namespace tantalus

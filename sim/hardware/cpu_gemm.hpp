// Matrix products as packed BLAS libraries run them (OpenBLAS, MKL, oneDNN): edge tiles run as full tiles, panels are copied
// once a call, C is updated once a K block, and thin products stay on one core. Pure; also the heart of im2col convolution.
//
// Source of the equations: docs/modelling.md, "CPU kernels"; constants come from the catalogue.
#pragma once

#include <vector>

#include "sim/hardware/cpu_operands.hpp"
#include "sim/hardware/cpu_region.hpp"

namespace tantalus {

/// One product of row-major matrices; sizes as doubles, so that no product of them overflows.
struct CpuProduct {
  double m = 1, n = 1, k = 1;
  bool trans_b = false;
  DType type = DType::fp32;
};

/// Cores that the library puts on one such product.
std::int64_t product_cores(const CpuProduct& product, const CpuMachine& machine);

/// Cycles of one product, all cores together.
double product_cycles(const CpuProduct& product, const CpuMachine& machine, std::int64_t cores);

/// Inner tiles of C: the pieces of its static partition.
double product_tiles(const CpuProduct& product, const CpuMachine& machine);

/// Times that C is read and written again after the first K block.
double repeated_updates(const CpuProduct& product, const CpuMachine& machine);

/// The addition of a bias as BLAS callers do it: a product of depth one over the output, `calls` times.
CpuRegion bias_region(const CpuProduct& product, double calls, const CpuMachine& machine);

/// How the products of a batch follow each other: each on all cores, or many at a time on one core each.
enum class GemmOrder : std::uint8_t { one_by_one, side_by_side };

/// Whether the library can put the products of this batch side by side.
bool runs_side_by_side(const GemmShape& shape, const CpuMachine& machine);

std::vector<CpuRegion> gemm_regions(const CpuRequest& request, const GemmShape& shape,
                                    const CpuMachine& machine,
                                    GemmOrder order = GemmOrder::one_by_one);

}  // namespace tantalus

// Matrix products on a GPU: one block a tile, k cut into parts where that fills the SMs, the fastest of everything that the
// catalogue allows. Convolutions use the same function through the product that they amount to (gpu_conv.hpp). Pure.
// Source of the equations: the project's GPU timing study, one form for all number formats (docs/modelling.md, "GPU kernels").
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/hardware/gpu_kernels.hpp"

namespace tantalus {

/// A GEMM family on one device: which formats it takes and how many blocks of each tile an SM holds.
struct GemmPlan {
  struct Tile {
    GpuTileSpec spec;
    Residency residency;
  };
  GpuGemmSpec spec;
  std::vector<DType> types;
  std::vector<Tile> tiles;       // only those that fit on an SM
  double best_efficiency = 1.0;  // of all tiles of the family
  bool takes(DType type) const;
  /// The number format, the operands as they are stored, and whether there are many.
  bool takes(const struct GemmWork& work) const;
};
GemmPlan plan_gemm(const GpuDevice& device, const GpuGemmSpec& spec);

/// One product as the tiles see it.
struct GemmWork {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  DType type = DType::fp32;
  Traffic traffic;          // of the operands; tiles ask the L2 for more than `read`
  double efficiency = 1.0;  // factor on the tile's
  double energy = 1.0;      // factor on that of its kernels, seen by the choice as by the events
  double flops = 0;         // that are executed, padding excluded
  Algorithm algorithm = Algorithm::gemm;
  /// How A and B are stored (nn, nt, tn, tt); empty for the products inside other algorithms, which gather their operands
  /// themselves and take any family.
  std::string_view operands;
};

/// The fastest kernels over all families, tiles and splits: one, or two when k is split. Empty when no family has tiles that
/// fit, arithmetic for the type, and times that can be represented. `reduction` sums the parts of a split product.
std::vector<GpuKernel> gemm_kernels(const GpuDevice& device, const std::vector<GemmPlan>& families,
                                    const StreamPlan& reduction, const GemmWork& work);

/// One candidate; nothing when it is too large to represent. The choice above and the events use this same function.
struct GemmCandidate {
  const GemmPlan* family = nullptr;
  const GemmPlan::Tile* tile = nullptr;
  std::int64_t split = 1;
};
bool fill_gemm(const GpuDevice& device, const GemmCandidate& candidate, const GemmWork& work,
               GpuKernel& kernel);

}  // namespace tantalus

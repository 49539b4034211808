// The tile, the parts of k and the algorithm that a prediction names, so that a GPU runs what was predicted. Reads the names that
// the simulator gives the kernels of kernels/gpu.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/gpu/product_choice.hpp"

namespace tantalus::validation {

/// Of the kernels of one operation by name ("implicit_gemm_fp32_64x128_split4", "im2col", ...), in order; nothing when none of
/// them is a product, or its tile is not one of ours.
std::optional<kernels::ProductChoice> choice_from(const std::vector<std::string>& kernel_names);

}  // namespace tantalus::validation

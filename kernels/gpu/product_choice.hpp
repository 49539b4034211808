// How a layer's product is run: which tile, in how many parts of k, and for convolutions by which algorithm. Whoever compares with
// a prediction runs what was predicted; else a rule of thumb chooses. Plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/program.hpp"

namespace tantalus::kernels {

/// By the results of one block.
enum class TileShape : std::uint8_t { m128n128, m64n128, m64n64, m32n32, m16n128 };
inline constexpr TileShape all_tiles[] = {TileShape::m128n128, TileShape::m64n128,
                                          TileShape::m64n64, TileShape::m32n32, TileShape::m16n128};

struct TileFacts {
  int m = 0, n = 0, threads = 0;
};
constexpr TileFacts facts_of(TileShape shape) {
  switch (shape) {
    case TileShape::m128n128:
      return {128, 128, 256};
    case TileShape::m64n128:
      return {64, 128, 128};
    case TileShape::m64n64:
      return {64, 64, 128};
    case TileShape::m32n32:
      return {32, 32, 64};
    case TileShape::m16n128:
      return {16, 128, 128};
  }
  return {};
}

struct ProductChoice {
  TileShape tile = TileShape::m64n64;
  int split = 1;
  bool columns = false;  // convolutions: by im2col, else by implicit GEMM
};

/// A product as the tiles see it.
struct ProductExtent {
  std::int64_t m = 1, n = 1, k = 1, groups = 1;
};
/// Of a convolution or a fully connected layer; `columns` as in ProductChoice.
ProductExtent extent_of(const Step& step, bool columns);

/// The tile that leaves least undone, its depth cut while there are more multiprocessors than blocks.
ProductChoice usual_choice(const Step& step, int multiprocessors);

using Chooser = std::function<ProductChoice(const Step&)>;

}  // namespace tantalus::kernels

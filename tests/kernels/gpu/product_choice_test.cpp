#include "kernels/gpu/product_choice.hpp"

#include <doctest/doctest.h>

#include "kernels/gpu/tiled_product.cuh"

namespace tantalus::kernels {
namespace {

Step linear_step(std::int64_t batch, std::int64_t in, std::int64_t out) {
  return {"fc", Direction::forward, LinearSize{batch, in, out}, {}};
}

TEST_CASE("the facts of a tile are those of the tile") {
  for (const TileShape shape : all_tiles) {
    with_tile(shape, [&](auto tile) {
      using T = decltype(tile);
      CHECK(facts_of(shape).m == T::m);
      CHECK(facts_of(shape).n == T::n);
      CHECK(facts_of(shape).threads == T::threads);
    });
  }
}

TEST_CASE("a large product takes the largest tile, whole") {
  const ProductChoice choice = usual_choice(linear_step(4096, 512, 4096), 80);
  CHECK(choice.tile == TileShape::m128n128);
  CHECK(choice.split == 1);
}

TEST_CASE("few results of a deep product are cut into parts, none of them shallow") {
  const ProductChoice choice = usual_choice(linear_step(1, 9216, 1000), 80);
  CHECK(choice.split > 1);
  CHECK(9216 / choice.split >= 128);
  CHECK(usual_choice(linear_step(1, 100, 1000), 80).split == 1);
}

TEST_CASE("a convolution's product has the shape that its kernels launch") {
  const ConvSize s{2, 6, 8, 7, 9, 4, 4, 3, 3, 2, 2, 1, 1, 1, 1, 3};
  const auto extent = [&](Direction direction, bool columns) {
    return extent_of(Step{"conv", direction, s, {}}, columns);
  };
  const ProductExtent forward = extent(Direction::forward, false);
  CHECK(forward.m == 3);       // filters of a group
  CHECK(forward.n == 2 * 16);  // pixels
  CHECK(forward.k == 2 * 9);   // channels of a group times taps
  CHECK(forward.groups == 3);
  const ProductExtent input = extent(Direction::input_gradient, false);
  CHECK(input.groups == 3 * 4);  // one for each remainder of the stride
  CHECK(input.n == 2 * 4 * 4);
  CHECK(input.k == 3 * 2 * 2);
  CHECK(extent(Direction::input_gradient, true).m == 18);
  CHECK(extent(Direction::weight_gradient, false).k == 32);
}

}  // namespace
}  // namespace tantalus::kernels

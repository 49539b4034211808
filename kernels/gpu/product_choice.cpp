#include "kernels/gpu/product_choice.hpp"

#include <algorithm>

namespace tantalus::kernels {

namespace {

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

ProductExtent extent_of(const LinearSize& s, Direction direction) {
  switch (direction) {
    case Direction::input_gradient:
      return {s.batch, s.in, s.out, 1};
    case Direction::weight_gradient:
      return {s.out, s.in, s.batch, 1};
    default:
      return {s.batch, s.out, s.in, 1};
  }
}

ProductExtent extent_of(const ConvSize& s, Direction direction, bool columns) {
  const std::int64_t channels = s.in_ch / s.groups, filters = s.out_ch / s.groups;
  const std::int64_t taps = channels * s.kernel_h * s.kernel_w;
  const std::int64_t pixels = s.batch * s.out_h * s.out_w;
  switch (direction) {
    case Direction::input_gradient:
      if (columns) return {taps, pixels, filters, s.groups};
      return {channels, s.batch * quotient_up(s.in_h, s.stride_h) * quotient_up(s.in_w, s.stride_w),
              filters * quotient_up(s.kernel_h, s.stride_h) * quotient_up(s.kernel_w, s.stride_w),
              s.groups * s.stride_h * s.stride_w};
    case Direction::weight_gradient:
      return {filters, taps, pixels, s.groups};
    default:
      return {filters, pixels, taps, s.groups};
  }
}

std::int64_t blocks_of(const ProductExtent& p, const TileFacts& tile) {
  return p.groups * quotient_up(p.m, tile.m) * quotient_up(p.n, tile.n);
}

// Results that the blocks of the busiest multiprocessor compute, those outside of the matrix too; small tiles count a little more.
double work_of(const ProductExtent& p, const TileFacts& tile, int multiprocessors) {
  const auto rounds = static_cast<double>(quotient_up(blocks_of(p, tile), multiprocessors));
  const double feeding = 1.0 + 8.0 / tile.m + 8.0 / tile.n;
  return rounds * tile.m * tile.n * feeding;
}

}  // namespace

ProductExtent extent_of(const Step& step, bool columns) {
  if (const auto* conv = std::get_if<ConvSize>(&step.size))
    return extent_of(*conv, step.direction, columns);
  if (const auto* linear = std::get_if<LinearSize>(&step.size))
    return extent_of(*linear, step.direction);
  return {};
}

ProductChoice usual_choice(const Step& step, int multiprocessors) {
  constexpr std::int64_t least_depth = 128, most_parts = 64;
  const ProductExtent product = extent_of(step, false);
  ProductChoice choice;
  double least = 0.0;
  for (const TileShape tile : all_tiles) {
    const double work = work_of(product, facts_of(tile), multiprocessors);
    if (least > 0.0 && work >= least) continue;
    least = work;
    choice.tile = tile;
  }
  const std::int64_t blocks = blocks_of(product, facts_of(choice.tile));
  const std::int64_t useful =
      std::min({2 * multiprocessors / blocks, product.k / least_depth, most_parts});
  choice.split = static_cast<int>(std::max<std::int64_t>(1, useful));
  return choice;
}

}  // namespace tantalus::kernels

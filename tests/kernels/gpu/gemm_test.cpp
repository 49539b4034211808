#include "kernels/gpu/gemm.cuh"

#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

using test::FloatBuffer;
using test::random_floats;

/// Element (row, column) of a matrix, stored turned or not.
double at(const FloatBuffer& matrix, bool turned, int rows, int columns, int row, int column) {
  return matrix[turned ? column * rows + row : row * columns + column];
}

std::vector<double> product(const GemmSize& s, const FloatBuffer& a, bool turn_a,
                            const FloatBuffer& b, bool turn_b) {
  std::vector<double> c;
  for (int m = 0; m < s.m; ++m) {
    for (int n = 0; n < s.n; ++n) {
      double sum = 0.0;
      for (int k = 0; k < s.k; ++k)
        sum += at(a, turn_a, s.m, s.k, m, k) * at(b, turn_b, s.k, s.n, k, n);
      c.push_back(sum);
    }
  }
  return c;
}

using Gemm = Claim (*)(Stream, const ProductPlan&, const GemmSize&, ConstFloats, ConstFloats,
                       Floats);
struct Stored {
  Gemm run;
  bool turn_a, turn_b;
};
constexpr Stored ways[] = {{gemm_nn, false, false}, {gemm_nt, false, true}, {gemm_tn, true, false}};

test::Ran check_product(const Stored& way, const GemmSize& s, TileShape tile, int split) {
  const FloatBuffer a = random_floats(s.m * s.k, 1), b = random_floats(s.k * s.n, 2);
  FloatBuffer c(s.m * s.n);
  FloatBuffer parts(static_cast<int>(part_elements(c.size(), split)));
  const ProductPlan plan{tile, split, parts.view()};
  test::Ran ran = test::run_checked(
      [&] { return way.run({}, plan, s, a.view(), b.view(), c.view()); }, c, parts);
  CHECK(test::error_of(c, product(s, a, way.turn_a, b, way.turn_b)) < test::float_error);
  return ran;
}

TEST_CASE("a product is right for each tile and each way that operands are stored") {
  for (const TileShape tile : all_tiles) {
    for (const Stored& way : ways)
      test::check_claimed_bytes(check_product(way, {133, 141, 37}, tile, 1));
  }
}

TEST_CASE("a product smaller than its tile is right") {
  for (const TileShape tile : all_tiles) check_product(ways[1], {1, 3, 2}, tile, 1);
}

TEST_CASE("a product whose depth is cut into parts is right, even where parts are left over") {
  for (const Stored& way : ways) check_product(way, {40, 50, 100}, TileShape::m32n32, 3);
  check_product(ways[0], {17, 130, 20}, TileShape::m16n128, 8);  // 3 parts of 8, 5 of nothing
}

TEST_CASE("a product claims its operands once, its results, and what its parts move") {
  const test::Ran whole = check_product(ways[0], {64, 64, 32}, TileShape::m64n64, 1);
  CHECK(whole.claim == Claim{4 * 2 * 64 * 32, 4 * 64 * 64, 2 * 64 * 64 * 32});
  const test::Ran cut = check_product(ways[0], {64, 64, 32}, TileShape::m64n64, 2);
  const std::int64_t parts = 4 * 2 * 64 * 64;
  CHECK(cut.claim == Claim{whole.claim.read + parts, whole.claim.written + parts,
                           whole.claim.flops + parts / 4});
  CHECK(cut.launches.size() == 2);
}

TEST_CASE("each block of a product asks for its rows of both operands once, in whole sectors") {
  // 2 x 3 tiles of 64 x 64: A is read by three columns of tiles, B by two rows.
  const test::Ran ran = check_product(ways[0], {128, 192, 64}, TileShape::m64n64, 1);
  const emulate::Tally read = ran.launches[0].of(emulate::AccessKind::read);
  CHECK(read.bytes == 4 * (3 * 128 * 64 + 2 * 64 * 192));
  CHECK(read.sectors * emulate::sector_bytes == read.bytes);
  const emulate::Tally written = ran.launches[0].of(emulate::AccessKind::write);
  CHECK(written.sectors * emulate::sector_bytes == 4 * 128 * 192);
}

TEST_CASE("a fully connected layer and its gradients are products") {
  const LinearShape s{9, 45, 20};
  const FloatBuffer x = random_floats(s.batch * s.in, 1), w = random_floats(s.out * s.in, 2);
  const FloatBuffer dy = random_floats(s.batch * s.out, 3);
  FloatBuffer y(s.batch * s.out), dx(s.batch * s.in), dw(s.out * s.in);
  const ProductPlan plan{TileShape::m32n32, 1, {}};

  test::run_checked([&] { return linear({}, plan, s, x.view(), w.view(), y.view()); }, y);
  test::run_checked(
      [&] { return linear_input_gradient({}, plan, s, dy.view(), w.view(), dx.view()); }, dx);
  test::run_checked(
      [&] { return linear_weight_gradient({}, plan, s, dy.view(), x.view(), dw.view()); }, dw);

  CHECK(test::error_of(y, product({s.batch, s.out, s.in}, x, false, w, true)) < test::float_error);
  CHECK(test::error_of(dx, product({s.batch, s.in, s.out}, dy, false, w, false)) <
        test::float_error);
  CHECK(test::error_of(dw, product({s.out, s.in, s.batch}, dy, true, x, false)) <
        test::float_error);
}

}  // namespace
}  // namespace tantalus::kernels

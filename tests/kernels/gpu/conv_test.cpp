#include "kernels/gpu/conv.cuh"

#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

using test::FloatBuffer;
using test::random_floats;

using Doubles = std::vector<double>;

int inputs_of(const ConvShape& s) { return s.images * s.in_ch * s.in_h * s.in_w; }
int outputs_of(const ConvShape& s) { return s.out_ch * s.pixels(); }
int weights_of(const ConvShape& s) { return s.out_ch * s.taps(); }

/// Calls use(input, weight, output) for each multiply-add of the definition.
template <class Use>
void each_product(const ConvShape& s, const Use& use) {
  for (int out = 0; out < outputs_of(s); ++out) {
    const int image = out / (s.out_ch * s.plane()), filter = out / s.plane() % s.out_ch;
    const int top = out / s.out_w % s.out_h * s.stride_h - s.pad_h;
    const int left = out % s.out_w * s.stride_w - s.pad_w;
    const int first = filter / s.filters() * s.channels();
    for (int tap = 0; tap < s.taps(); ++tap) {
      const int c = tap / (s.kernel_h * s.kernel_w);
      const int h = top + tap / s.kernel_w % s.kernel_h, w = left + tap % s.kernel_w;
      if (h < 0 || h >= s.in_h || w < 0 || w >= s.in_w) continue;
      use(((image * s.in_ch + first + c) * s.in_h + h) * s.in_w + w, filter * s.taps() + tap, out);
    }
  }
}

struct Expected {
  explicit Expected(const ConvShape& s, const FloatBuffer& x, const FloatBuffer& w,
                    const FloatBuffer& dy)
      : y(static_cast<std::size_t>(outputs_of(s))),
        dx(static_cast<std::size_t>(inputs_of(s))),
        dw(static_cast<std::size_t>(weights_of(s))) {
    each_product(s, [&](int in, int weight, int out) {
      y[static_cast<std::size_t>(out)] += double{x[in]} * w[weight];
      dx[static_cast<std::size_t>(in)] += double{dy[out]} * w[weight];
      dw[static_cast<std::size_t>(weight)] += double{dy[out]} * x[in];
    });
  }
  Doubles y, dx, dw;
};

/// Tensors of one convolution: what is known is random, what is computed is poisoned.
struct Tensors {
  Tensors(const ConvShape& shape, int split)
      : s(shape),
        x(random_floats(inputs_of(s), 1)),
        w(random_floats(weights_of(s), 2)),
        dy(random_floats(outputs_of(s), 3)),
        y(outputs_of(s)),
        dx(inputs_of(s)),
        dw(weights_of(s)),
        columns(static_cast<int>(column_elements(s))),
        // The largest matrix that is formed, with the inputs that a stride leaves over.
        parts(split > 1 ? split * (columns.size() + y.size() + dw.size() + 4 * dx.size()) : 0) {}
  ConvShape s;
  FloatBuffer x, w, dy, y, dx, dw, columns, parts;
};

void check_implicit(const ConvShape& s, TileShape tile, int split) {
  Tensors t(s, split);
  const ProductPlan plan{tile, split, t.parts.view()};
  const Expected expected(s, t.x, t.w, t.dy);
  const FloatBuffer &x = t.x, &w = t.w, &dy = t.dy;
  test::run_checked([&] { return conv({}, plan, s, x.view(), w.view(), t.y.view()); }, t.y,
                    t.parts);
  test::run_checked(
      [&] { return conv_input_gradient({}, plan, s, dy.view(), w.view(), t.dx.view()); }, t.dx,
      t.parts);
  test::run_checked(
      [&] { return conv_weight_gradient({}, plan, s, dy.view(), x.view(), t.dw.view()); }, t.dw,
      t.parts);
  CHECK(test::error_of(t.y, expected.y) < test::float_error);
  CHECK(test::error_of(t.dx, expected.dx) < test::float_error);
  CHECK(test::error_of(t.dw, expected.dw) < test::float_error);
}

void check_columns(const ConvShape& s, TileShape tile, int split) {
  Tensors t(s, split);
  const ProductPlan plan{tile, split, t.parts.view()};
  const Expected expected(s, t.x, t.w, t.dy);
  const FloatBuffer &x = t.x, &w = t.w, &dy = t.dy;
  const Floats columns = t.columns.view();
  test::run_checked(
      [&] { return im2col_conv({}, plan, s, x.view(), w.view(), columns, t.y.view()); }, t.y,
      t.columns, t.parts);
  test::run_checked(
      [&] { return im2col_input_gradient({}, plan, s, dy.view(), w.view(), columns, t.dx.view()); },
      t.dx, t.columns, t.parts);
  test::run_checked(
      [&] {
        return im2col_weight_gradient({}, plan, s, dy.view(), x.view(), columns, t.dw.view());
      },
      t.dw, t.columns, t.parts);
  CHECK(test::error_of(t.y, expected.y) < test::float_error);
  CHECK(test::error_of(t.dx, expected.dx) < test::float_error);
  CHECK(test::error_of(t.dw, expected.dw) < test::float_error);
}

//                    images  in: ch h   w   out: ch h  w   kernel stride pad  groups
constexpr ConvShape plain{3, 2, 9, 8, 7, 5, 4, 5, 5, 1, 1, 0, 0, 1};
constexpr ConvShape padded{2, 3, 7, 9, 5, 7, 9, 3, 3, 1, 1, 1, 1, 1};
constexpr ConvShape strided{2, 3, 19, 20, 6, 5, 5, 5, 4, 3, 4, 1, 2, 1};
constexpr ConvShape grouped{2, 6, 8, 7, 9, 4, 4, 3, 3, 2, 2, 1, 1, 3};
constexpr ConvShape sparse{2, 4, 9, 9, 5, 5, 5,
                           1, 1, 2, 2, 0, 0, 1};  // inputs that nothing reaches
constexpr std::array shapes{plain, padded, strided, grouped, sparse};

TEST_CASE("a convolution by implicit GEMM is right in all passes") {
  for (const ConvShape& s : shapes) check_implicit(s, TileShape::m32n32, 1);
}

TEST_CASE("a convolution by im2col is right in all passes") {
  for (const ConvShape& s : shapes) check_columns(s, TileShape::m32n32, 1);
}

TEST_CASE("a convolution is right on every tile") {
  for (const TileShape tile : all_tiles) {
    check_implicit(grouped, tile, 1);
    check_columns(strided, tile, 1);
  }
}

TEST_CASE("a convolution whose depth is cut into parts is right") {
  check_implicit(strided, TileShape::m16n128, 3);
  check_implicit(grouped, TileShape::m32n32, 2);
  check_columns(grouped, TileShape::m32n32, 2);
}

TEST_CASE("a convolution touches the bytes that it claims") {
  Tensors t(padded, 1);
  const ProductPlan plan{TileShape::m32n32, 1, {}};
  const FloatBuffer &x = t.x, &w = t.w, &dy = t.dy;
  const test::Ran forward = test::run_checked(
      [&] { return conv({}, plan, padded, x.view(), w.view(), t.y.view()); }, t.y);
  test::check_claimed_bytes(forward);
  CHECK(forward.claim.flops == 2 * 5 * (2 * 7 * 9) * (3 * 3 * 3));
  test::check_claimed_bytes(test::run_checked(
      [&] { return conv_input_gradient({}, plan, padded, dy.view(), w.view(), t.dx.view()); },
      t.dx));
  test::check_claimed_bytes(test::run_checked(
      [&] { return conv_weight_gradient({}, plan, padded, dy.view(), x.view(), t.dw.view()); },
      t.dw));
}

TEST_CASE("a column matrix holds each patch and zeros outside of the image") {
  const ConvShape s{1, 1, 2, 2, 1, 2, 2, 2, 2, 1, 1, 1, 1, 1};  // the image's corner last
  FloatBuffer x(4), columns(16);
  for (int i = 0; i < 4; ++i) x[i] = static_cast<float>(i + 1);
  const FloatBuffer& image = x;
  test::run_checked([&] { return im2col({}, s, image.view(), columns.view()); }, columns);
  const Doubles expected{0, 0, 0, 1, 0, 0, 1, 2, 0, 1, 0, 3, 1, 2, 3, 4};
  CHECK(test::error_of(columns, expected) == 0.0);
}

}  // namespace
}  // namespace tantalus::kernels

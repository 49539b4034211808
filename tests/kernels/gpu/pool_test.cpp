#include "kernels/gpu/pool.cuh"

#include <array>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

using test::Buffer;
using test::FloatBuffer;

/// What one output's window covers, by trying every element.
std::vector<int> window(const PoolShape& s, int out) {
  const int plane = out / (s.out_h * s.out_w);
  const int top = out / s.out_w % s.out_h * s.stride_h - s.pad_h;
  const int left = out % s.out_w * s.stride_w - s.pad_w;
  std::vector<int> covered;
  for (int h = top; h < top + s.kernel_h; ++h) {
    for (int w = left; w < left + s.kernel_w; ++w) {
      if (h >= 0 && h < s.in_h && w >= 0 && w < s.in_w)
        covered.push_back((plane * s.in_h + h) * s.in_w + w);
    }
  }
  return covered;
}

struct Case {
  PoolShape shape;
  int inputs() const { return shape.planes * shape.in_h * shape.in_w; }
  int outputs() const { return shape.planes * shape.out_h * shape.out_w; }
};

// Without overlap; AlexNet's overlapping windows; a padded border; windows of other heights than widths; gaps between windows.
const std::array<Case, 5> cases{{{{6, 8, 8, 4, 4, 2, 2, 2, 2, 0, 0}},
                                 {{3, 13, 13, 6, 6, 3, 3, 2, 2, 0, 0}},
                                 {{2, 7, 9, 4, 5, 3, 3, 2, 2, 1, 1}},
                                 {{5, 11, 10, 5, 4, 3, 2, 2, 3, 1, 1}},
                                 {{2, 11, 11, 4, 4, 2, 2, 3, 3, 0, 0}}}};

TEST_CASE("max pooling takes the largest of each window and its gradient goes back there") {
  for (const Case& one : cases) {
    const PoolShape& s = one.shape;
    const FloatBuffer x = test::random_floats(one.inputs(), 1);
    const FloatBuffer dy = test::random_floats(one.outputs(), 2);
    FloatBuffer y(one.outputs()), dx(one.inputs());
    Buffer<int> index(one.outputs());

    test::run_checked([&] { return max_pool({}, s, x.view(), y.view(), index.view()); }, y, index);
    test::run_checked([&] { return max_pool_gradient({}, s, dy.view(), index.view(), dx.view()); },
                      dx);

    std::vector<double> largest, slope(static_cast<std::size_t>(one.inputs()), 0.0);
    for (int out = 0; out < one.outputs(); ++out) {
      int at = window(s, out).front();
      for (const int i : window(s, out)) at = x[i] > x[at] ? i : at;
      largest.push_back(x[at]);
      slope[static_cast<std::size_t>(at)] += dy[out];
    }
    CHECK(test::error_of(y, largest) == 0.0);
    CHECK(test::error_of(dx, slope) < test::float_error);
  }
}

TEST_CASE("max pooling without room for the index writes none") {
  const FloatBuffer x = test::random_floats(cases[0].inputs(), 1);
  FloatBuffer y(cases[0].outputs());
  const test::Ran ran =
      test::run_checked([&] { return max_pool({}, cases[0].shape, x.view(), y.view(), {}); }, y);
  test::check_claimed_bytes(ran);
}

TEST_CASE("average pooling divides by the elements that are there, and so does its gradient") {
  for (const Case& one : cases) {
    const PoolShape& s = one.shape;
    const FloatBuffer x = test::random_floats(one.inputs(), 1);
    const FloatBuffer dy = test::random_floats(one.outputs(), 2);
    FloatBuffer y(one.outputs()), dx(one.inputs());

    test::run_checked([&] { return average_pool({}, s, x.view(), y.view()); }, y);
    test::run_checked([&] { return average_pool_gradient({}, s, dy.view(), dx.view()); }, dx);

    std::vector<double> mean, slope(static_cast<std::size_t>(one.inputs()), 0.0);
    for (int out = 0; out < one.outputs(); ++out) {
      const std::vector<int> covered = window(s, out);
      double sum = 0.0;
      for (const int i : covered) {
        sum += x[i];
        slope[static_cast<std::size_t>(i)] += dy[out] / static_cast<double>(covered.size());
      }
      mean.push_back(sum / static_cast<double>(covered.size()));
    }
    CHECK(test::error_of(y, mean) < test::float_error);
    CHECK(test::error_of(dx, slope) < test::float_error);
  }
}

TEST_CASE("pooling touches the bytes that it claims when its windows cover the plane") {
  const PoolShape& s = cases[1].shape;
  const FloatBuffer x = test::random_floats(cases[1].inputs(), 1);
  const FloatBuffer dy = test::random_floats(cases[1].outputs(), 2);
  FloatBuffer y(cases[1].outputs()), dx(cases[1].inputs());
  Buffer<int> index(cases[1].outputs());

  test::check_claimed_bytes(test::run_checked(
      [&] { return max_pool({}, s, x.view(), y.view(), index.view()); }, y, index));
  test::check_claimed_bytes(test::run_checked(
      [&] { return max_pool_gradient({}, s, dy.view(), index.view(), dx.view()); }, dx));
  test::check_claimed_bytes(
      test::run_checked([&] { return average_pool({}, s, x.view(), y.view()); }, y));
  test::check_claimed_bytes(
      test::run_checked([&] { return average_pool_gradient({}, s, dy.view(), dx.view()); }, dx));
  CHECK(average_pool({}, s, x.view(), y.view()).flops == 3 * 6 * 6 * 9);
}

}  // namespace
}  // namespace tantalus::kernels

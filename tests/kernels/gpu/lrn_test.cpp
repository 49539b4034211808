#include "kernels/gpu/lrn.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

using test::FloatBuffer;

constexpr LrnShape shape{2, 9, 35, 5, 0.5F, 0.75F, 2.0F};
constexpr int size = 2 * 9 * 35;

using Doubles = std::vector<double>;

double scale_of(const LrnShape& s, const Doubles& x, int image, int channel, int pixel) {
  double sum = 0.0;
  const int last = std::min(s.channels - 1, channel + s.window / 2);
  for (int c = std::max(0, channel - s.window / 2); c <= last; ++c) {
    const double value = x[static_cast<std::size_t>((image * s.channels + c) * s.pixels + pixel)];
    sum += value * value;
  }
  return double{s.k} + double{s.alpha} / s.window * sum;
}

double output_of(const LrnShape& s, const Doubles& x, int i) {
  const int channel = i / s.pixels % s.channels;
  const double scale = scale_of(s, x, i / s.pixels / s.channels, channel, i % s.pixels);
  return x[static_cast<std::size_t>(i)] * std::pow(scale, -double{s.beta});
}

/// Of sum(dy y) after x[i], by a central difference; only channels of the same pixel see it.
double slope_of(const LrnShape& s, Doubles x, const FloatBuffer& dy, int i) {
  constexpr double step = 1e-5;
  const int first = i / (s.pixels * s.channels) * s.pixels * s.channels + i % s.pixels;
  double slope = 0.0;
  for (const double sign : {1.0, -1.0}) {
    x[static_cast<std::size_t>(i)] += sign * step;
    for (int c = 0; c < s.channels; ++c) {
      const int at = first + c * s.pixels;
      slope += sign * dy[at] * output_of(s, x, at) / (2.0 * step);
    }
    x[static_cast<std::size_t>(i)] -= sign * step;
  }
  return slope;
}

TEST_CASE("LRN divides by a power of the squares around, and its gradient is the slope of that") {
  const FloatBuffer x = test::random_floats(size, 1), dy = test::random_floats(size, 2);
  FloatBuffer scale(size), y(size), dx(size);

  const test::Ran forward =
      test::run_checked([&] { return lrn({}, shape, x.view(), scale.view(), y.view()); }, scale, y);
  const test::Ran backward = test::run_checked(
      [&] {
        return lrn_gradient({}, shape, x.view(), y.view(), scale.view(), dy.view(), dx.view());
      },
      dx);

  const Doubles exact(x.view().data, x.view().data + size);
  Doubles expected, slopes;
  for (int i = 0; i < size; ++i) {
    expected.push_back(output_of(shape, exact, i));
    slopes.push_back(slope_of(shape, exact, dy, i));
  }
  CHECK(test::error_of(y, expected) < test::float_error);
  CHECK(test::error_of(dx, slopes) < test::float_error);
  test::check_claimed_bytes(forward);
  test::check_claimed_bytes(backward);
  CHECK(forward.claim == Claim{4 * size, 8 * size, 9 * size});
}

}  // namespace
}  // namespace tantalus::kernels

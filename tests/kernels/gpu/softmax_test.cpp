#include "kernels/gpu/softmax.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

using test::Buffer;
using test::FloatBuffer;

struct Expected {
  std::vector<double> probability, loss, dx;
};

Expected reference(const FloatBuffer& x, const Buffer<int>& labels, int classes) {
  Expected all;
  for (int row = 0; row < labels.size(); ++row) {
    double sum = 0.0;
    for (int c = 0; c < classes; ++c) sum += std::exp(double{x[row * classes + c]});
    for (int c = 0; c < classes; ++c) {
      const double p = std::exp(double{x[row * classes + c]}) / sum;
      all.probability.push_back(p);
      all.dx.push_back((p - (c == labels[row] ? 1.0 : 0.0)) / labels.size());
      if (c == labels[row]) all.loss.push_back(-std::log(p));
    }
  }
  return all;
}

void check_softmax(int rows, int classes) {
  FloatBuffer x = test::random_floats(rows * classes, 1);
  for (int i = 0; i < x.size(); ++i) x[i] *= 10.0F;
  const Buffer<int> labels = test::random_ints(rows, classes, 2);
  FloatBuffer probability(x.size()), loss(rows), dx(x.size());

  const test::Ran forward = test::run_checked(
      [&] {
        return softmax_loss({}, x.view(), labels.view(), classes, probability.view(), loss.view());
      },
      probability, loss);
  const test::Ran backward = test::run_checked(
      [&] {
        const FloatBuffer& p = probability;
        return softmax_loss_gradient({}, p.view(), labels.view(), classes, dx.view());
      },
      dx);

  const Expected expected = reference(x, labels, classes);
  CHECK(test::error_of(probability, expected.probability) < test::float_error);
  CHECK(test::error_of(loss, expected.loss) < test::float_error);
  CHECK(test::error_of(dx, expected.dx) < test::float_error);
  test::check_claimed_bytes(forward);
  test::check_claimed_bytes(backward);
}

TEST_CASE("softmax with cross-entropy and its gradient, of few classes") { check_softmax(13, 10); }

TEST_CASE("softmax with cross-entropy and its gradient, of more classes than lanes") {
  check_softmax(5, 131);
}

TEST_CASE("softmax alone is the probability, and its gradient sums to nothing along a row") {
  constexpr int rows = 5, classes = 45;
  const FloatBuffer x = test::random_floats(rows * classes, 1);
  const FloatBuffer dy = test::random_floats(rows * classes, 2);
  const Buffer<int> labels = test::random_ints(rows, classes, 3);
  FloatBuffer y(x.size()), dx(x.size());

  const test::Ran forward =
      test::run_checked([&] { return softmax({}, x.view(), classes, y.view()); }, y);
  const FloatBuffer& probability = y;
  const test::Ran backward = test::run_checked(
      [&] { return softmax_gradient({}, dy.view(), probability.view(), classes, dx.view()); }, dx);

  CHECK(test::error_of(y, reference(x, labels, classes).probability) < test::float_error);
  std::vector<double> slopes;
  for (int i = 0; i < x.size(); ++i) {
    double dot = 0.0;
    for (int c = 0; c < classes; ++c) {
      const int other = i / classes * classes + c;
      dot += double{dy[other]} * y[other];
    }
    slopes.push_back(y[i] * (dy[i] - dot));
  }
  CHECK(test::error_of(dx, slopes) < test::float_error);
  test::check_claimed_bytes(forward);
  test::check_claimed_bytes(backward);
}

TEST_CASE("softmax of scores that overflow an exponential is finite") {
  FloatBuffer x(2), probability(2), loss(1);
  x[0] = 1000.0F;
  x[1] = 0.0F;
  Buffer<int> labels(1);
  labels[0] = 1;
  softmax_loss({}, x.view(), labels.view(), 2, probability.view(), loss.view());
  CHECK(probability[0] == 1.0F);
  CHECK(loss[0] == 1000.0F);
}

}  // namespace
}  // namespace tantalus::kernels

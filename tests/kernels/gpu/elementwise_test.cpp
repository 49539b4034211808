#include "kernels/gpu/elementwise.cuh"

#include <cstdlib>
#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

using test::FloatBuffer;
using test::random_floats;
using test::run_checked;

constexpr int odd_size = 1024 + 37;

TEST_CASE("ReLU keeps what is positive") {
  const FloatBuffer x = random_floats(odd_size, 1);
  FloatBuffer y(odd_size);

  const test::Ran ran = run_checked([&] { return relu({}, x.view(), y.view()); }, y);

  std::vector<double> expected;
  for (int i = 0; i < odd_size; ++i) expected.push_back(x[i] > 0.0F ? x[i] : 0.0);
  CHECK(test::error_of(y, expected) == 0.0);
  test::check_claimed_bytes(ran);
  CHECK(ran.claim == Claim{4 * odd_size, 4 * odd_size, odd_size});
}

TEST_CASE("ReLU may work in place") {
  const FloatBuffer x = random_floats(odd_size, 1);
  FloatBuffer y = random_floats(odd_size, 1);
  run_checked([&] { return relu({}, y.view(), y.view()); }, y);
  for (int i = 0; i < odd_size; ++i) CHECK(y[i] == (x[i] > 0.0F ? x[i] : 0.0F));
}

TEST_CASE("the gradient of ReLU passes where the output is positive") {
  FloatBuffer y = random_floats(odd_size, 1);
  y[5] = 0.0F;
  const FloatBuffer dy = random_floats(odd_size, 2);
  FloatBuffer dx(odd_size);

  const test::Ran ran =
      run_checked([&] { return relu_gradient({}, y.view(), dy.view(), dx.view()); }, dx);

  std::vector<double> expected;
  for (int i = 0; i < odd_size; ++i) expected.push_back(y[i] > 0.0F ? dy[i] : 0.0);
  CHECK(test::error_of(dx, expected) == 0.0);
  test::check_claimed_bytes(ran);
}

void check_bias(int images, int channels, int inner) {
  const int size = images * channels * inner;
  const FloatBuffer x = random_floats(size, 1), shift = random_floats(channels, 2);
  FloatBuffer y = random_floats(size, 1), db(channels);

  const test::Ran forward = run_checked([&] { return bias({}, shift.view(), inner, y.view()); }, y);
  const test::Ran backward =
      run_checked([&] { return bias_gradient({}, x.view(), inner, db.view()); }, db);

  std::vector<double> expected, sums(static_cast<std::size_t>(channels), 0.0);
  for (int i = 0; i < size; ++i) {
    const int channel = i / inner % channels;
    expected.push_back(double{x[i]} + shift[channel]);
    sums[static_cast<std::size_t>(channel)] += x[i];
  }
  CHECK(test::error_of(y, expected) < test::float_error);
  CHECK(test::error_of(db, sums) < test::float_error);
  test::check_claimed_bytes(forward);
  test::check_claimed_bytes(backward);
}

TEST_CASE("a bias is added to its channel and its gradient is the channel's sum") {
  check_bias(3, 7, 35);
  check_bias(2, 5, 300);
}

TEST_CASE("a bias of a fully connected layer has one element a plane") { check_bias(9, 130, 1); }

TEST_CASE("a bias gradient of rows asks for whole sectors") {
  const FloatBuffer dy = random_floats(9 * 64, 1);
  FloatBuffer db(64);
  const test::Ran ran = run_checked([&] { return bias_gradient({}, dy.view(), 1, db.view()); }, db);
  CHECK(ran.launches[0].of(emulate::AccessKind::read).sectors_per_request() == 4.0);
}

TEST_CASE("dropout keeps about half, doubled, and its gradient passes where it kept") {
  const FloatBuffer x = random_floats(odd_size, 1), dy = random_floats(odd_size, 2);
  FloatBuffer y(odd_size), dx(odd_size);
  test::Buffer<std::uint8_t> mask(odd_size);

  const test::Ran forward =
      run_checked([&] { return dropout({}, x.view(), 7, 2.0F, mask.view(), y.view()); }, mask, y);
  const auto& kept = mask;
  const test::Ran backward = run_checked(
      [&] { return dropout_gradient({}, dy.view(), 2.0F, kept.view(), dx.view()); }, dx);

  std::vector<double> outputs, slopes;
  int number = 0;
  for (int i = 0; i < odd_size; ++i) {
    CHECK(mask[i] <= 1);
    number += mask[i];
    outputs.push_back(2.0 * x[i] * mask[i]);
    slopes.push_back(2.0 * dy[i] * mask[i]);
  }
  CHECK(std::abs(number - odd_size / 2) < 80);  // five standard deviations
  CHECK(test::error_of(y, outputs) == 0.0);
  CHECK(test::error_of(dx, slopes) == 0.0);
  test::check_claimed_bytes(forward);
  test::check_claimed_bytes(backward);
}

}  // namespace
}  // namespace tantalus::kernels

#include "kernels/gpu/sgd.cuh"

#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

TEST_CASE("a step of SGD moves velocity and weights in place") {
  constexpr int size = 1024 + 37;
  const SgdRule rule{0.125F, 0.5F, 0.25F};
  const test::FloatBuffer gradient = test::random_floats(size, 1);
  const test::FloatBuffer old_velocity = test::random_floats(size, 2);
  const test::FloatBuffer old_weights = test::random_floats(size, 3);
  test::FloatBuffer velocity = test::random_floats(size, 2), weights = test::random_floats(size, 3);

  const test::Ran ran = test::run_checked(
      [&] { return sgd({}, rule, gradient.view(), velocity.view(), weights.view()); }, velocity,
      weights);

  std::vector<double> v, w;
  for (int i = 0; i < size; ++i) {
    v.push_back(0.5 * old_velocity[i] + gradient[i] + 0.25 * old_weights[i]);
    w.push_back(old_weights[i] - 0.125 * v.back());
  }
  CHECK(test::error_of(velocity, v) < test::float_error);
  CHECK(test::error_of(weights, w) < test::float_error);
  test::check_claimed_bytes(ran);
  CHECK(ran.claim == Claim{12 * size, 8 * size, 6 * size});
}

}  // namespace
}  // namespace tantalus::kernels

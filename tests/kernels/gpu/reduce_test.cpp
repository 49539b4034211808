#include "kernels/gpu/reduce.cuh"

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

TANTALUS_KERNEL sums_kernel(Floats y) {
  const float first = block_sum(static_cast<float>(threadIdx.x));
  const float second = block_sum(1.0F);
  TANTALUS_STORE(y, static_cast<int>(threadIdx.x), first + second);
}

TEST_CASE("every thread of a block gets the block's sum, twice in a row") {
  test::FloatBuffer y(96);
  test::run_checked(
      [&] {
        launch({}, "sums", {{1}, {96}}, sums_kernel, y.view());
        return Claim{};
      },
      y);
  for (int i = 0; i < 96; ++i) CHECK(y[i] == 95 * 96 / 2 + 96);
}

TANTALUS_KERNEL maxima_kernel(Floats y) {
  const float value = warp_max(-static_cast<float>(threadIdx.x));
  TANTALUS_STORE(y, static_cast<int>(threadIdx.x), value);
}

TEST_CASE("every lane gets the maximum of its own warp") {
  test::FloatBuffer y(64);
  test::run_checked(
      [&] {
        launch({}, "maxima", {{1}, {64}}, maxima_kernel, y.view());
        return Claim{};
      },
      y);
  CHECK(y[31] == 0.0F);
  CHECK(y[32] == -32.0F);
}

}  // namespace
}  // namespace tantalus::kernels

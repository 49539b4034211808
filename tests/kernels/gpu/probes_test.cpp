#include "kernels/gpu/probes.cuh"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

using emulate::AccessKind;
using test::Buffer;
using test::FloatBuffer;
using test::run_checked;

TEST_CASE("an empty launch touches nothing") {
  const test::Ran ran = run_checked([] { return empty({}); });
  CHECK(ran.claim == Claim{});
  CHECK(ran.launches[0].of(AccessKind::read).requests == 0);
}

TEST_CASE("a pointer chase makes one load after the other, of one word each") {
  constexpr int places = 97;
  Buffer<int> next(places), end(1);
  for (int i = 0; i < places; ++i) next[i] = (i + 40) % places;

  const test::Ran ran =
      run_checked([&] { return pointer_chase({}, next.view(), 50, end.view()); }, end);

  CHECK(end[0] == 50 * 40 % places);
  CHECK(ran.launches[0].of(AccessKind::read).requests == 50);
  CHECK(ran.launches[0].of(AccessKind::read).bytes == ran.claim.read);
}

TEST_CASE("the read of the L2 loads every element as often as it claims") {
  constexpr int size = 1000, passes = 3;
  const FloatBuffer x = test::random_floats(size, 1);
  FloatBuffer sums(512);

  const test::Ran ran =
      run_checked([&] { return l2_read({}, x.view(), passes, sums.view()); }, sums);

  std::vector<double> expected(512, 0.0);
  for (int i = 0; i < size; ++i) expected[static_cast<std::size_t>(i % 512)] += passes * x[i];
  CHECK(test::error_of(sums, expected) < test::float_error);
  CHECK(ran.launches[0].of(AccessKind::read).bytes == ran.claim.read);
  CHECK(ran.claim.flops == passes * size);
}

TEST_CASE("the chains of the multiply-add peak come out as computed one by one") {
  constexpr int steps = 20;
  FloatBuffer ends(256);

  const test::Ran ran =
      run_checked([&] { return fma_peak({}, 0.75F, 0.5F, steps, ends.view()); }, ends);

  double sum = 0.0;
  for (int c = 0; c < fma_chains; ++c) {
    double value = c;
    for (int step = 0; step < steps; ++step) value = value * 0.75 + 0.5;
    sum += value;
  }
  CHECK(test::error_of(ends, std::vector<double>(256, sum)) < test::float_error);
  CHECK(ran.claim.flops == 256 * fma_chains * (2 * steps + 1));
  test::check_claimed_bytes(ran);
}

}  // namespace
}  // namespace tantalus::kernels

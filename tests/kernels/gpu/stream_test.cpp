#include "kernels/gpu/stream.cuh"

#include <vector>

#include <doctest/doctest.h>

#include "tests/kernels/gpu/checked_run.hpp"

namespace tantalus::kernels {
namespace {

using test::FloatBuffer;
using test::random_floats;
using test::run_checked;

constexpr int odd_size = 2 * 1024 + 37;  // two whole blocks and a part of one

template <class F>
std::vector<double> each(int size, const F& value) {
  std::vector<double> all;
  for (int i = 0; i < size; ++i) all.push_back(value(i));
  return all;
}

TEST_CASE("copy and scale move each element once") {
  const FloatBuffer x = random_floats(odd_size, 1);
  FloatBuffer copy(odd_size), scaled(odd_size);

  const test::Ran copied =
      run_checked([&] { return stream_copy({}, x.view(), copy.view()); }, copy);
  const test::Ran ran =
      run_checked([&] { return stream_scale({}, x.view(), 3.0F, scaled.view()); }, scaled);

  CHECK(test::error_of(copy, each(odd_size, [&](int i) { return x[i]; })) == 0.0);
  CHECK(test::error_of(scaled, each(odd_size, [&](int i) { return 3.0 * x[i]; })) < 1e-6);
  test::check_claimed_bytes(copied);
  test::check_claimed_bytes(ran);
  CHECK(copied.claim == Claim{4 * odd_size, 4 * odd_size, 0});
  CHECK(ran.claim.flops == odd_size);
}

TEST_CASE("add and triad read two operands") {
  const FloatBuffer a = random_floats(odd_size, 1), b = random_floats(odd_size, 2);
  FloatBuffer sum(odd_size), triad(odd_size);

  const test::Ran added =
      run_checked([&] { return stream_add({}, a.view(), b.view(), sum.view()); }, sum);
  const test::Ran ran =
      run_checked([&] { return stream_triad({}, a.view(), b.view(), 0.5F, triad.view()); }, triad);

  CHECK(test::error_of(sum, each(odd_size, [&](int i) { return double{a[i]} + b[i]; })) < 1e-6);
  CHECK(test::error_of(triad, each(odd_size, [&](int i) { return a[i] + 0.5 * b[i]; })) < 1e-6);
  test::check_claimed_bytes(added);
  test::check_claimed_bytes(ran);
  CHECK(ran.claim == Claim{8 * odd_size, 4 * odd_size, 2 * odd_size});
}

TEST_CASE("every warp of a stream asks for four whole sectors") {
  const FloatBuffer x = random_floats(4096, 1);
  FloatBuffer y(4096);
  const test::Ran ran = run_checked([&] { return stream_copy({}, x.view(), y.view()); }, y);
  CHECK(ran.launches[0].of(emulate::AccessKind::read).sectors_per_request() == 4.0);
  CHECK(ran.launches[0].of(emulate::AccessKind::write).sectors_per_request() == 4.0);
}

}  // namespace
}  // namespace tantalus::kernels

#include "kernels/gpu/divisor.cuh"

#include <climits>
#include <initializer_list>

#include <doctest/doctest.h>

namespace tantalus::kernels {
namespace {

TEST_CASE("a divisor divides exactly, up to the largest number") {
  bool exact = true;
  for (const int divisor : {1, 2, 3, 5, 7, 25, 121, 576, 3025, 65537, INT_MAX - 1, INT_MAX}) {
    const Divisor fast(divisor);
    const int last = INT_MAX / divisor * divisor;  // the largest multiple
    for (const int n : {0, 1, divisor - 1, divisor, last - 1, last, INT_MAX - 1, INT_MAX}) {
      exact = exact && fast.quotient(n) == n / divisor && fast.remainder(n) == n % divisor;
    }
    for (int n = 0; n < 5000; ++n)
      exact = exact && fast.quotient(n * 429'000) == n * 429'000 / divisor;
  }
  CHECK(exact);
}

}  // namespace
}  // namespace tantalus::kernels

#include "sim/hardware/link/nvlink.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

TEST_CASE("eighteen links of generation 4 carry what a pair of parts was measured to reach") {
  const Bandwidth rate = nvlink_bandwidth(18, *nvlink_rate(4));

  CHECK(rate >= Bandwidth{371'000'000'000});
  CHECK(rate <= Bandwidth{381'000'000'000});
}

TEST_CASE("the rate of generations that nobody has published is not guessed") {
  CHECK(nvlink_rate(1) == Bandwidth{20'000'000'000});
  CHECK_FALSE(nvlink_rate(0).has_value());
  CHECK_FALSE(nvlink_rate(6).has_value());
}

}  // namespace
}  // namespace tantalus

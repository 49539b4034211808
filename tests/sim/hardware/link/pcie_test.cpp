#include "sim/hardware/link/pcie.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

double gigabytes(Bandwidth rate) { return static_cast<double>(rate.count()) * 1e-9; }

TEST_CASE("payload rates agree with the pcie-bench model at packets of 256 bytes") {
  // Its table for device reads: generation 1, 2, 3, 4, 5 x16 and generation 3, 4 x4.
  CHECK(gigabytes(pcie_bandwidth(1, 16)) == doctest::Approx(2.88).epsilon(0.005));
  CHECK(gigabytes(pcie_bandwidth(2, 16)) == doctest::Approx(6.44).epsilon(0.005));
  CHECK(gigabytes(pcie_bandwidth(3, 16)) == doctest::Approx(13.18).epsilon(0.005));
  CHECK(gigabytes(pcie_bandwidth(4, 16)) == doctest::Approx(26.4).epsilon(0.005));
  CHECK(gigabytes(pcie_bandwidth(5, 16)) == doctest::Approx(52.7).epsilon(0.005));
  CHECK(gigabytes(pcie_bandwidth(3, 4)) == doctest::Approx(3.37).epsilon(0.005));
  CHECK(gigabytes(pcie_bandwidth(4, 4)) == doctest::Approx(6.74).epsilon(0.005));
}

TEST_CASE("no link carries more than its lanes transfer") {
  for (std::int64_t generation = 1; generation <= 7; ++generation) {
    for (const std::int64_t lanes : {1, 2, 4, 8, 16, 32}) {
      CHECK(pcie_bandwidth(generation, lanes) < BitWidth{lanes} * pcie_lane_rate(generation));
    }
  }
}

TEST_CASE("each generation carries more than the one before") {
  for (std::int64_t generation = 2; generation <= 7; ++generation) {
    CHECK(pcie_bandwidth(generation, 16) > pcie_bandwidth(generation - 1, 16));
  }
}

}  // namespace
}  // namespace tantalus

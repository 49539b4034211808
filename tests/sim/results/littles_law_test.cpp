#include "sim/results/littles_law.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

MemoryLevel memory(std::int64_t gigabytes, std::int64_t nanoseconds) {
  return {MemoryPlace::dram,
          "DRAM",
          Bytes{1 << 30},
          1,
          Bandwidth{1'000'000'000 * gigabytes},
          Duration{1'000 * nanoseconds}};
}

TEST_CASE("bytes under way are rate x latency") {
  // V100: 900 GB/s x 400 cycles at 1.53 GHz, 261 ns: 235 kB, 2.9 kB an SM, 58,800 loads of 4 B of 163,840 threads.
  MemoryHierarchy device;
  device.units = 80;
  device.threads = 163'840;
  device.levels = {memory(900, 261)};

  const InFlight found = *in_flight(device, device.levels[0]);

  CHECK(found.bytes == doctest::Approx(234'900.0));
  CHECK(found.of_unit == doctest::Approx(2'936.25));
  CHECK(found.requests == doctest::Approx(58'725.0));
  CHECK(found.of_threads == doctest::Approx(0.3584).epsilon(0.001));
}

TEST_CASE("a desktop processor needs 80 lines under way, and seven cores of twelve each") {
  // 51.2 GB/s x 100 ns = 5120 B; 12 lines of 64 B in 100 ns are 7.68 GB/s a core.
  MemoryHierarchy device;
  device.request = Bytes{64};
  device.one_unit = Bandwidth{7'680'000'000};
  device.levels = {
      {MemoryPlace::dram, "DRAM", Bytes{1}, 1, Bandwidth{51'200'000'000}, Duration{100'000}}};
  CHECK(in_flight(device, device.levels[0])->requests == doctest::Approx(80.0));
  CHECK(*units_for_memory(device) == doctest::Approx(6.667).epsilon(0.001));
}

TEST_CASE("the rate grows with what is under way and then stays") {
  const MemoryLevel level = memory(100, 100);  // 10 kB keep it busy
  CHECK(*rate_with(level, 1'000.0) == doctest::Approx(10e9));
  CHECK(*rate_with(level, 5'000.0) == doctest::Approx(50e9));
  CHECK(*rate_with(level, 10'000.0) == doctest::Approx(100e9));
  CHECK(*rate_with(level, 80'000.0) == doctest::Approx(100e9));
}

TEST_CASE("what is not stated keeps nothing busy") {
  MemoryHierarchy device;
  MemoryLevel level = memory(100, 100);
  level.latency.reset();
  device.levels = {level};
  CHECK_FALSE(in_flight(device, level));
  CHECK_FALSE(rate_with(level, 1.0));
  CHECK_FALSE(units_for_memory(device));
}

struct StreamPoint {
  double threads, gigabytes;
};

TEST_CASE("a kernel that loads one double a thread follows the line of Little's law") {
  // te42kyfo/gpu-benches, gpu-stream: `read` in double precision, two blocks an SM, below half of the plateau. Latencies of other
  // programs: V100 PCIe 408 cycles at 1380 MHz (caps-tum/mt4g), A100 550 at 1410 (markdewing/AI_kernels).
  const StreamPoint v100[] = {{2560, 72}, {7680, 199}, {12800, 321}, {17920, 431}};
  const StreamPoint a100[] = {{3456, 81}, {10368, 230}, {17280, 369}, {24192, 504}, {31104, 632}};
  MemoryLevel level = memory(898, 296);
  for (const StreamPoint& point : v100)
    CHECK(*rate_with(level, 8.0 * point.threads) ==
          doctest::Approx(1e9 * point.gigabytes).epsilon(0.15));
  level = memory(1555, 390);
  for (const StreamPoint& point : a100)
    CHECK(*rate_with(level, 8.0 * point.threads) ==
          doctest::Approx(1e9 * point.gigabytes).epsilon(0.15));
}

}  // namespace
}  // namespace tantalus

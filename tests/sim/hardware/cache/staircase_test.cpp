#include "sim/hardware/cache/staircase.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

constexpr std::int64_t kib = 1024;

/// Two cores with 4 KiB each and 64 KiB behind them: 1, 10 and 100 ns; 400, 200 and 20 GB/s.
Stairs two_levels() {
  HierarchyShape shape;
  shape.cores = 2;
  shape.levels.resize(2);
  shape.levels[0].capacity = Bytes{4 * kib};
  shape.levels[0].ways = 4;
  shape.levels[1].capacity = Bytes{64 * kib};
  shape.levels[1].ways = 8;
  shape.levels[1].shared_by = 2;
  Stairs stairs = stairs_of(shape);
  const std::int64_t nanoseconds[] = {1, 10, 100}, gigabytes[] = {400, 200, 20};
  for (std::size_t i = 0; i < 3; ++i) {
    stairs.levels[i].latency = Duration{1000 * nanoseconds[i]};
    stairs.levels[i].bandwidth = Bandwidth{1'000'000'000 * gigabytes[i]};
  }
  return stairs;
}

StairStep step(const Stairs& stairs, std::int64_t bytes) {
  return stair_step(stairs, Bytes{bytes}).value();
}

TEST_CASE("each level is a plateau of its own latency") {
  const Stairs stairs = two_levels();
  CHECK(*step(stairs, 2 * kib).latency == doctest::Approx(1e-9));
  CHECK(*step(stairs, 4 * kib).latency == doctest::Approx(1e-9));
  CHECK(*step(stairs, 32 * kib).latency == doctest::Approx(10e-9));
  CHECK(*step(stairs, 64 * kib).latency == doctest::Approx(10e-9));
  CHECK(*step(stairs, 256 * kib).latency == doctest::Approx(100e-9));
}

TEST_CASE("between plateaus the time is that of the answers") {
  // 16 sets of 4 ways hold 72 lines: eight sets have five lines, which LRU always misses, and eight have four. So 32 of 72 hit.
  const StairStep found = step(two_levels(), 4 * kib + 8 * 64);
  CHECK(found.chased[0] == doctest::Approx(32.0 / 72.0));
  CHECK(found.chased[1] == doctest::Approx(40.0 / 72.0));
  CHECK(*found.latency == doctest::Approx((32.0 * 1 + 40.0 * 10) / 72.0 * 1e-9));
}

TEST_CASE("the caches of all cores together hold what they stream") {
  const Stairs stairs = two_levels();
  CHECK(*step(stairs, 8 * kib).bandwidth == doctest::Approx(400e9));
  CHECK(*step(stairs, 32 * kib).bandwidth == doctest::Approx(200e9));
  CHECK(*step(stairs, 256 * kib).bandwidth == doctest::Approx(20e9));
}

TEST_CASE("levels work at one time: the slowest sets the rate") {
  // 9 KiB: each core has 72 lines, of which 40 are missed: 200 / (40 / 72) = 360 GB/s, less than 400.
  CHECK(*step(two_levels(), 9 * kib).bandwidth == doctest::Approx(360e9));
}

TEST_CASE("one core alone streams at its own rate from the level that answers") {
  Stairs stairs = two_levels();
  stairs.levels[0].of_one = Bandwidth{200'000'000'000};
  stairs.levels[1].of_one = Bandwidth{50'000'000'000};
  stairs.levels[2].of_one = Bandwidth{8'000'000'000};
  CHECK(*step(stairs, 4 * kib).of_one == doctest::Approx(200e9));
  CHECK(*step(stairs, 64 * kib).of_one == doctest::Approx(50e9));
  CHECK(*step(stairs, 256 * kib).of_one == doctest::Approx(8e9));
}

TEST_CASE("a latency that is not stated is needed only where that level answers") {
  Stairs stairs = two_levels();
  stairs.levels[1].latency.reset();
  CHECK(step(stairs, 2 * kib).latency);
  CHECK_FALSE(step(stairs, 32 * kib).latency);
  CHECK(step(stairs, 256 * kib).latency);
}

TEST_CASE("an L2 in two partitions has a step at half its capacity") {
  GpuSpec gpu;
  gpu.sm.count = 4;
  gpu.sm.shared_memory = Bytes{16 * kib};
  gpu.sm.l1_capacity = Bytes{32 * kib};
  gpu.sm.l1_latency = Cycles{30};
  gpu.clock.boost = Frequency{1'000'000'000};
  gpu.clock.sustained = gpu.clock.boost;
  gpu.l2.capacity = Bytes{1024 * kib};
  gpu.l2.bandwidth = BytesPerCycle{64};
  gpu.l2.latency = Cycles{200};
  gpu.l2.partitions = 2;
  gpu.dram.bandwidth = Bandwidth{10'000'000'000};
  gpu.dram_latency = Duration{500'000};

  derive(gpu.l2);

  const Stairs stairs = stairs_of(gpu);

  CHECK(*step(stairs, 400 * kib).latency == doctest::Approx(200e-9));
  CHECK(*step(stairs, 1000 * kib).latency == doctest::Approx(400e-9));
  CHECK(*step(stairs, 4000 * kib).latency == doctest::Approx(500e-9));
}

TEST_CASE("shared memory of blocks is taken from the first level where both are one array") {
  GpuSpec gpu;
  gpu.sm.count = 1;
  gpu.sm.shared_memory = Bytes{96 * kib};
  gpu.sm.l1_capacity = Bytes{128 * kib};
  gpu.l2.capacity = Bytes{1024 * kib};
  gpu.l2.bandwidth = BytesPerCycle{64};
  gpu.clock.boost = Frequency{1'000'000'000};
  gpu.clock.sustained = gpu.clock.boost;
  gpu.dram.bandwidth = Bandwidth{10'000'000'000};
  derive(gpu.l2);
  CHECK(stairs_of(gpu).caches.levels[0].capacity == Bytes{124 * kib});
  CHECK(stairs_of(gpu, Bytes{32 * kib}).caches.levels[0].capacity == Bytes{92 * kib});
  gpu.sm.l1_capacity = Bytes{48 * kib};
  CHECK(stairs_of(gpu, Bytes{32 * kib}).caches.levels[0].capacity == Bytes{48 * kib});
}

TEST_CASE("sizes grow by an octave in two steps, and hold each capacity") {
  const std::vector<Bytes> sizes = stair_sizes(two_levels());
  CHECK(sizes.front() == Bytes{kib});
  CHECK(sizes.back() == Bytes{192 * kib});
  CHECK(std::count(sizes.begin(), sizes.end(), Bytes{8 * kib}) == 1);
  CHECK(std::count(sizes.begin(), sizes.end(), Bytes{4 * kib}) == 1);
  CHECK(std::count(sizes.begin(), sizes.end(), Bytes{96 * kib}) == 1);
  CHECK(std::is_sorted(sizes.begin(), sizes.end()));
}

}  // namespace
}  // namespace tantalus

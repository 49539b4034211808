#include "sim/results/inversion.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

constexpr std::int64_t kib = 1024;

/// A device of ten units with a round clock: 1 TFLOP/s, 100 ns and 100 GB/s of memory.
MemoryHierarchy device(std::int64_t registers, std::int64_t l1, std::int64_t l2) {
  MemoryHierarchy memory;
  memory.units = 10;
  memory.threads = 100;
  memory.flops = 1e12;
  memory.multiply_add = Duration{1'000};
  memory.levels = {{MemoryPlace::registers, "registers", Bytes{registers * kib}, 10, {}, {}},
                   {MemoryPlace::l1, "L1", Bytes{l1 * kib}, 10, {}, {}},
                   {MemoryPlace::l2, "L2", Bytes{l2 * kib}, 1, {}, {}},
                   {MemoryPlace::dram, "DRAM", Bytes{1 << 30}, 1, Bandwidth{100'000'000'000},
                    Duration{100'000}}};
  return memory;
}

TEST_CASE("memory is inverted only where every level is larger than the one behind it") {
  // Ten times 256 > ten times 128 > 1000 KiB; then an L2 that is larger; then registers as large as the L1.
  CHECK(inversion_of(device(256, 128, 1000)).strict);
  CHECK_FALSE(inversion_of(device(256, 128, 2000)).strict);
  CHECK_FALSE(inversion_of(device(128, 128, 1000)).strict);
}

TEST_CASE("a level that a device does not have is no larger than any") {
  MemoryHierarchy memory = device(256, 128, 1000);
  memory.levels.erase(memory.levels.begin() + 1);
  CHECK(inversion_of(memory).l1 == Bytes{0});
  CHECK_FALSE(inversion_of(memory).strict);
}

TEST_CASE("ratios compare totals, and the registers of a thread") {
  MemoryHierarchy under = device(64, 32, 1000);
  under.threads = 10;

  const MemoryRatios ratio = ratios_of(device(256, 128, 500), under);

  CHECK(ratio.registers == doctest::Approx(4.0));
  CHECK(ratio.l1 == doctest::Approx(4.0));
  CHECK(ratio.l2 == doctest::Approx(0.5));
  CHECK(ratio.dram_bandwidth == doctest::Approx(1.0));
  CHECK(ratio.registers_per_thread == doctest::Approx(0.4));  // 4 x the bytes, 10 x the threads
}

TEST_CASE("how far DRAM is depends on the definition") {
  const std::vector<MemoryDistance> distances = memory_distances(device(1, 1, 1));

  REQUIRE(distances.size() == 6);
  CHECK(*distances[0].ratio == doctest::Approx(100.0));     // 100 ns / 1 ns
  CHECK(*distances[1].ratio == doctest::Approx(5'000.0));   // 0.05 multiply-adds a ps and unit
  CHECK(*distances[2].ratio == doctest::Approx(50'000.0));  // of ten units
  CHECK(*distances[3].ratio == doctest::Approx(20.0));      // 40 ps a word / 2 ps
  CHECK(*distances[4].ratio == doctest::Approx(139.1).epsilon(0.001));    // 640 / 4.6
  CHECK(*distances[5].ratio == doctest::Approx(2'782.6).epsilon(0.001));  // 640 / 0.23
}

TEST_CASE("a distance that needs what the file does not say is none") {
  MemoryHierarchy memory = device(1, 1, 1);
  memory.multiply_add.reset();
  memory.levels.back().bandwidth.reset();
  const std::vector<MemoryDistance> distances = memory_distances(memory);
  CHECK_FALSE(distances[0].ratio);
  CHECK(distances[1].ratio);
  CHECK_FALSE(distances[3].ratio);
}

TEST_CASE("orders of magnitude are one number near a power of ten and two between") {
  CHECK(orders_text(100.0) == "2");
  CHECK(orders_text(80.0) == "2");
  CHECK(orders_text(140.0) == "2");
  CHECK(orders_text(2'800.0) == "3 to 4");
  CHECK(orders_text(6'000.0) == "3 to 4");
  CHECK(orders_text(100'000.0) == "5");
  CHECK(orders_text(0.1) == "-1");
  CHECK(orders_text(0.0) == "-");
}

}  // namespace
}  // namespace tantalus

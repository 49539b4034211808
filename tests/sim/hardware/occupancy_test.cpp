#include "sim/hardware/occupancy.hpp"

#include <sstream>

#include <doctest/doctest.h>

#include "tests/sim/hardware/occupancy_cases.hpp"

namespace tantalus::test {

namespace {

KernelLaunch launch(std::int64_t threads, int registers, std::int64_t shared,
                    std::int64_t blocks = 1'000'000) {
  KernelLaunch launch;
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.registers_per_thread = registers;
  launch.shared_bytes = Bytes{shared};
  return launch;
}

}  // namespace

TEST_CASE("registers limit a block of 256 threads with 128 registers to two on an A100") {
  // 128 x 32 = 4096 a warp; a quarter of 65536 holds 4 warps, so 16 warps an SM, and a block has 8.
  const Occupancy found = occupancy(sm_of(8, 0), launch(256, 128, 0));

  CHECK(found.blocks_per_sm == 2);
  CHECK(found.limited_by == OccupancyLimit::registers);
}

TEST_CASE("shared memory counts the bytes that the system reserves for each block") {
  // (40 KiB + 1 KiB) x 4 = 164 KiB fit exactly; 128 B more round up to 41.125 KiB, of which three fit.
  CHECK(occupancy(sm_of(8, 0), launch(64, 32, 40 * 1024)).blocks_per_sm == 4);
  CHECK(occupancy(sm_of(8, 0), launch(64, 32, 40 * 1024 + 1)).blocks_per_sm == 3);
  CHECK(occupancy(sm_of(8, 0), launch(64, 32, 40 * 1024)).limited_by == OccupancyLimit::shared);
}

TEST_CASE("threads limit large blocks and block slots limit small ones") {
  CHECK(occupancy(sm_of(7, 5), launch(512, 32, 0)) == Occupancy{2, OccupancyLimit::threads});
  CHECK(occupancy(sm_of(8, 6), launch(32, 32, 0)) == Occupancy{16, OccupancyLimit::blocks});
}

TEST_CASE("a block of 33 threads takes two warps") {
  // 48 warps / 2 = 24, but 16 block slots.
  CHECK(occupancy(sm_of(8, 6), launch(33, 32, 0)).blocks_per_sm == 16);
  CHECK(occupancy(sm_of(8, 6), launch(97, 32, 0)).blocks_per_sm == 12);  // 48 / 4
}

TEST_CASE("a kernel that asks for more than an SM has cannot run") {
  CHECK(occupancy(sm_of(8, 0), launch(1025, 16, 0)) == Occupancy{0, OccupancyLimit::threads});
  CHECK(occupancy(sm_of(8, 0), launch(64, 256, 0)) == Occupancy{0, OccupancyLimit::registers});
  CHECK(occupancy(sm_of(8, 0), launch(64, 32, 164 * 1024)) == Occupancy{0, OccupancyLimit::shared});
  CHECK(occupancy(sm_of(8, 0), launch(1024, 65, 0)) == Occupancy{0, OccupancyLimit::registers});
}

TEST_CASE("a grid that cannot fill the SMs is what limits residency") {
  // 100 SMs with room for 8 blocks each: 700 blocks leave every SM at most 7.
  CHECK(occupancy(sm_of(8, 0), launch(256, 32, 0, 700)).limited_by == OccupancyLimit::grid);
  CHECK(occupancy(sm_of(8, 0), launch(256, 32, 0, 701)).limited_by == OccupancyLimit::registers);
}

TEST_CASE("occupancy equals the recorded answers of NVIDIA's calculator") {
  std::istringstream golden(read_text("tests/sim/hardware/occupancy_golden.txt"));
  const std::vector<OccupancyCase> cases = occupancy_cases();
  REQUIRE(cases.size() >= 2'000);

  std::size_t wrong = 0, read = 0;
  for (const OccupancyCase& c : cases) {
    int recorded = -1;
    if (!(golden >> recorded)) break;
    ++read;
    const int ours =
        occupancy(sm_of(c.major, c.minor), launch(c.threads, c.registers, c.shared)).blocks_per_sm;
    if (ours == recorded) continue;
    if (++wrong <= 5) {
      FAIL_CHECK("cc " << c.major << "." << c.minor << ", " << c.threads << " threads, "
                       << c.registers << " registers, " << c.shared << " B: " << ours
                       << ", recorded " << recorded);
    }
  }
  CHECK(read == cases.size());
  CHECK(wrong == 0);
}

}  // namespace tantalus::test

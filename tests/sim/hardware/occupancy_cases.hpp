// The launches on which our occupancy and NVIDIA's calculator are compared: generated, the same on every machine. The golden
// file beside this one holds what the calculator says of them (cuda_occupancy.h of CUDA 13).
#pragma once

#include <vector>

#include "sim/hardware/gpu_spec.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {

struct OccupancyCase {
  int major = 0, minor = 0;
  std::int64_t threads = 0;
  int registers = 0;
  std::int64_t shared = 0;  // bytes
};

/// An SM of one compute capability, from the table of docs/modelling.md, "Occupancy".
inline SmSpec sm_of(int major, int minor) {
  struct Row {
    int major, minor;
    std::int64_t threads, blocks, shared_kib, block_kib, shared_unit, reserved, granularity;
  };
  static const Row rows[] = {
      {5, 2, 2048, 32, 96, 48, 256, 0, 4},      {6, 1, 2048, 32, 96, 48, 256, 0, 4},
      {7, 0, 2048, 32, 96, 96, 256, 0, 4},      {7, 5, 1024, 16, 64, 64, 256, 0, 4},
      {8, 0, 2048, 32, 164, 163, 128, 1024, 4}, {8, 6, 1536, 16, 100, 99, 128, 1024, 4},
      {8, 9, 1536, 24, 100, 99, 128, 1024, 4},  {9, 0, 2048, 32, 228, 227, 128, 1024, 4}};
  for (const Row& row : rows) {
    if (row.major != major || row.minor != minor) continue;
    SmSpec sm;
    sm.count = 100;
    sm.max_threads = row.threads;
    sm.max_blocks = row.blocks;
    sm.shared_memory = Bytes{row.shared_kib * 1024};
    sm.shared_memory_per_block = Bytes{row.block_kib * 1024};
    sm.shared_unit = Bytes{row.shared_unit};
    sm.shared_reserved = Bytes{row.reserved};
    sm.warp_granularity = row.granularity;
    return sm;
  }
  throw std::runtime_error("no such compute capability in this table");
}

inline std::vector<OccupancyCase> occupancy_cases() {
  const std::vector<std::pair<int, int>> parts = {{7, 5}, {8, 0}, {8, 6}, {8, 9},
                                                  {9, 0}, {5, 2}, {6, 1}, {7, 0}};
  std::vector<OccupancyCase> cases;
  Random random(20261202);
  for (int i = 0; i < 3200; ++i) {
    const auto& [major, minor] = parts[static_cast<std::size_t>(i) % parts.size()];
    OccupancyCase one;
    one.major = major;
    one.minor = minor;
    // Half whole warps, half any size; a few beyond the limit of 1024 threads and of 255 registers.
    one.threads = random.within(0, 1) == 0 ? 32 * random.within(1, 33) : random.within(1, 1100);
    const std::int64_t most =
        random.within(0, 2) == 0 ? 255 : 65536 / one.threads;  // usually few enough to run
    one.registers = static_cast<int>(random.within(0, 30) == 0
                                         ? random.within(257, 300)
                                         : random.within(0, std::min<std::int64_t>(255, most)));
    const std::int64_t block = sm_of(major, minor).shared_memory_per_block.count();
    const std::int64_t kind = random.within(0, 3);
    one.shared = kind == 0   ? 0
                 : kind == 1 ? random.within(0, block + 2048)
                             : random.within(0, block / 4);
    cases.push_back(one);
  }
  return cases;
}

}  // namespace tantalus::test

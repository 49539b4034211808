// The launch geometry of one kernel, as a profiler would print it. CPU kernels have a grid of chunks and a block of one.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/base/units.hpp"

namespace tantalus {

struct KernelLaunch {
  std::string name;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  int registers_per_thread = 0;
  Bytes shared_bytes;

  std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  std::int64_t threads_per_block() const { return block[0] * block[1] * block[2]; }
  bool operator==(const KernelLaunch&) const = default;
};

}  // namespace tantalus

// How many blocks of how many threads a kernel runs as: the triple chevrons as a value. Plain data; both the CUDA build and the
// emulator launch from it, and the simulator's kernel table is compared with it.
#pragma once

#include <cstdint>

namespace tantalus::kernels {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  std::int64_t count() const {
    return static_cast<std::int64_t>(x) * static_cast<std::int64_t>(y) *
           static_cast<std::int64_t>(z);
  }
  bool operator==(const Dim3&) const = default;
};

struct LaunchShape {
  Dim3 grid, block;
  bool operator==(const LaunchShape&) const = default;
};

/// ceil(count / unit) for a grid; `count` may be 0, a grid may not: one block then finds nothing to do.
inline unsigned blocks_for(std::int64_t count, std::int64_t unit) {
  return count <= 0 ? 1U : static_cast<unsigned>((count - 1) / unit + 1);
}

}  // namespace tantalus::kernels

// Kernels over elements in a row: blocks of 256 threads, each thread four elements that lie 256 apart, so that four loads are under
// way and every warp asks for whole sectors.
#pragma once

#include "kernels/gpu/cuda_words.cuh"

namespace tantalus::kernels {

inline constexpr int linear_threads = 256;
inline constexpr int linear_per_thread = 4;

inline LaunchShape linear_shape(std::int64_t elements) {
  return {{blocks_for(elements, std::int64_t{linear_threads} * linear_per_thread)},
          {linear_threads}};
}

/// The thread's `turn`-th element.
__device__ inline int linear_element(int turn) {
  const int first = static_cast<int>(blockIdx.x) * linear_threads * linear_per_thread;
  return first + turn * linear_threads + static_cast<int>(threadIdx.x);
}

/// For kernels of one element a thread.
__device__ inline int thread_element() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

inline LaunchShape thread_shape(std::int64_t elements) {
  return {{blocks_for(elements, linear_threads)}, {linear_threads}};
}

}  // namespace tantalus::kernels

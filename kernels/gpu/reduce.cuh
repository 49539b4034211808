// Sums and maxima over the threads of a warp and of a block. Every thread must call them, and every thread gets the answer.
#pragma once

#include "kernels/gpu/cuda_words.cuh"

namespace tantalus::kernels {

inline constexpr unsigned all_lanes = 0xffffffffU;
inline constexpr int lanes_in_warp = 32;

__device__ inline float warp_sum(float value) {
  for (int lanes = lanes_in_warp / 2; lanes > 0; lanes /= 2)
    value += __shfl_xor_sync(all_lanes, value, lanes);
  return value;
}

__device__ inline float warp_max(float value) {
  for (int lanes = lanes_in_warp / 2; lanes > 0; lanes /= 2)
    value = fmaxf(value, __shfl_xor_sync(all_lanes, value, lanes));
  return value;
}

/// Of a block of whole warps in one dimension.
__device__ inline float block_sum(float value) {
  TANTALUS_SHARED(float, of_warp, lanes_in_warp);
  const int thread = static_cast<int>(threadIdx.x);
  const int warps = static_cast<int>(blockDim.x) / lanes_in_warp;
  value = warp_sum(value);
  if (thread % lanes_in_warp == 0) of_warp[thread / lanes_in_warp] = value;
  __syncthreads();
  const int lane = thread % lanes_in_warp;
  const float sum = warp_sum(lane < warps ? of_warp[lane] : 0.0F);
  __syncthreads();  // the array is free for the next sum
  return sum;
}

}  // namespace tantalus::kernels

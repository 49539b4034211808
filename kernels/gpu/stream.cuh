// The four STREAM kernels: nothing but traffic in whole sectors, so that bytes over time is the bandwidth of the memory.
#pragma once

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/linear.cuh"

namespace tantalus::kernels {

TANTALUS_KERNEL stream_copy_kernel(ConstFloats x, Floats y) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float value = TANTALUS_LOAD_IF(i < y.size, x, i);
    TANTALUS_STORE_IF(i < y.size, y, i, value);
  }
}

TANTALUS_KERNEL stream_scale_kernel(ConstFloats x, float factor, Floats y) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float value = TANTALUS_LOAD_IF(i < y.size, x, i);
    TANTALUS_STORE_IF(i < y.size, y, i, factor * value);
  }
}

TANTALUS_KERNEL stream_add_kernel(ConstFloats a, ConstFloats b, Floats y) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float left = TANTALUS_LOAD_IF(i < y.size, a, i);
    const float right = TANTALUS_LOAD_IF(i < y.size, b, i);
    TANTALUS_STORE_IF(i < y.size, y, i, left + right);
  }
}

TANTALUS_KERNEL stream_triad_kernel(ConstFloats a, ConstFloats b, float factor, Floats y) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float left = TANTALUS_LOAD_IF(i < y.size, a, i);
    const float right = TANTALUS_LOAD_IF(i < y.size, b, i);
    TANTALUS_STORE_IF(i < y.size, y, i, left + factor * right);
  }
}

/// y = x
inline Claim stream_copy(Stream stream, ConstFloats x, Floats y) {
  launch(stream, "stream_copy", linear_shape(y.size), stream_copy_kernel, x, y);
  return {bytes_of(x), bytes_of(y), 0};
}

/// y = factor x
inline Claim stream_scale(Stream stream, ConstFloats x, float factor, Floats y) {
  launch(stream, "stream_scale", linear_shape(y.size), stream_scale_kernel, x, factor, y);
  return {bytes_of(x), bytes_of(y), y.size};
}

/// y = a + b
inline Claim stream_add(Stream stream, ConstFloats a, ConstFloats b, Floats y) {
  launch(stream, "stream_add", linear_shape(y.size), stream_add_kernel, a, b, y);
  return {bytes_of(a, b), bytes_of(y), y.size};
}

/// y = a + factor b
inline Claim stream_triad(Stream stream, ConstFloats a, ConstFloats b, float factor, Floats y) {
  launch(stream, "stream_triad", linear_shape(y.size), stream_triad_kernel, a, b, factor, y);
  return {bytes_of(a, b), bytes_of(y), 2 * std::int64_t{y.size}};
}

}  // namespace tantalus::kernels

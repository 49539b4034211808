// ReLU, tanh, sigmoid, dropout and bias, forward and backward. A tensor is planes of `inner` elements; planes take the channels in turn, so that
// a fully connected layer has inner = 1.
#pragma once

#include <cstdint>

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/linear.cuh"
#include "kernels/gpu/reduce.cuh"

namespace tantalus::kernels {

TANTALUS_KERNEL relu_kernel(ConstFloats x, Floats y) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float value = TANTALUS_LOAD_IF(i < y.size, x, i);
    TANTALUS_STORE_IF(i < y.size, y, i, fmaxf(value, 0.0F));
  }
}

TANTALUS_KERNEL relu_gradient_kernel(ConstFloats y, ConstFloats dy, Floats dx) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float out = TANTALUS_LOAD_IF(i < dx.size, y, i);
    const float slope = TANTALUS_LOAD_IF(i < dx.size, dy, i);
    TANTALUS_STORE_IF(i<dx.size, dx, i, out> 0.0F ? slope : 0.0F);
  }
}

/// Functions whose slope follows from their result.
struct Tanh {
  __device__ static float value(float x) { return tanhf(x); }
  __device__ static float slope(float y) { return 1.0F - y * y; }
};
struct Sigmoid {
  __device__ static float value(float x) { return 1.0F / (1.0F + expf(-x)); }
  __device__ static float slope(float y) { return y * (1.0F - y); }
};

template <class Function>
TANTALUS_KERNEL smooth_kernel(ConstFloats x, Floats y) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float value = TANTALUS_LOAD_IF(i < y.size, x, i);
    TANTALUS_STORE_IF(i < y.size, y, i, Function::value(value));
  }
}

template <class Function>
TANTALUS_KERNEL smooth_gradient_kernel(ConstFloats y, ConstFloats dy, Floats dx) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float out = TANTALUS_LOAD_IF(i < dx.size, y, i);
    const float slope = TANTALUS_LOAD_IF(i < dx.size, dy, i);
    TANTALUS_STORE_IF(i < dx.size, dx, i, slope * Function::slope(out));
  }
}

TANTALUS_KERNEL bias_kernel(ConstFloats bias, int inner, Floats y) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float value = TANTALUS_LOAD_IF(i < y.size, y, i);
    const float shift = TANTALUS_LOAD_IF(i < y.size, bias, i / inner % bias.size);
    TANTALUS_STORE_IF(i < y.size, y, i, value + shift);
  }
}

// One block for each channel.
TANTALUS_KERNEL bias_gradient_kernel(ConstFloats dy, int inner, Floats db) {
  const int channel = static_cast<int>(blockIdx.x);
  const int of_channel = dy.size / db.size;
  float sum = 0.0F;
  for (int i = static_cast<int>(threadIdx.x); i < of_channel; i += linear_threads) {
    const int plane = i / inner * db.size + channel;
    sum += TANTALUS_LOAD(dy, plane * inner + i % inner);
  }
  sum = block_sum(sum);
  TANTALUS_STORE_IF(threadIdx.x == 0, db, channel, sum);
}

// Without planes, neighbours belong to different channels: a warp takes 32 of them, and the warps of a block share the rows.
TANTALUS_KERNEL bias_row_gradient_kernel(ConstFloats dy, Floats db) {
  TANTALUS_SHARED(float, of_warp, linear_threads);
  const int thread = static_cast<int>(threadIdx.x);
  const int channel = static_cast<int>(blockIdx.x) * lanes_in_warp + thread % lanes_in_warp;
  const int warps = linear_threads / lanes_in_warp;
  float sum = 0.0F;
  for (int row = thread / lanes_in_warp; row < dy.size / db.size; row += warps)
    sum += TANTALUS_LOAD_IF(channel < db.size, dy, row * db.size + channel);
  of_warp[thread] = sum;
  __syncthreads();
  if (thread >= lanes_in_warp) return;
  sum = 0.0F;
  for (int warp = 0; warp < warps; ++warp) sum += of_warp[warp * lanes_in_warp + thread];
  TANTALUS_STORE_IF(channel < db.size, db, channel, sum);
}

using Bytes = View<std::uint8_t>;
using ConstBytes = View<const std::uint8_t>;

/// Bits that look random, of a place and a seed (the finaliser of MurmurHash3).
__device__ inline unsigned scrambled(unsigned place, unsigned seed) {
  unsigned bits = place ^ seed;
  bits = (bits ^ bits >> 16U) * 0x85ebca6bU;
  bits = (bits ^ bits >> 13U) * 0xc2b2ae35U;
  return bits ^ bits >> 16U;
}

TANTALUS_KERNEL dropout_kernel(ConstFloats x, unsigned seed, float factor, Bytes mask, Floats y) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float value = TANTALUS_LOAD_IF(i < y.size, x, i);
    const unsigned kept = scrambled(static_cast<unsigned>(i), seed) >> 31U;
    TANTALUS_STORE_IF(i < y.size, mask, i, static_cast<std::uint8_t>(kept));
    TANTALUS_STORE_IF(i < y.size, y, i, value * factor * static_cast<float>(kept));
  }
}

TANTALUS_KERNEL dropout_gradient_kernel(ConstFloats dy, float factor, ConstBytes mask, Floats dx) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float slope = TANTALUS_LOAD_IF(i < dx.size, dy, i);
    const std::uint8_t kept = TANTALUS_LOAD_IF(i < dx.size, mask, i);
    TANTALUS_STORE_IF(i < dx.size, dx, i, slope * factor * static_cast<float>(kept));
  }
}

/// y = max(x, 0); in place when both are one buffer
inline Claim relu(Stream stream, ConstFloats x, Floats y) {
  launch(stream, "relu", linear_shape(y.size), relu_kernel, x, y);
  return {bytes_of(x), bytes_of(y), y.size};
}

/// dx = dy where y > 0, else 0
inline Claim relu_gradient(Stream stream, ConstFloats y, ConstFloats dy, Floats dx) {
  launch(stream, "relu_gradient", linear_shape(dx.size), relu_gradient_kernel, y, dy, dx);
  return {bytes_of(y, dy), bytes_of(dx), dx.size};
}

/// y = Function of x; three operations an element, whatever the function takes
template <class Function>
Claim smooth(Stream stream, const char* name, ConstFloats x, Floats y) {
  launch(stream, name, linear_shape(y.size), smooth_kernel<Function>, x, y);
  return {bytes_of(x), bytes_of(y), 3 * std::int64_t{y.size}};
}

/// dx = dy times the slope that y tells
template <class Function>
Claim smooth_gradient(Stream stream, const char* name, ConstFloats y, ConstFloats dy, Floats dx) {
  launch(stream, name, linear_shape(dx.size), smooth_gradient_kernel<Function>, y, dy, dx);
  return {bytes_of(y, dy), bytes_of(dx), 3 * std::int64_t{dx.size}};
}

/// y += bias of its channel
inline Claim bias(Stream stream, ConstFloats bias, int inner, Floats y) {
  launch(stream, "bias", linear_shape(y.size), bias_kernel, bias, inner, y);
  return {bytes_of(y, bias), bytes_of(y), y.size};
}

/// db = sum of dy over all planes of the channel
inline Claim bias_gradient(Stream stream, ConstFloats dy, int inner, Floats db) {
  if (inner == 1) {
    const LaunchShape rows{{blocks_for(db.size, lanes_in_warp)}, {linear_threads}};
    launch(stream, "bias_row_gradient", rows, bias_row_gradient_kernel, dy, db);
  } else {
    const LaunchShape planes{{static_cast<unsigned>(db.size)}, {linear_threads}};
    launch(stream, "bias_gradient", planes, bias_gradient_kernel, dy, inner, db);
  }
  return {bytes_of(dy), bytes_of(db), dy.size};
}

/// y = x factor for the half of x that is kept, else 0; mask = 1 where it is kept
inline Claim dropout(Stream stream, ConstFloats x, unsigned seed, float factor, Bytes mask,
                     Floats y) {
  launch(stream, "dropout", linear_shape(y.size), dropout_kernel, x, seed, factor, mask, y);
  return {bytes_of(x), bytes_of(mask, y), 2 * std::int64_t{y.size}};
}

/// dx = dy factor where it was kept
inline Claim dropout_gradient(Stream stream, ConstFloats dy, float factor, ConstBytes mask,
                              Floats dx) {
  launch(stream, "dropout_gradient", linear_shape(dx.size), dropout_gradient_kernel, dy, factor,
         mask, dx);
  return {bytes_of(dy, mask), bytes_of(dx), 2 * std::int64_t{dx.size}};
}

}  // namespace tantalus::kernels

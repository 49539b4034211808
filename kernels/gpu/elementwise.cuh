// ReLU and bias, forward and backward. A tensor is planes of `inner` elements; planes take the channels in turn, so that a fully
// connected layer has inner = 1.
#pragma once

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

/// y += bias of its channel
inline Claim bias(Stream stream, ConstFloats bias, int inner, Floats y) {
  launch(stream, "bias", linear_shape(y.size), bias_kernel, bias, inner, y);
  return {bytes_of(y, bias), bytes_of(y), y.size};
}

/// db = sum of dy over all planes of the channel
inline Claim bias_gradient(Stream stream, ConstFloats dy, int inner, Floats db) {
  const LaunchShape shape{{static_cast<unsigned>(db.size)}, {linear_threads}};
  launch(stream, "bias_gradient", shape, bias_gradient_kernel, dy, inner, db);
  return {bytes_of(dy), bytes_of(db), dy.size};
}

}  // namespace tantalus::kernels

// Softmax over rows of classes, alone and with cross-entropy. A warp takes a row, so that the maximum and the sum need no barrier; a row is
// loaded three times, the last two from cache.
#pragma once

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/linear.cuh"
#include "kernels/gpu/reduce.cuh"

namespace tantalus::kernels {

inline constexpr int softmax_threads = 128;

inline LaunchShape softmax_shape(std::int64_t rows) {
  return {{blocks_for(rows, softmax_threads / lanes_in_warp)}, {softmax_threads}};
}

TANTALUS_KERNEL softmax_kernel(ConstFloats x, int rows, int classes, Floats y) {
  const int row = thread_element() / lanes_in_warp;
  const int lane = static_cast<int>(threadIdx.x) % lanes_in_warp;
  if (row >= rows) return;  // the whole warp
  const int first = row * classes;
  float largest = -INFINITY;
  for (int c = lane; c < classes; c += lanes_in_warp)
    largest = fmaxf(largest, TANTALUS_LOAD(x, first + c));
  largest = warp_max(largest);
  float sum = 0.0F;
  for (int c = lane; c < classes; c += lanes_in_warp)
    sum += expf(TANTALUS_LOAD(x, first + c) - largest);
  sum = warp_sum(sum);
  for (int c = lane; c < classes; c += lanes_in_warp) {
    const float value = TANTALUS_LOAD(x, first + c);
    TANTALUS_STORE(y, first + c, expf(value - largest) / sum);
  }
}

TANTALUS_KERNEL softmax_gradient_kernel(ConstFloats dy, ConstFloats y, int rows, int classes,
                                        Floats dx) {
  const int row = thread_element() / lanes_in_warp;
  const int lane = static_cast<int>(threadIdx.x) % lanes_in_warp;
  if (row >= rows) return;  // the whole warp
  const int first = row * classes;
  float dot = 0.0F;
  for (int c = lane; c < classes; c += lanes_in_warp) {
    const float slope = TANTALUS_LOAD(dy, first + c);
    dot += slope * TANTALUS_LOAD(y, first + c);
  }
  dot = warp_sum(dot);
  for (int c = lane; c < classes; c += lanes_in_warp) {
    const float slope = TANTALUS_LOAD(dy, first + c);
    const float value = TANTALUS_LOAD(y, first + c);
    TANTALUS_STORE(dx, first + c, value * (slope - dot));
  }
}

TANTALUS_KERNEL softmax_loss_kernel(ConstFloats x, View<const int> labels, int classes,
                                    Floats probability, Floats loss) {
  const int row = thread_element() / lanes_in_warp;
  const int lane = static_cast<int>(threadIdx.x) % lanes_in_warp;
  if (row >= labels.size) return;  // the whole warp
  const int first = row * classes;

  float largest = -INFINITY;
  for (int c = lane; c < classes; c += lanes_in_warp)
    largest = fmaxf(largest, TANTALUS_LOAD(x, first + c));
  largest = warp_max(largest);

  float sum = 0.0F;
  for (int c = lane; c < classes; c += lanes_in_warp)
    sum += expf(TANTALUS_LOAD(x, first + c) - largest);
  sum = warp_sum(sum);

  for (int c = lane; c < classes; c += lanes_in_warp) {
    const float value = TANTALUS_LOAD(x, first + c);
    TANTALUS_STORE(probability, first + c, expf(value - largest) / sum);
  }
  if (lane != 0) return;
  const int label = TANTALUS_LOAD(labels, row);
  const float right = TANTALUS_LOAD(x, first + label);
  TANTALUS_STORE(loss, row, logf(sum) - (right - largest));
}

TANTALUS_KERNEL softmax_loss_gradient_kernel(ConstFloats probability, View<const int> labels,
                                             int classes, Floats dx) {
  const float share = 1.0F / static_cast<float>(labels.size);
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const float p = TANTALUS_LOAD_IF(i < dx.size, probability, i);
    const int label = TANTALUS_LOAD_IF(i < dx.size, labels, i / classes);
    TANTALUS_STORE_IF(i < dx.size, dx, i, (p - (i % classes == label ? 1.0F : 0.0F)) * share);
  }
}

/// y = softmax of each row of x
inline Claim softmax(Stream stream, ConstFloats x, int classes, Floats y) {
  const int rows = y.size / classes;
  launch(stream, "softmax", softmax_shape(rows), softmax_kernel, x, rows, classes, y);
  return {bytes_of(x), bytes_of(y), 5 * std::int64_t{x.size}};
}

/// dx = y (dy - sum of dy y over the row)
inline Claim softmax_gradient(Stream stream, ConstFloats dy, ConstFloats y, int classes,
                              Floats dx) {
  const int rows = dx.size / classes;
  launch(stream, "softmax_gradient", softmax_shape(rows), softmax_gradient_kernel, dy, y, rows,
         classes, dx);
  return {bytes_of(dy, y), bytes_of(dx), 4 * std::int64_t{dx.size}};
}

/// probability = softmax of each row of x; loss = -log of the label's, for each row
inline Claim softmax_loss(Stream stream, ConstFloats x, View<const int> labels, int classes,
                          Floats probability, Floats loss) {
  launch(stream, "softmax_loss", softmax_shape(labels.size), softmax_loss_kernel, x, labels,
         classes, probability, loss);
  return {bytes_of(x, labels), bytes_of(probability, loss), 5 * std::int64_t{x.size}};
}

/// dx of the mean loss of all rows
inline Claim softmax_loss_gradient(Stream stream, ConstFloats probability, View<const int> labels,
                                   int classes, Floats dx) {
  launch(stream, "softmax_loss_gradient", linear_shape(dx.size), softmax_loss_gradient_kernel,
         probability, labels, classes, dx);
  return {bytes_of(probability, labels), bytes_of(dx), 2 * std::int64_t{dx.size}};
}

}  // namespace tantalus::kernels

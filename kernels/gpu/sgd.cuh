// Stochastic gradient descent with momentum and weight decay, as Caffe and AlexNet's authors wrote it.
#pragma once

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/linear.cuh"

namespace tantalus::kernels {

struct SgdRule {
  float rate = 0.01F, momentum = 0.9F, decay = 0.0F;
};

TANTALUS_KERNEL sgd_kernel(SgdRule rule, ConstFloats gradient, Floats velocity, Floats weights) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const bool active = i < weights.size;
    const float g = TANTALUS_LOAD_IF(active, gradient, i);
    const float w = TANTALUS_LOAD_IF(active, weights, i);
    const float old = TANTALUS_LOAD_IF(active, velocity, i);
    const float v = rule.momentum * old + (g + rule.decay * w);
    TANTALUS_STORE_IF(active, velocity, i, v);
    TANTALUS_STORE_IF(active, weights, i, w - rule.rate * v);
  }
}

/// v = momentum v + g + decay w; w -= rate v
inline Claim sgd(Stream stream, SgdRule rule, ConstFloats gradient, Floats velocity,
                 Floats weights) {
  launch(stream, "sgd", linear_shape(weights.size), sgd_kernel, rule, gradient, velocity, weights);
  return {bytes_of(gradient, velocity, weights), bytes_of(velocity, weights),
          6 * std::int64_t{weights.size}};
}

}  // namespace tantalus::kernels

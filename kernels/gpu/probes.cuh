// Kernels that ask one thing of the machine: the latency of a load, the bandwidth of the L2, the rate of multiply-adds, the cost of
// a launch. Unlike other kernels they claim the bytes that they load, as often as they load them: that is what they measure.
#pragma once

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/linear.cuh"

namespace tantalus::kernels {

TANTALUS_KERNEL empty_kernel() {}

TANTALUS_KERNEL pointer_chase_kernel(View<const int> next, int steps, View<int> end) {
  int place = 0;
  for (int step = 0; step < steps; ++step) place = TANTALUS_LOAD(next, place);
  TANTALUS_STORE(end, 0, place);
}

TANTALUS_KERNEL l2_read_kernel(ConstFloats x, int passes, Floats sums) {
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  float sum = 0.0F;
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = thread_element(); i < x.size; i += threads) sum += TANTALUS_LOAD_L2(x, i);
  }
  TANTALUS_STORE(sums, thread_element(), sum);
}

// Independent of each other: more than latency times issue rate of any scheduler asks for.
inline constexpr int fma_chains = 8;

TANTALUS_KERNEL fma_peak_kernel(float factor, float summand, int steps, Floats ends) {
  float chain[fma_chains];
  TANTALUS_UNROLL
  for (int c = 0; c < fma_chains; ++c) chain[c] = static_cast<float>(c);
  for (int step = 0; step < steps; ++step) {
    TANTALUS_UNROLL
    for (int c = 0; c < fma_chains; ++c) chain[c] = fmaf(chain[c], factor, summand);
  }
  float sum = 0.0F;
  TANTALUS_UNROLL
  for (int c = 0; c < fma_chains; ++c) sum += chain[c];
  TANTALUS_STORE(ends, thread_element(), sum);
}

/// Nothing; what is left is the launch.
inline Claim empty(Stream stream) {
  launch(stream, "empty", {{1}, {1}}, empty_kernel);
  return {};
}

/// One thread follows `next` from place 0, `steps` loads that wait for each other; end[0] is where it arrives.
inline Claim pointer_chase(Stream stream, View<const int> next, int steps, View<int> end) {
  launch(stream, "pointer_chase", {{1}, {1}}, pointer_chase_kernel, next, steps, end);
  return {std::int64_t{steps} * std::int64_t{sizeof(int)}, std::int64_t{sizeof(int)}, 0};
}

/// Reads all of x `passes` times past the L1; `sums` has one place for each thread, a whole number of blocks.
inline Claim l2_read(Stream stream, ConstFloats x, int passes, Floats sums) {
  launch(stream, "l2_read", thread_shape(sums.size), l2_read_kernel, x, passes, sums);
  return {passes * bytes_of(x), bytes_of(sums), passes * std::int64_t{x.size}};
}

/// Chains of c = c factor + summand in registers; `ends` has one place for each thread, a whole number of blocks.
inline Claim fma_peak(Stream stream, float factor, float summand, int steps, Floats ends) {
  launch(stream, "fma_peak", thread_shape(ends.size), fma_peak_kernel, factor, summand, steps,
         ends);
  const std::int64_t flops = std::int64_t{fma_chains} * (2 * std::int64_t{steps} + 1);
  return {0, bytes_of(ends), flops * ends.size};
}

}  // namespace tantalus::kernels

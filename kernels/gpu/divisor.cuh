// Division by a number that the host knows and the compiler does not: a multiplication and a shift, where a GPU takes some
// twenty instructions to divide. Exact for all dividends from 0 to 2^31 - 1 (Granlund and Montgomery, Division by invariant
// integers using multiplication, 1994).
#pragma once

#include <cstdint>

#include "kernels/gpu/cuda_words.cuh"

namespace tantalus::kernels {

class Divisor {
 public:
  /// `divisor` is at least 1.
  explicit Divisor(int divisor) : divisor_(divisor) {
    while ((std::int64_t{1} << shift_) < divisor) ++shift_;
    const std::uint64_t above = (std::uint64_t{1} << shift_) - static_cast<unsigned>(divisor);
    multiplier_ = static_cast<unsigned>((above << 32) / static_cast<unsigned>(divisor) + 1);
  }

  __host__ __device__ int quotient(int n) const {
    const auto dividend = static_cast<unsigned>(n);
    const auto high = static_cast<unsigned>(std::uint64_t{dividend} * multiplier_ >> 32);
    return static_cast<int>((high + dividend) >> shift_);
  }
  __host__ __device__ int remainder(int n) const { return n - quotient(n) * divisor_; }
  __host__ __device__ int value() const { return divisor_; }

 private:
  int divisor_;
  unsigned multiplier_ = 0;
  int shift_ = 0;
};

}  // namespace tantalus::kernels

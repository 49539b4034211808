// What a launch says of itself: the bytes of device memory that it must move, each element counted once however often the kernel
// loads it, and the floating-point operations that it executes (a multiply-add is two; a maximum, an exponential, a square root
// and a division one each). A test holds the bytes against what the emulator records; a measured rate is made of them.
#pragma once

#include <cstdint>

#include "kernels/gpu/view.hpp"

namespace tantalus::kernels {

struct Claim {
  std::int64_t read = 0, written = 0;  // bytes
  std::int64_t flops = 0;
  bool operator==(const Claim&) const = default;
};

inline Claim operator+(const Claim& a, const Claim& b) {
  return {a.read + b.read, a.written + b.written, a.flops + b.flops};
}

/// Of all the views together.
template <class... T>
std::int64_t bytes_of(const View<T>&... views) {
  return (std::int64_t{0} + ... + (std::int64_t{views.size} * std::int64_t{sizeof(T)}));
}

}  // namespace tantalus::kernels

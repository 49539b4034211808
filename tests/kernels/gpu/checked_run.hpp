// Runs CUDA kernels under the emulator for a test: buffers aligned like cudaMalloc's, with nothing around them that could be
// touched unseen, random or poisoned with NaN; each run in both orders, which must agree to the byte; the second one recorded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/view.hpp"
#include "kernels/host_cuda/emulator.hpp"

namespace tantalus::kernels::test {

/// Elements in device memory.
template <class T>
class Buffer {
 public:
  explicit Buffer(int size) : size_(size), memory_(allocate(size)) {
    std::memset(memory_.get(), 0xff, bytes());  // NaN, or -1
  }
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&&) noexcept = default;

  View<T> view() { return {memory_.get(), size_}; }
  View<const T> view() const { return {memory_.get(), size_}; }
  T& operator[](int i) { return memory_[static_cast<std::size_t>(i)]; }
  const T& operator[](int i) const { return memory_[static_cast<std::size_t>(i)]; }
  int size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  static constexpr std::align_val_t alignment{256};
  struct Free {
    void operator()(T* memory) const { ::operator delete[](memory, alignment); }
  };
  static T* allocate(int size) {
    return static_cast<T*>(::operator new[](static_cast<std::size_t>(size) * sizeof(T), alignment));
  }

  int size_;
  std::unique_ptr<T[], Free> memory_;
};

using FloatBuffer = Buffer<float>;

/// Values in -1 .. 1, other ones for another seed.
inline FloatBuffer random_floats(int size, unsigned seed) {
  FloatBuffer buffer(size);
  std::mt19937 bits(seed);
  for (int i = 0; i < size; ++i)
    buffer[i] = static_cast<float>(bits() >> 8) / static_cast<float>(1 << 23) - 1.0F;
  return buffer;
}

inline Buffer<int> random_ints(int size, int below, unsigned seed) {
  Buffer<int> buffer(size);
  std::mt19937 bits(seed);
  for (int i = 0; i < size; ++i)
    buffer[i] = static_cast<int>(bits() % static_cast<unsigned>(below));
  return buffer;
}

struct Ran {
  Claim claim;
  std::vector<emulate::LaunchTraffic> launches;
};

/// The bytes of a buffer at some moment.
class Snapshot {
 public:
  template <class T>
  explicit Snapshot(Buffer<T>& buffer)
      : place_(reinterpret_cast<unsigned char*>(buffer.view().data)),
        bytes_(place_, place_ + buffer.bytes()) {}
  void put_back() const { std::copy(bytes_.begin(), bytes_.end(), place_); }
  bool is_still_there() const { return std::equal(bytes_.begin(), bytes_.end(), place_); }

 private:
  unsigned char* place_;
  std::vector<unsigned char> bytes_;
};

/// `launch` returns a Claim; `outputs` are all buffers that it writes.
template <class Launch, class... Output>
Ran run_checked(const Launch& launch, Output&... outputs) {
  const std::vector<Snapshot> before{Snapshot(outputs)...};
  emulate::set_order(emulate::Order::descending);
  launch();
  const std::vector<Snapshot> after{Snapshot(outputs)...};

  for (const Snapshot& output : before) output.put_back();
  emulate::set_order(emulate::Order::ascending);
  emulate::TrafficRecorder recorder;
  emulate::record_into(&recorder);
  Ran ran{launch(), {}};
  emulate::record_into(nullptr);
  for (const Snapshot& output : after) CHECK(output.is_still_there());
  ran.launches = recorder.launches();
  return ran;
}

/// The kernels touched what they claim, each sector once: at most the rest of a sector more for each buffer.
inline void check_claimed_bytes(const Ran& ran) {
  std::int64_t read = 0, written = 0, buffers = 0;
  for (const emulate::LaunchTraffic& launch : ran.launches) {
    read += launch.of(emulate::AccessKind::read).footprint * emulate::sector_bytes;
    written += launch.of(emulate::AccessKind::write).footprint * emulate::sector_bytes;
    for (const auto& kind : launch.by_buffer) buffers += static_cast<std::int64_t>(kind.size());
  }
  const std::int64_t slack = buffers * emulate::sector_bytes;
  CHECK(read >= ran.claim.read);
  CHECK(read < ran.claim.read + slack);
  CHECK(written >= ran.claim.written);
  CHECK(written < ran.claim.written + slack);
}

/// The largest difference, in units of the largest expected value; NaN when anything is.
inline double error_of(const FloatBuffer& got, const std::vector<double>& expected) {
  REQUIRE(static_cast<std::size_t>(got.size()) == expected.size());
  double worst = 0.0;
  double largest = 1e-30;
  for (int i = 0; i < got.size(); ++i) {
    const double want = expected[static_cast<std::size_t>(i)];
    const double difference = std::abs(static_cast<double>(got[i]) - want);
    if (!(difference <= worst)) worst = difference;  // takes a NaN and keeps it
    if (std::isnan(worst)) return worst;
    largest = std::max(largest, std::abs(want));
  }
  return worst / largest;
}

/// Of a sum of a few hundred products of floats.
inline constexpr double float_error = 1e-5;

}  // namespace tantalus::kernels::test

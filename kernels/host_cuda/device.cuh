// CUDA's words for a compiler that has none: each goes to the emulator. Included by kernels/gpu/cuda_words.cuh only.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/gpu/launch_shape.hpp"
#include "kernels/gpu/view.hpp"
#include "kernels/host_cuda/emulator.hpp"

namespace tantalus::emulate {

template <class T>
void check_index(const char* what, const char* name, const kernels::View<T>& view,
                 std::int64_t index, int line) {
  if (index < 0 || index >= view.size) fail_bounds(what, name, index, view.size, line);
}

template <class T>
T load_if(bool active, const kernels::View<T>& view, std::int64_t index, const char* name,
          int line) {
  if (active) check_index("reads", name, view, index, line);
  if (is_recording())
    record(AccessKind::read, line, name, active ? view.data + index : nullptr, sizeof(T), active);
  return active ? view.data[index] : T{};
}

template <class T, class V>
void store_if(bool active, const kernels::View<T>& view, std::int64_t index, V value,
              const char* name, int line) {
  if (active) check_index("writes", name, view, index, line);
  if (is_recording())
    record(AccessKind::write, line, name, active ? view.data + index : nullptr, sizeof(T), active);
  if (active) view.data[index] = value;
}

template <class T>
void atomic_add(const kernels::View<T>& view, std::int64_t index, T value, const char* name,
                int line) {
  check_index("adds to", name, view, index, line);
  if (is_recording()) record(AccessKind::atomic, line, name, view.data + index, sizeof(T), true);
  view.data[index] += value;
}

/// Shared memory of a block that knows its size.
template <class T>
class SharedArray {
 public:
  SharedArray(std::int64_t size, const char* name, int line)
      : data_(
            static_cast<T*>(shared_array(name, line, static_cast<std::size_t>(size) * sizeof(T)))),
        size_(size),
        name_(name),
        line_(line) {}
  T& operator[](std::int64_t index) const {
    if (index < 0 || index >= size_) fail_bounds("touches shared", name_, index, size_, line_);
    return data_[index];
  }

 private:
  T* data_;
  std::int64_t size_;
  const char* name_;
  int line_;  // of the declaration
};

inline float shuffle(unsigned mask, float value, int source, int line) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(
      exchange(mask, std::bit_cast<std::uint32_t>(value), source, line)));
}

}  // namespace tantalus::emulate

namespace tantalus::kernels {

struct Stream {};

template <class... Parameters, class... Arguments>
void launch(Stream, const char* name, const LaunchShape& shape, void (*kernel)(Parameters...),
            Arguments... arguments) {
  emulate::run_grid(name, shape, [&] { kernel(Parameters(arguments)...); });
}

}  // namespace tantalus::kernels

#define TANTALUS_LOAD(view, index) TANTALUS_LOAD_IF(true, view, index)
#define TANTALUS_LOAD_IF(active, view, index) \
  (::tantalus::emulate::load_if(active, view, index, #view, __LINE__))
#define TANTALUS_LOAD_L2(view, index) TANTALUS_LOAD(view, index)
#define TANTALUS_STORE(view, index, value) TANTALUS_STORE_IF(true, view, index, value)
#define TANTALUS_STORE_IF(active, view, index, value) \
  (::tantalus::emulate::store_if(active, view, index, value, #view, __LINE__))
#define TANTALUS_ATOMIC_ADD(view, index, value) \
  (::tantalus::emulate::atomic_add(view, index, value, #view, __LINE__))
#define TANTALUS_SHARED(type, name, count) \
  const ::tantalus::emulate::SharedArray<type> name(count, #name, __LINE__)
#define TANTALUS_UNROLL
#define TANTALUS_ROLLED
#define TANTALUS_KERNEL inline void
#define TANTALUS_BOUNDED_KERNEL(threads, blocks) inline void
// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names, so that the kernels read as CUDA.
#define __device__
#define __host__
#define threadIdx (::tantalus::emulate::position.thread)
#define blockIdx (::tantalus::emulate::position.block)
#define blockDim (::tantalus::emulate::position.block_size)
#define gridDim (::tantalus::emulate::position.grid_size)
#define __syncthreads() ::tantalus::emulate::barrier(__LINE__)
#define __shfl_sync(mask, value, source) \
  (::tantalus::emulate::shuffle(mask, value, source, __LINE__))
#define __shfl_xor_sync(mask, value, lanes)                                                   \
  (::tantalus::emulate::shuffle(mask, value, ::tantalus::emulate::lane_of_thread() ^ (lanes), \
                                __LINE__))
// NOLINTEND(bugprone-reserved-identifier)

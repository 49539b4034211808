// Memory of the device, freed when its owner goes, and copies to and from it. Under the emulator it is the host's, aligned like
// cudaMalloc's. Every function throws std::runtime_error with CUDA's words, or std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "kernels/gpu/cuda_words.cuh"

namespace tantalus::kernels {

inline constexpr std::align_val_t device_alignment{256};

#if defined(__CUDACC__)

struct FreeDevice {
  void operator()(std::uint8_t* memory) const { cudaFree(memory); }
};
inline std::uint8_t* allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
  return static_cast<std::uint8_t*>(memory);
}
inline void copy_to_device(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy to the device");
}
inline void copy_to_host(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy to the host");
}
inline void wait_for(Stream stream) {
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

#else

struct FreeDevice {
  void operator()(std::uint8_t* memory) const { ::operator delete[](memory, device_alignment); }
};
inline std::uint8_t* allocate_device(std::size_t bytes) {
  return static_cast<std::uint8_t*>(::operator new[](bytes, device_alignment));
}
inline void copy_to_device(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
inline void copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
inline void wait_for(Stream) {}

#endif

class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::int64_t bytes)
      : bytes_(bytes), memory_(allocate_device(static_cast<std::size_t>(bytes))) {}

  /// The first `count` elements of type T.
  template <class T>
  View<T> view(std::int64_t count) const {
    return {reinterpret_cast<T*>(memory_.get()), static_cast<int>(count)};
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
  std::unique_ptr<std::uint8_t[], FreeDevice> memory_;
};

}  // namespace tantalus::kernels

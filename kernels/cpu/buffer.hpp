// Floats on a 64-byte boundary, as libraries want them: a vector that neither grows nor copies.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace tantalus::kernels {

class Buffer {
 public:
  Buffer() = default;
  /// `count` zeroes.
  explicit Buffer(std::size_t count)
      : data_(new (std::align_val_t{alignment}) float[count]()), size_(count) {}

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  float& operator[](std::size_t i) { return data_[i]; }
  float operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t alignment = 64;
  struct Free {
    void operator()(float* data) const { ::operator delete[](data, std::align_val_t{alignment}); }
  };
  std::unique_ptr<float[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace tantalus::kernels

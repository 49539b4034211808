// A first-in first-out queue in one block of memory that only ever grows; no allocation once it has reached its largest
// size. Elements are moved out, so a reference never outlives a push.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"

namespace tantalus {

template <class T>
class Ring {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }

  void push(T value) {
    if (count_ == slots_.size()) grow();
    slots_[(first_ + count_) & (slots_.size() - 1)] = std::move(value);
    ++count_;
  }
  T pop() {
    TANTALUS_CHECK(count_ > 0, "a ring has nothing to give");
    T value = std::move(slots_[first_]);
    first_ = (first_ + 1) & (slots_.size() - 1);
    --count_;
    return value;
  }
  const T& front() const {
    TANTALUS_CHECK(count_ > 0, "a ring has nothing to show");
    return slots_[first_];
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 4 : slots_.size() * 2);  // a power of two, for the mask
    for (std::size_t i = 0; i < count_; ++i) {
      larger[i] = std::move(slots_[(first_ + i) & (slots_.size() - 1)]);
    }
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace tantalus

// A small set of 64-bit keys for cancelled events: open addressing in one block that only grows. Not a general container:
// the key UINT64_MAX is reserved, and nothing can be iterated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tantalus {

class KeySet {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }

  bool contains(std::uint64_t key) const { return !slots_.empty() && slots_[find(key)] == key; }
  /// False when it is already there.
  bool insert(std::uint64_t key) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::uint64_t& slot = slots_[find(key)];
    if (slot == key) return false;
    slot = key;
    ++count_;
    return true;
  }
  /// False when it is not there.
  bool erase(std::uint64_t key) {
    if (slots_.empty()) return false;
    std::size_t hole = find(key);
    if (slots_[hole] != key) return false;
    --count_;
    // Close the gap: move back every later key of the run that the hole would hide.
    for (std::size_t i = next(hole); slots_[i] != vacant; i = next(i)) {
      if (distance(home(slots_[i]), i) >= distance(hole, i)) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole] = vacant;
    return true;
  }
  void clear() {
    slots_.assign(slots_.size(), vacant);
    count_ = 0;
  }

 private:
  static constexpr std::uint64_t vacant = UINT64_MAX;

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t distance(std::size_t from, std::size_t to) const { return (to - from) & mask(); }
  std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32) & mask();
  }
  std::size_t find(std::uint64_t key) const {
    std::size_t i = home(key);
    while (slots_[i] != vacant && slots_[i] != key) i = next(i);
    return i;
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.empty() ? 16 : slots_.size() * 2, vacant);
    old.swap(slots_);
    count_ = 0;
    for (const std::uint64_t key : old) {
      if (key != vacant) insert(key);
    }
  }

  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
};

}  // namespace tantalus

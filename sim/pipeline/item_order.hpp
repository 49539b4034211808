// In which order an epoch reads the items: a fresh permutation each epoch, the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace tantalus {

class ItemOrder {
 public:
  ItemOrder(std::uint32_t items, std::uint64_t seed);

  /// Draws the permutation of this epoch (Fisher and Yates; Durstenfeld, Algorithm 235, 1964).
  void shuffle(std::uint64_t epoch);
  /// Back to the order in storage.
  void sort();

  std::uint32_t size() const { return static_cast<std::uint32_t>(items_.size()); }
  std::uint32_t operator[](std::size_t place) const { return items_[place]; }

 private:
  std::vector<std::uint32_t> items_;
  std::uint64_t seed_;
};

}  // namespace tantalus

#include "sim/pipeline/item_order.hpp"

#include <numeric>
#include <utility>

#include "sim/base/units.hpp"
#include "sim/hardware/storage/place_hash.hpp"

namespace tantalus {

ItemOrder::ItemOrder(std::uint32_t items, std::uint64_t seed) : items_(items), seed_(seed) {
  sort();
}

void ItemOrder::sort() { std::iota(items_.begin(), items_.end(), 0U); }

void ItemOrder::shuffle(std::uint64_t epoch) {
  sort();
  std::uint64_t state = place_hash(seed_ ^ place_hash(epoch));
  for (std::size_t left = items_.size(); left > 1; --left) {
    state = place_hash(state);
    // The high half of a product: a number below `left`, even to within left / 2^64.
    const auto drawn = static_cast<std::size_t>((UInt128{state} * left) >> 64);
    std::swap(items_[left - 1], items_[drawn]);
  }
}

}  // namespace tantalus

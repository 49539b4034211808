#include "sim/engine/class_set.hpp"

#include <algorithm>

namespace tantalus {

bool ClassSet::more_empty() const {
  return std::all_of(more_.begin(), more_.end(), [](std::uint64_t bits) { return bits == 0; });
}

void ClassSet::assign_more(const ClassSet& a, const ClassSet& b) {
  for (std::size_t w = 0; w < more_.size(); ++w) more_[w] = a.more_[w] & b.more_[w];
}

void ClassSet::remove_more(const ClassSet& other) {
  for (std::size_t w = 0; w < more_.size(); ++w) more_[w] &= ~other.more_[w];
}

}  // namespace tantalus

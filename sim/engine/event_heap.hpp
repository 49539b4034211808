// A 4-ary implicit heap of events by value: the far tier of the event queue and, alone, the oracle of its property test.
// The scan of the four children is written without branches (a branch there is a coin toss that costs 20 cycles) in a form
// that both g++ and clang keep branch-free; the families of four start at multiples of 128 bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/engine/event.hpp"

namespace tantalus {

class EventHeap {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const Event& top() const { return at(root); }

  void push(const Event& event) {
    if (root + count_ >= 4 * families_.size()) families_.emplace_back();
    rise(root + count_, event);
    ++count_;
  }

  /// Removes the first event in order. The heap must not be empty.
  void pop() {
    --count_;
    const std::size_t end = root + count_;
    if (count_ == 0) return;
    const Event last = at(end);
    std::size_t hole = root;
    std::size_t child = first_child(hole);
    // All the way down without looking at `last`, then up: it came from the bottom and nearly always belongs there.
    while (child + 4 <= end) {
      const std::size_t least = least_of_four(child);
      at(hole) = at(least);
      hole = least;
      child = first_child(hole);
    }
    if (child < end) {
      const std::size_t least = least_of_some(child, end);
      at(hole) = at(least);
      hole = least;
    }
    rise(hole, last);
  }

  /// Keeps only the events for which `keep` says true.
  template <class Predicate>
  void retain(Predicate keep) {
    const std::size_t end = root + count_;
    count_ = 0;
    for (std::size_t i = root; i < end; ++i) {
      const Event event = at(i);
      if (keep(event)) push(event);
    }
  }

 private:
  // The root sits at index 3, so that the children of i are 4(i-2) .. 4(i-2)+3: whole families.
  static constexpr std::size_t root = 3;
  struct alignas(128) Family {
    Event members[4];
  };

  static constexpr std::size_t first_child(std::size_t i) { return 4 * (i - 2); }
  static constexpr std::size_t parent(std::size_t i) { return i / 4 + 2; }

  Event& at(std::size_t i) { return families_[i / 4].members[i % 4]; }
  const Event& at(std::size_t i) const { return families_[i / 4].members[i % 4]; }

  // a or b, whichever comes first, selected by arithmetic.
  std::size_t earlier(std::size_t a, std::size_t b) const {
    const auto take_b = static_cast<std::size_t>(before(at(b), at(a)));
    return a ^ ((a ^ b) & (std::size_t{0} - take_b));
  }
  std::size_t least_of_four(std::size_t child) const {
    return earlier(earlier(child, child + 1), earlier(child + 2, child + 3));
  }
  std::size_t least_of_some(std::size_t child, std::size_t end) const {
    std::size_t least = child;
    for (std::size_t i = child + 1; i < end; ++i) least = earlier(least, i);
    return least;
  }
  void rise(std::size_t hole, const Event& event) {
    while (hole > root) {
      const std::size_t up = parent(hole);
      if (!before(event, at(up))) break;
      at(hole) = at(up);
      hole = up;
    }
    at(hole) = event;
  }

  std::vector<Family> families_;
  std::size_t count_ = 0;
};

}  // namespace tantalus

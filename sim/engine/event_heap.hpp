// A 4-ary implicit heap of events by value: the far tier of the event queue and, alone, the oracle of its property test.
// The scan of the four children is written without branches (a branch there is a coin toss that costs 20 cycles) in a form
// that both g++ and clang keep branch-free; the families of four start at multiples of 128 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "sim/engine/event.hpp"

namespace tantalus {

/// Memory that starts at a multiple of 128 bytes, as the children of an event do.
template <class T>
struct FamilyAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{4 * sizeof(Event)};

  FamilyAllocator() = default;
  template <class U>
  explicit FamilyAllocator(const FamilyAllocator<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* block, std::size_t) { ::operator delete(block, alignment); }
  bool operator==(const FamilyAllocator&) const = default;
};

class EventHeap {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const Event& top() const { return at(root); }

  void push(Event event) {  // by value: an event that has no address stays in registers
    if (root + count_ >= events_.size()) events_.resize(root + count_ + 1);
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

  // An event's place in the order and where it lies: what the scan of four children keeps in registers.
  struct Candidate {
    std::uint64_t time;
    std::uint64_t key;
    std::size_t index;
  };

  static constexpr std::size_t first_child(std::size_t i) { return 4 * (i - 2); }
  static constexpr std::size_t parent(std::size_t i) { return i / 4 + 2; }

  Event& at(std::size_t i) { return events_[i]; }
  const Event& at(std::size_t i) const { return events_[i]; }

  Candidate candidate(std::size_t i) const {
    return {static_cast<std::uint64_t>(at(i).time), at(i).key, i};
  }
  // a or b, whichever comes first, selected by arithmetic.
  static Candidate earlier(Candidate a, Candidate b) {
    const bool b_first = ((UInt128{b.time} << 64) | b.key) < ((UInt128{a.time} << 64) | a.key);
    const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(b_first);
    return {a.time ^ ((a.time ^ b.time) & mask), a.key ^ ((a.key ^ b.key) & mask),
            a.index ^ ((a.index ^ b.index) & mask)};
  }
  std::size_t least_of_four(std::size_t child) const {
    return earlier(earlier(candidate(child), candidate(child + 1)),
                   earlier(candidate(child + 2), candidate(child + 3)))
        .index;
  }
  std::size_t least_of_some(std::size_t child, std::size_t end) const {
    Candidate least = candidate(child);
    for (std::size_t i = child + 1; i < end; ++i) least = earlier(least, candidate(i));
    return least.index;
  }
  void rise(std::size_t hole, Event event) {
    while (hole > root) {
      const std::size_t up = parent(hole);
      if (!before(event, at(up))) break;
      at(hole) = at(up);
      hole = up;
    }
    at(hole) = event;
  }

  std::vector<Event, FamilyAllocator<Event>> events_;  // the first three places stay empty
  std::size_t count_ = 0;
};

}  // namespace tantalus

// The near tier of the event queue: a ring of time slots, each a chain of the events that fall into it, and one bit per slot
// that says whether there are any. Adding is a handful of instructions whatever waits; a slot is put in order only when its
// time has come, and usually is in order already, because clocked work is scheduled in order.
//
// The wheel takes only events of later slots than its cursor, within one turn; the queue keeps all others in its heap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/engine/event.hpp"

namespace tantalus {

class EventWheel {
 public:
  static constexpr int slot_shift = 10;  // a slot is 2^10 ps, about one cycle at 1 GHz
  static constexpr std::uint64_t slot_count = 4096;
  static constexpr std::uint64_t no_slot = UINT64_MAX;

  static constexpr std::uint64_t slot_of(std::int64_t time) {
    return static_cast<std::uint64_t>(time) >> slot_shift;
  }

  EventWheel() : slots_(slot_count) {}

  /// Events in closed slots.
  std::size_t size() const { return size_; }
  /// The earliest slot that holds an event; no_slot when none does.
  std::uint64_t next_slot() const { return next_slot_; }
  std::uint64_t cursor() const { return cursor_; }

  bool takes(std::int64_t time) const { return slot_of(time) - cursor_ - 1 < slot_count - 1; }

  void push(const Event& event) {
    const std::uint64_t slot = slot_of(event.time);
    Chain& chain = slots_[slot % slot_count];
    const std::uint32_t node = take_node();
    nodes_[node] = {event, none};
    if (chain.first == none) {
      chain.first = node;
      mark(slot % slot_count);
      if (slot < next_slot_) next_slot_ = slot;
    } else {
      nodes_[chain.last].next = node;
    }
    chain.last = node;
    ++size_;
  }

  /// Moves the cursor forward without opening anything; there must be no event up to and including `slot`.
  void advance_to(std::uint64_t slot) { cursor_ = slot; }

  /// Empties the earliest slot into `open`, in order, and moves the cursor to it.
  void open_next(std::vector<Event>& open);

  template <class Predicate>
  void retain(Predicate keep);

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::size_t word_count = slot_count / 64;
  static_assert(word_count == 64, "one summary word covers the bitmap");

  struct Chain {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  struct Node {
    Event event;
    std::uint32_t next;
  };

  std::uint32_t take_node() {
    if (free_ == none) return grow();
    const std::uint32_t node = free_;
    free_ = nodes_[node].next;
    return node;
  }
  std::uint32_t grow();
  void mark(std::uint64_t index) {
    occupied_[index / 64] |= std::uint64_t{1} << (index % 64);
    summary_ |= std::uint64_t{1} << (index / 64);
  }
  void unmark(std::uint64_t index) {
    occupied_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    if (occupied_[index / 64] == 0) summary_ &= ~(std::uint64_t{1} << (index / 64));
  }
  std::uint64_t find_next() const;

  std::vector<Chain> slots_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = none;
  std::size_t size_ = 0;
  std::uint64_t cursor_ = 0;
  std::uint64_t next_slot_ = no_slot;
  std::uint64_t summary_ = 0;
  std::array<std::uint64_t, word_count> occupied_{};
};

template <class Predicate>
void EventWheel::retain(Predicate keep) {
  for (std::uint64_t index = 0; index < slot_count; ++index) {
    std::uint32_t node = slots_[index].first;
    slots_[index] = {};
    std::uint32_t* link = &slots_[index].first;
    while (node != none) {
      const std::uint32_t next = nodes_[node].next;
      if (keep(nodes_[node].event)) {
        *link = node;
        link = &nodes_[node].next;
        slots_[index].last = node;
      } else {
        nodes_[node].next = free_;
        free_ = node;
        --size_;
      }
      node = next;
    }
    *link = none;
    if (slots_[index].first == none) unmark(index);
  }
  next_slot_ = find_next();
}

}  // namespace tantalus

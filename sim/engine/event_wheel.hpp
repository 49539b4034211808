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

  /// Events in the open slot and in all closed ones.
  std::size_t size() const { return size_; }
  /// The earliest closed slot that holds an event; no_slot when none does.
  std::uint64_t next_slot() const { return next_slot_; }
  std::uint64_t cursor() const { return cursor_; }

  bool takes(std::int64_t time) const { return slot_of(time) - cursor_ - 1 < slot_count - 1; }

  // Inlined always: an event that is written to memory in pieces of 8 bytes and read back in pieces of 16 is waited for.
  [[gnu::always_inline]] void push(const Event& event) {
    const std::uint64_t slot = slot_of(event.time);
    const std::uint64_t index = slot % slot_count;
    Chain& chain = slots_[index];
    const std::uint32_t node = take_node();
    nodes_[node].event = event;
    nodes_[node].next = none;
    if (chain.first == none) {
      chain.first = node;
      occupied_[index / 64] |= bit(index);
      summary_ |= bit(index / 64);
      if (slot < next_slot_) next_slot_ = slot;
    } else {
      Node& last = nodes_[chain.last];
      last.next = node;
      const bool out_of_order = before(event, last.event);
      unordered_[index / 64] |= std::uint64_t{out_of_order} << (index % 64);
    }
    chain.last = node;
    ++size_;
  }

  /// Moves the cursor forward without opening anything; there must be no event up to and including `slot`.
  void advance_to(std::uint64_t slot) { cursor_ = slot; }

  /// Puts the earliest closed slot in order and makes it the open one; the one open before must be used up.
  void open_next();
  bool open() const { return open_first_ != none; }
  /// The first event of the open slot.
  const Event& head() const { return nodes_[open_first_].event; }
  void pop_head() {
    Node& node = nodes_[open_first_];
    const std::uint32_t next = node.next;
    node.next = free_;
    free_ = open_first_;
    open_first_ = next;
    --size_;
  }

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
  static constexpr std::uint64_t bit(std::uint64_t index) {
    return std::uint64_t{1} << (index % 64);
  }
  void unmark(std::uint64_t index) {
    unordered_[index / 64] &= ~bit(index);
    occupied_[index / 64] &= ~bit(index);
    if (occupied_[index / 64] == 0) summary_ &= ~bit(index / 64);
  }
  void put_in_order(std::uint32_t first);
  template <class Predicate>
  Chain retain_chain(std::uint32_t node, Predicate keep);
  std::uint64_t find_next() const;

  std::vector<Chain> slots_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = none;
  std::uint32_t open_first_ = none;
  std::size_t size_ = 0;
  std::uint64_t cursor_ = 0;
  std::uint64_t next_slot_ = no_slot;
  std::uint64_t summary_ = 0;
  std::array<std::uint64_t, word_count> occupied_{};
  std::array<std::uint64_t, word_count> unordered_{};  // slots to be sorted when they are opened
  std::vector<Event> sorting_;
};

template <class Predicate>
EventWheel::Chain EventWheel::retain_chain(std::uint32_t node, Predicate keep) {
  Chain kept;
  while (node != none) {
    const std::uint32_t next = nodes_[node].next;
    if (!keep(nodes_[node].event)) {
      nodes_[node].next = free_;
      free_ = node;
      --size_;
    } else {
      nodes_[node].next = none;
      (kept.first == none ? kept.first : nodes_[kept.last].next) = node;
      kept.last = node;
    }
    node = next;
  }
  return kept;
}

template <class Predicate>
void EventWheel::retain(Predicate keep) {
  open_first_ = retain_chain(open_first_, keep).first;
  for (std::uint64_t index = 0; index < slot_count; ++index) {
    if (slots_[index].first == none) continue;
    slots_[index] = retain_chain(slots_[index].first, keep);
    if (slots_[index].first == none) unmark(index);
  }
  next_slot_ = find_next();
}

}  // namespace tantalus

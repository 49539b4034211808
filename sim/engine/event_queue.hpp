// The events that wait, given back in the exact total order (time, phase, sequence). Two tiers: a timing wheel for events of
// the next few microseconds and a 4-ary heap for the rest; popping takes the earlier of the two heads, so nothing migrates
// and the order is that of the heap alone (which is the oracle of the property test). Decision 0011 says why.
//
// Cancelling leaves a mark that makes the event be skipped when its turn comes; when marks outnumber live events they are
// swept out. No allocation in steady state.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/engine/event.hpp"
#include "sim/engine/event_heap.hpp"
#include "sim/engine/event_wheel.hpp"
#include "sim/engine/key_set.hpp"

namespace tantalus {

class EventQueue {
 public:
  /// `time` must not lie before that of the last event popped; the engine checks it.
  EventId push(std::int64_t time, Phase phase, const Action& action) {
    TANTALUS_CHECK(next_sequence_ < Event::sequence_limit, "too many events in one run");
    const Event event{time, Event::make_key(phase, next_sequence_++, action.argument()),
                      action.function(), action.object()};
    if (wheel_.takes(time)) {
      wheel_.push(event);
    } else {
      heap_.push(event);
    }
    return event.id();
  }

  /// Takes the first event whose time is at most `limit`; false when there is none. Inlined always, as take_first() is: the
  /// loop over all events is in one place, and a call to each would cost a tenth of it.
  [[gnu::always_inline]] bool pop(std::int64_t limit, Event& event) {
    while (take_first(limit, event)) {
      if (cancelled_.empty() || !cancelled_.erase(event.key)) {
        if (!discarded_.empty()) pass_discarded(event.time);
        last_popped_[event.key >> Event::phase_shift] = event.id();
        return true;
      }
      discarded_.push_back(event.id());
    }
    if (!discarded_.empty()) keep_discarded();
    return false;
  }

  /// False when the event was popped or cancelled before, or is none.
  bool cancel(EventId id);

  std::size_t size() const { return stored() - cancelled_.size(); }
  bool empty() const { return size() == 0; }
  std::uint64_t next_sequence() const { return next_sequence_; }

  /// When the next event is due that nobody cancelled; INT64_MAX when none waits.
  std::int64_t next_time() {
    constexpr std::int64_t never = INT64_MAX;
    Event event{never, 0, nullptr, nullptr};
    while (!take_first(-1, event) && event.time != never && cancelled_.erase(event.key)) {
      take_first(event.time, event);
      discarded_.push_back(event.id());
      event.time = never;
    }
    if (!discarded_.empty()) keep_discarded();
    return event.time;
  }

 private:
  std::size_t stored() const { return heap_.size() + wheel_.size(); }
  bool was_popped(EventId id) const;
  void sweep();
  void forget_past();
  void pass_discarded(std::int64_t time);
  void keep_discarded();

  [[gnu::always_inline]] bool take_first(std::int64_t limit, Event& event) {
    if (!wheel_.open() && wheel_.size() != 0) open_when_due();
    const bool near = wheel_.open();
    if (near && (heap_.empty() || before(wheel_.head(), heap_.top()))) {
      event = wheel_.head();
      if (event.time > limit) return false;
      wheel_.pop_head();
      if (wheel_.open()) __builtin_prefetch(wheel_.head().object);
      return true;
    }
    if (heap_.empty()) return false;
    event = heap_.top();
    if (event.time > limit) return false;
    heap_.pop();
    if (!heap_.empty()) __builtin_prefetch(heap_.top().object);
    if (!near) follow(event.time);
    return true;
  }

  // Opens the wheel's earliest slot unless the heap holds something earlier than all of it.
  void open_when_due() {
    if (!heap_.empty() && EventWheel::slot_of(heap_.top().time) < wheel_.next_slot()) return;
    wheel_.open_next();
  }
  // The heap ran ahead of the cursor: move it, so that the wheel's turn begins at the present.
  void follow(std::int64_t time) {
    const std::uint64_t slot = EventWheel::slot_of(time);
    if (slot > wheel_.cursor() && slot < wheel_.next_slot()) wheel_.advance_to(slot);
  }

  EventHeap heap_;
  EventWheel wheel_;
  std::uint64_t next_sequence_ = 0;
  KeySet cancelled_;                // and still stored
  std::vector<EventId> discarded_;  // cancelled ones met by the present pop
  KeySet gone_keys_;                // cancelled, removed, and not yet passed by a popped event
  std::vector<EventId> gone_;       // the same, with their times
  // Within a phase, events leave in the order of (time, sequence): all up to this one are over.
  std::array<EventId, phase_count> last_popped_{};
};

}  // namespace tantalus

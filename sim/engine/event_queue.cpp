#include "sim/engine/event_queue.hpp"

namespace tantalus {

namespace {

// Below this many marks a sweep costs more than it saves.
constexpr std::size_t fewest_worth_sweeping = 64;

}  // namespace

// All events of earlier instants are over; of the same instant, those of each phase up to the last one popped in it.
bool EventQueue::was_popped(EventId id) const {
  for (const EventId last : last_popped_) {
    if (id.time < last.time) return true;
  }
  const EventId last = last_popped_[id.key >> Event::phase_shift];
  return id.time == last.time && id.key <= last.key;
}

bool EventQueue::cancel(EventId id) {
  if (!id || was_popped(id) || gone_keys_.contains(id.key) || !cancelled_.insert(id.key)) {
    return false;
  }
  if (cancelled_.size() > fewest_worth_sweeping && cancelled_.size() > size()) sweep();
  return true;
}

// The cancelled events on the way to a popped one: those of its own instant count as popped, earlier ones are over anyway.
void EventQueue::pass_discarded(std::int64_t time) {
  for (const EventId id : discarded_) {
    if (id.time == time) last_popped_[id.key >> Event::phase_shift] = id;
  }
  discarded_.clear();
}

// Nothing was popped after them, so time has not passed them: remember each by name.
void EventQueue::keep_discarded() {
  forget_past();
  for (const EventId id : discarded_) {
    gone_.push_back(id);
    gone_keys_.insert(id.key);
  }
  discarded_.clear();
}

void EventQueue::sweep() {
  forget_past();
  const auto keep = [&](const Event& event) {
    if (!cancelled_.contains(event.key)) return true;
    gone_.push_back(event.id());
    gone_keys_.insert(event.key);
    return false;
  };
  heap_.retain(keep);
  wheel_.retain(keep);
  cancelled_.clear();
}

void EventQueue::forget_past() {
  const auto past = [&](EventId id) { return was_popped(id); };
  gone_.erase(std::remove_if(gone_.begin(), gone_.end(), past), gone_.end());
  gone_keys_.clear();
  for (const EventId id : gone_) gone_keys_.insert(id.key);
}

}  // namespace tantalus

#include "sim/engine/event_queue.hpp"

namespace tantalus {

namespace {

// Below this many marks a sweep costs more than it saves.
constexpr std::size_t fewest_worth_sweeping = 64;

}  // namespace

bool EventQueue::was_popped(EventId id) const {
  const EventId& last = last_popped_[id.key >> Event::phase_shift];
  return id.time < last.time || (id.time == last.time && id.key <= last.key);
}

bool EventQueue::cancel(EventId id) {
  if (!id || was_popped(id) || swept_keys_.contains(id.key) || !cancelled_.insert(id.key)) {
    return false;
  }
  if (cancelled_.size() > fewest_worth_sweeping && cancelled_.size() > size()) sweep();
  return true;
}

void EventQueue::sweep() {
  forget_past_swept();
  const auto keep = [&](const Event& event) {
    if (!cancelled_.contains(event.key)) return true;
    swept_.push_back(event.id());
    swept_keys_.insert(event.key);
    return false;
  };
  heap_.retain(keep);
  wheel_.retain(keep);
  std::size_t kept = 0;
  for (std::size_t i = open_at_; i < open_.size(); ++i) {
    if (keep(open_[i])) open_[kept++] = open_[i];
  }
  open_.resize(kept);
  open_at_ = 0;
  cancelled_.clear();
}

// A swept event is no longer there to be found, but cancelling it again must still say false. Once its turn is over,
// was_popped says so.
void EventQueue::forget_past_swept() {
  const auto past = [&](EventId id) { return was_popped(id); };
  swept_.erase(std::remove_if(swept_.begin(), swept_.end(), past), swept_.end());
  swept_keys_.clear();
  for (const EventId id : swept_) swept_keys_.insert(id.key);
}

}  // namespace tantalus

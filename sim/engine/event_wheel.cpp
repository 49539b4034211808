#include "sim/engine/event_wheel.hpp"

#include <algorithm>
#include <bit>

namespace tantalus {

namespace {

// Slots are short and nearly in order: insertion is the fastest sort for them.
constexpr std::size_t longest_insertion_sort = 24;

void sort_events(std::vector<Event>& events) {
  if (events.size() > longest_insertion_sort) {
    std::sort(events.begin(), events.end(),
              [](const Event& a, const Event& b) { return before(a, b); });
    return;
  }
  for (std::size_t i = 1; i < events.size(); ++i) {
    const Event event = events[i];
    std::size_t hole = i;
    for (; hole > 0 && before(event, events[hole - 1]); --hole) events[hole] = events[hole - 1];
    events[hole] = event;
  }
}

}  // namespace

void EventWheel::open_next() {
  const std::uint64_t index = next_slot_ % slot_count;
  open_first_ = slots_[index].first;
  if ((unordered_[index / 64] & bit(index)) != 0) put_in_order(open_first_);
  slots_[index] = {};
  unmark(index);
  cursor_ = next_slot_;
  next_slot_ = find_next();
}

// The chain keeps its nodes; their events are sorted through a scratch block.
void EventWheel::put_in_order(std::uint32_t first) {
  sorting_.clear();
  for (std::uint32_t node = first; node != none; node = nodes_[node].next) {
    sorting_.push_back(nodes_[node].event);
  }
  sort_events(sorting_);
  std::uint32_t node = first;
  for (const Event& event : sorting_) {
    nodes_[node].event = event;
    node = nodes_[node].next;
  }
}

// The first occupied slot after the cursor: one turn of the ring, first the rest of the cursor's word.
std::uint64_t EventWheel::find_next() const {
  if (summary_ == 0) return no_slot;
  const std::uint64_t start = (cursor_ + 1) % slot_count;
  const std::uint64_t word = start / 64;
  const std::uint64_t rest = occupied_[word] >> (start % 64);
  std::uint64_t index = 0;
  if (rest != 0) {
    index = start + static_cast<std::uint64_t>(std::countr_zero(rest));
  } else {
    // Rotated so that the word after the start's is bit 0; the start's own word comes last.
    const std::uint64_t rotated = std::rotr(summary_, static_cast<int>((word + 1) % word_count));
    const auto skip = static_cast<std::uint64_t>(std::countr_zero(rotated));
    const std::uint64_t found = (word + 1 + skip) % word_count;
    index = found * 64 + static_cast<std::uint64_t>(std::countr_zero(occupied_[found]));
  }
  return cursor_ + 1 + (index - start) % slot_count;
}

std::uint32_t EventWheel::grow() {
  const std::size_t node = nodes_.size();
  TANTALUS_CHECK(node < none, "too many events wait");
  nodes_.push_back({});
  return static_cast<std::uint32_t>(node);
}

}  // namespace tantalus

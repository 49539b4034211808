// How many commands a device knows of at once: one that comes when all slots are taken waits for the first that ends. Answers
// with instants, because ends are known when a command begins. Pure of clock and events.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "sim/base/units.hpp"

namespace tantalus {

class CommandSlots {
 public:
  explicit CommandSlots(std::size_t slots) : slots_(slots) {}

  /// When a command that arrives at `now` gets a slot; it must then be ended with end_at() before the next one arrives.
  TimePoint take(TimePoint now) {
    while (!ends_.empty() && ends_.front() <= now) pop();
    if (ends_.size() < slots_) return now;
    const TimePoint first = ends_.front();
    pop();
    return first;
  }
  void end_at(TimePoint end) {
    ends_.push_back(end);
    std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
  }

 private:
  void pop() {
    std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
    ends_.pop_back();
  }

  std::size_t slots_;
  std::vector<TimePoint> ends_;  // heap, earliest first
};

}  // namespace tantalus

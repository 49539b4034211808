// The book of one server that does one thing at a time: a flash channel, a link. Work is entered ahead of its time, in any
// order, and takes the first gap that is long enough, so that work which becomes ready early is not held up by work that was
// entered before it and becomes ready late. Entries that touch are one entry: a busy book stays short. Pure of clock and events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"

namespace tantalus {

class Timeline {
 public:
  /// Books `length` at the first instant not before `ready`, and returns when it begins. `now` never goes back; entries that
  /// ended by then are forgotten, so `ready` is not before it.
  TimePoint book(TimePoint now, TimePoint ready, Duration length);

  /// The sum of all lengths booked.
  Duration busy() const { return busy_; }
  /// Entries kept, for tests.
  std::size_t entries() const { return spans_.size() - first_; }

 private:
  struct Span {
    std::int64_t begin, end;  // picoseconds
  };
  void forget(std::int64_t now);
  void enter(std::size_t before, std::int64_t begin, std::int64_t end);

  std::vector<Span> spans_;  // from first_ on: by time, apart
  std::size_t first_ = 0;
  Duration busy_;
};

}  // namespace tantalus

// What time is spent on, by two books. A device's: every instant of its life is computing or one cause of waiting, so that the
// parts add up to the wall clock exactly. A stage's: busy, starved (nothing comes in) or blocked (nobody takes what is ready).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/results/pipeline_results.hpp"

namespace tantalus {

/// Time in each of `n` states, one at a time.
template <class State, std::size_t n>
class StateClock {
 public:
  using Times = std::array<Duration, n>;

  explicit StateClock(State first) : state_(first) {}

  State state() const { return state_; }
  void set(State state, TimePoint now) {
    pass(now);
    state_ = state;
  }
  /// The time since the last change counts for `part` up to `length` and for the state after that: a stretch whose inside is
  /// known only when it is over.
  void split(State part, Duration length, TimePoint now) {
    const Duration gone = now - since_;
    const Duration first = gone < length ? gone : length;
    times_[static_cast<std::size_t>(part)] += first;
    times_[static_cast<std::size_t>(state_)] += gone - first;
    since_ = now;
  }
  Times times(TimePoint now) const {
    Times all = times_;
    all[static_cast<std::size_t>(state_)] += now - since_;
    return all;
  }

 private:
  void pass(TimePoint now) {
    times_[static_cast<std::size_t>(state_)] += now - since_;
    since_ = now;
  }

  State state_;
  TimePoint since_;
  Times times_{};
};

using DeviceClock = StateClock<Cause, cause_count>;

enum class StageState : std::uint8_t { busy, starved, blocked };
using StageClock = StateClock<StageState, 3>;

}  // namespace tantalus

// The clock of a simulation: it keeps scheduled events and calls them in the one total order (time, phase, sequence).
// It knows nothing of hardware. It is single-threaded, never goes back in time, and allocates nothing per event once its
// queue has grown to the largest number of events that ever waits.
//
//   engine.at(when, Phase::act, {on<&Disk::done>, this});     an absolute instant, now or later
//   engine.after(delay, {on<&Disk::done>, this, slot});       Phase::act, with a small number for the callee
//   engine.cancel(event);                                     false if it has fired or was cancelled before
//   engine.run({.until = t, .max_events = n});
//
// Scheduling at the current instant is allowed in any phase; a phase that is already over opens another round of the same
// instant. Too many rounds at one instant is a loop without delay: an InvariantError that names the objects in it. Every
// InvariantError that leaves run() carries the simulated time, the number of the event and the name of its object.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/trace.hpp"

namespace tantalus {

/// When to stop although events are left.
struct RunLimits {
  TimePoint until{
      Duration{std::numeric_limits<std::int64_t>::max()}};  // events at this instant still run
  std::uint64_t max_events = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t rounds_per_instant = 1'000'000;  // longest chain of events without delay
};

enum class RunEnd : std::uint8_t {
  drained,               // no event is left; now() is the time of the last one
  reached_time,          // the next event lies after `until`; now() is `until`
  reached_event_budget,  // `max_events` were called
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  TimePoint now() const { return TimePoint{Duration{now_}}; }

  /// Never in the past: that is a broken invariant.
  EventId at(TimePoint when, Phase phase, Action action) {
    const std::int64_t time = when.since_start().count();
    if (time < now_) refuse_past(time);
    return queue_.push(time, phase, action);
  }
  EventId after(Duration delay, Action action) { return at(now() + delay, Phase::act, action); }

  /// False when the event has fired, was cancelled before, or is none.
  bool cancel(EventId event) { return queue_.cancel(event); }

  /// Calls events in order until none is left or a limit is reached; may be called again to go on.
  RunEnd run(RunLimits limits = {});

  std::uint64_t events_called() const { return events_called_; }
  std::size_t events_waiting() const { return queue_.size(); }
  /// When the next event is due; the end of time when none waits. Until then nothing happens that is not scheduled now.
  TimePoint next_event() { return TimePoint{Duration{queue_.next_time()}}; }

  /// Where to record what happens; null (the start) records nothing. The trace must outlive the engine's use of it.
  void set_trace(Trace* trace) { trace_ = trace; }
  Trace* trace() const { return trace_; }
  /// Nearly free without a trace: one predicted branch.
  void record(TraceKind kind, DeviceId device, std::uint32_t subject, std::uint32_t lane = 0,
              std::int64_t amount = 0, std::int64_t detail = 0) {
    if (trace_ != nullptr) trace_->add({now_, amount, detail, device, subject, lane, kind});
  }

  /// Names an object that events call, for the text of an InvariantError only. Components and ports do it themselves.
  void name_object(const void* object, std::string name);
  void forget_object(const void* object);

 private:
  [[noreturn]] void refuse_past(std::int64_t time) const;
  RunEnd run_events(const RunLimits& limits, Event& current);
  [[noreturn]] void report_loop(Event& current);
  std::string_view name_of(const void* object) const;
  std::string place(const Event& event) const;

  std::int64_t now_ = 0;
  EventQueue queue_;
  Trace* trace_ = nullptr;
  std::uint64_t events_called_ = 0;
  std::uint64_t round_begin_ = 0;  // first sequence number scheduled after the current round began
  std::uint32_t rounds_ = 0;       // of the current instant
  std::vector<std::pair<const void*, std::string>> names_;
};

}  // namespace tantalus

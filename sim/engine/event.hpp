// What one event is: an instant, a place in the order of that instant, and what to call. Plain values of 32 bytes, no
// std::function, no allocation. The order of events is total and the same on every machine: time, then phase, then the
// sequence in which they were scheduled.
//
// How a member function becomes an Action: `{on<&Disk::done>, this}` or, with a small number, `{on<&Disk::done>, this, 7}`
// where `done` takes nothing or one std::uint32_t. The object must outlive the event (or the event be cancelled).
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include "sim/base/check.hpp"
#include "sim/base/units.hpp"

namespace tantalus {

/// The order within one instant. A fifth phase needs a decision record.
enum class Phase : std::uint8_t {
  deliver,  // messages arrive at ports, flows finish
  act,      // components decide and start work
  settle,   // shared capacity is divided, once, after every arrival and departure of the instant
  observe,  // statistics look; nothing changes
};
inline constexpr int phase_count = 4;

/// Names a member function at compile time: `on<&Disk::done>`.
template <auto function>
struct On {};
template <auto function>
inline constexpr On<function> on{};

/// What an event calls: one function, one object, one small number.
class Action {
 public:
  using Function = void (*)(void* object, std::uint32_t argument);
  static constexpr std::uint32_t argument_limit = 1U << 18;  // arguments lie below this

  constexpr Action(Function callee, void* target, std::uint32_t number = 0)
      : function_(callee), object_(target), argument_(number) {
    TANTALUS_CHECK(number < argument_limit, "the argument of an action is too large");
  }
  template <auto callee, class T>
  constexpr Action(On<callee>, T* target, std::uint32_t number = 0)
      : function_(&call<callee, T>), object_(target), argument_(number) {
    TANTALUS_CHECK(number < argument_limit, "the argument of an action is too large");
  }

  constexpr Function function() const { return function_; }
  constexpr void* object() const { return object_; }
  constexpr std::uint32_t argument() const { return argument_; }
  void operator()() const { function_(object_, argument_); }

 private:
  template <auto callee, class T>
  static void call(void* object_called, [[maybe_unused]] std::uint32_t number) {
    T& target = *static_cast<T*>(object_called);
    if constexpr (std::is_invocable_v<decltype(callee), T&, std::uint32_t>) {
      std::invoke(callee, target, number);
    } else {
      std::invoke(callee, target);
    }
  }

  Function function_;
  void* object_;
  std::uint32_t argument_;
};

/// Which scheduled event is meant; a default-made one means none. Never reused.
struct EventId {
  std::int64_t time = -1;  // picoseconds
  std::uint64_t key = 0;

  constexpr bool operator==(const EventId&) const = default;
  constexpr explicit operator bool() const { return time >= 0; }
};

/// One scheduled call. `key` packs, from the top: phase (2 bits), sequence (44 bits: 10^13 events, days of running),
/// argument (18 bits). Sequences differ, so comparing keys compares (phase, sequence).
struct Event {
  std::int64_t time;  // picoseconds since the start
  std::uint64_t key;
  Action::Function function;
  void* object;

  static constexpr int phase_shift = 62;
  static constexpr int sequence_shift = 18;
  static constexpr std::uint64_t sequence_limit = std::uint64_t{1} << 44;

  static constexpr std::uint64_t make_key(Phase phase, std::uint64_t sequence,
                                          std::uint32_t argument) {
    return (std::uint64_t{static_cast<std::uint8_t>(phase)} << phase_shift) |
           (sequence << sequence_shift) | argument;
  }
  constexpr Phase phase() const { return static_cast<Phase>(key >> phase_shift); }
  constexpr std::uint64_t sequence() const {
    return (key >> sequence_shift) & (sequence_limit - 1);
  }
  constexpr std::uint32_t argument() const {
    return static_cast<std::uint32_t>(key & (Action::argument_limit - 1));
  }
  constexpr EventId id() const { return {time, key}; }
};
static_assert(sizeof(Event) == 32 && std::is_trivially_copyable_v<Event>);

/// One number per place in the total order; times are never negative.
constexpr UInt128 order_of(const Event& event) {
  return (UInt128{static_cast<std::uint64_t>(event.time)} << 64) | event.key;
}
constexpr bool before(const Event& a, const Event& b) { return order_of(a) < order_of(b); }

}  // namespace tantalus

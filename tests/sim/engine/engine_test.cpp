#include "sim/engine/engine.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

TimePoint at_ps(std::int64_t ps) { return TimePoint{Duration{ps}}; }

struct Recorder {
  Engine& engine;
  std::vector<std::string> log;

  void note(std::uint32_t number) {
    log.push_back(std::to_string(engine.now().since_start().count()) + ":" +
                  std::to_string(number));
  }
  void settle_then_deliver() {
    note(1);
    engine.at(engine.now(), Phase::deliver, {on<&Recorder::note>, this, 2});
    engine.at(engine.now(), Phase::observe, {on<&Recorder::note>, this, 3});
  }
};

TEST_CASE("an engine runs events by time, then phase, then order of scheduling") {
  Engine engine;
  Recorder recorder{engine, {}};
  engine.at(at_ps(20), Phase::act, {on<&Recorder::note>, &recorder, 4});
  engine.at(at_ps(10), Phase::observe, {on<&Recorder::note>, &recorder, 3});
  engine.at(at_ps(10), Phase::act, {on<&Recorder::note>, &recorder, 1});
  engine.after(Duration{10}, {on<&Recorder::note>, &recorder, 2});

  const RunEnd end = engine.run();

  CHECK(end == RunEnd::drained);
  CHECK(recorder.log == std::vector<std::string>{"10:1", "10:2", "10:3", "20:4"});
  CHECK(engine.now() == at_ps(20));
  CHECK(engine.events_called() == 4);
}

TEST_CASE("an earlier phase scheduled at the present opens another round of the same instant") {
  Engine engine;
  Recorder recorder{engine, {}};
  engine.at(at_ps(7), Phase::settle, {on<&Recorder::settle_then_deliver>, &recorder});

  engine.run();

  CHECK(recorder.log == std::vector<std::string>{"7:1", "7:2", "7:3"});
}

TEST_CASE("a run stops at its time limit and can go on") {
  Engine engine;
  Recorder recorder{engine, {}};
  for (std::uint32_t i = 1; i <= 3; ++i) {
    engine.at(at_ps(10 * i), Phase::act, {on<&Recorder::note>, &recorder, i});
  }

  CHECK(engine.run({.until = at_ps(20)}) == RunEnd::reached_time);
  CHECK(recorder.log.size() == 2);
  CHECK(engine.now() == at_ps(20));
  CHECK(engine.run({.until = at_ps(25)}) == RunEnd::reached_time);
  CHECK(engine.now() == at_ps(25));
  CHECK(engine.run() == RunEnd::drained);
  CHECK(engine.now() == at_ps(30));
}

TEST_CASE("a run stops when its event budget is spent") {
  Engine engine;
  Recorder recorder{engine, {}};
  for (std::uint32_t i = 0; i < 5; ++i) {
    engine.after(Duration{i}, {on<&Recorder::note>, &recorder, i});
  }

  CHECK(engine.run({.max_events = 3}) == RunEnd::reached_event_budget);
  CHECK(recorder.log.size() == 3);
  CHECK(engine.events_waiting() == 2);
  CHECK(engine.run({.max_events = 2}) == RunEnd::drained);
}

TEST_CASE("a cancelled event does not run, and cancelling a fired one says false") {
  Engine engine;
  Recorder recorder{engine, {}};
  const EventId first = engine.after(Duration{1}, {on<&Recorder::note>, &recorder, 1});
  const EventId second = engine.after(Duration{2}, {on<&Recorder::note>, &recorder, 2});

  CHECK(engine.cancel(second));
  CHECK_FALSE(engine.cancel(second));
  engine.run();

  CHECK(recorder.log == std::vector<std::string>{"1:1"});
  CHECK(engine.now() == at_ps(1));
  CHECK_FALSE(engine.cancel(first));
}

struct Canceller {
  Engine& engine;
  EventId own;
  EventId later_phase;
  bool own_cancelled = true;
  bool later_cancelled = false;

  void act() {
    own_cancelled = engine.cancel(own);
    later_cancelled = engine.cancel(later_phase);
  }
  void never() { FAIL("a cancelled event ran"); }
};

TEST_CASE("an event cannot cancel itself but can cancel a later one of its own instant") {
  Engine engine;
  Canceller canceller{engine, {}, {}};
  canceller.own = engine.at(at_ps(3), Phase::act, {on<&Canceller::act>, &canceller});
  canceller.later_phase = engine.at(at_ps(3), Phase::settle, {on<&Canceller::never>, &canceller});

  engine.run();

  CHECK_FALSE(canceller.own_cancelled);
  CHECK(canceller.later_cancelled);
}

struct TimeTraveller {
  Engine& engine;
  void act() { engine.at(at_ps(4), Phase::act, {on<&TimeTraveller::act>, this}); }
};

std::string message_of_run(Engine& engine, RunLimits limits = {}) {
  try {
    engine.run(limits);
  } catch (const InvariantError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("an event in the past is a broken invariant that names time, event and object") {
  Engine engine;
  TimeTraveller traveller{engine};
  engine.name_object(&traveller, "traveller");
  engine.at(at_ps(5), Phase::act, {on<&TimeTraveller::act>, &traveller});

  CHECK(
      message_of_run(engine) ==
      "an event is scheduled at 4 ps, before the present 5 ps [at 5 ps, event 1, in 'traveller']");
}

struct PingPong {
  Engine& engine;
  PingPong* other = nullptr;
  void hit() { engine.at(engine.now(), Phase::act, {on<&PingPong::hit>, other}); }
};

TEST_CASE("a loop without delay ends in an error that names those in it and nobody else") {
  Engine engine;
  PingPong left{engine};
  PingPong right{engine, &left};
  left.other = &right;
  PingPong bystander{engine};
  engine.name_object(&left, "left");
  engine.name_object(&right, "right");
  engine.name_object(&bystander, "bystander");
  engine.at(at_ps(9), Phase::act, {on<&PingPong::hit>, &left});

  const std::string message = message_of_run(engine, {.rounds_per_instant = 1000});

  CHECK(message.find("events without delay never end") != std::string::npos);
  CHECK(message.find("'left'") != std::string::npos);
  CHECK(message.find("'right'") != std::string::npos);
  CHECK(message.find("bystander") == std::string::npos);
  CHECK(message.find("at 9 ps") != std::string::npos);
}

struct Burst {
  int calls = 0;
  void call() { ++calls; }
};

TEST_CASE("many events scheduled for one instant are one round, however many they are") {
  Engine engine;
  Burst burst;
  for (int i = 0; i < 5000; ++i) engine.at(at_ps(1), Phase::act, {on<&Burst::call>, &burst});

  CHECK(engine.run({.rounds_per_instant = 10}) == RunEnd::drained);
  CHECK(burst.calls == 5000);
}

TEST_CASE("the argument of an action has a limit, and crossing it is a broken invariant") {
  Burst burst;
  CHECK_NOTHROW(Action({on<&Burst::call>, &burst, Action::argument_limit - 1}));
  CHECK_THROWS_AS(Action({on<&Burst::call>, &burst, Action::argument_limit}), InvariantError);
}

}  // namespace
}  // namespace tantalus

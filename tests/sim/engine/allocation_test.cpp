// Counts every allocation of the process: after a warm-up, events, ports, flows and a fingerprint must need none.

#include <doctest/doctest.h>

#include "sim/engine/engine.hpp"
#include "sim/engine/port.hpp"
#include "sim/engine/shared_capacity.hpp"
#include "tests/counted_allocations.hpp"
#include "tests/sim/engine/random_numbers.hpp"

namespace tantalus {
namespace {

using testing::RandomNumbers;

// Runs a while to reach the largest sizes, then counts.
long allocations_in_steady_state(Engine& engine) {
  engine.run({.max_events = 400'000});
  const long before = allocations;
  REQUIRE(engine.run({.max_events = 200'000}) == RunEnd::reached_event_budget);
  return allocations - before;
}

struct Ticker {
  Engine* engine = nullptr;
  RandomNumbers* random = nullptr;
  std::int64_t longest = 0;

  void tick() { engine->after(Duration{random->between(0, longest)}, {on<&Ticker::tick>, this}); }
};

TEST_CASE("the counter counts") {
  const long before = allocations;
  ::operator delete(::operator new(8));  // a new-expression may be optimised away, a call may not
  CHECK(allocations == before + 1);
}

TEST_CASE("events near and far need no allocation in steady state") {
  Engine engine;
  RandomNumbers random(1);
  std::vector<Ticker> tickers(1000);
  for (std::size_t i = 0; i < tickers.size(); ++i) {
    tickers[i] = {&engine, &random, i % 2 == 0 ? 100'000 : 50'000'000};
    tickers[i].tick();
  }

  CHECK(allocations_in_steady_state(engine) == 0);
}

struct Rescheduler {
  Engine& engine;
  RandomNumbers random{2};
  EventId alarm;

  void step() {
    engine.cancel(alarm);
    alarm = engine.after(Duration{random.between(1'000'000, 20'000'000)},
                         {on<&Rescheduler::ring>, this});
    engine.after(Duration{random.between(1, 5000)}, {on<&Rescheduler::step>, this});
  }
  void ring() {}
};

TEST_CASE("cancelling and rescheduling need no allocation in steady state") {
  Engine engine;
  Rescheduler rescheduler{engine, RandomNumbers(2), {}};
  rescheduler.step();

  CHECK(allocations_in_steady_state(engine) == 0);
}

struct Message {
  std::int64_t number = 0;
};

struct Echo {
  OutPort<Message> out;
  InPort<Message> in{on<&Echo::back>, this};

  void back(const Message& message) { out.send({message.number + 1}); }
};

TEST_CASE("messages through ports need no allocation in steady state") {
  Engine engine;
  Echo left, right;
  left.out.join(engine, right.in, Duration{700});
  right.out.join(engine, left.in, Duration{1300});
  for (int i = 0; i < 50; ++i) left.out.send({i});

  CHECK(allocations_in_steady_state(engine) == 0);
}

struct Flows {
  SharedCapacity& shared;
  std::vector<FlowClassId> classes;
  RandomNumbers random{3};
  Crossing route[2] = {{0}, {1, 2 * Crossing::one}};

  void start() {
    const auto pick = static_cast<std::size_t>(random.between(0, std::ssize(classes) - 1));
    shared.start(classes[pick], Bytes{random.between(1, 1'000'000)}, {on<&Flows::start>, this});
  }
  // A class for one kernel: opened, used, closed.
  void kernel() {
    const FlowClassId own = shared.open_class(route, 1, Rate::of(Bandwidth{1'000'000'000}));
    shared.start(own, Bytes{random.between(1, 10'000)}, {on<&Flows::kernel_done>, this, own.value},
                 432);
  }
  void kernel_done(std::uint32_t own) {
    shared.close_class({own});
    kernel();
  }
};

TEST_CASE("flows and their classes need no allocation in steady state, with a fingerprint kept") {
  Engine engine;
  Trace trace(Trace::Keep::fingerprint_only);
  engine.set_trace(&trace);
  SharedCapacity shared(engine, DeviceId{0}, "shared");
  shared.add_link("first", Bandwidth{10'000'000'000});
  shared.add_link("second", Bandwidth{20'000'000'000});
  Flows flows{shared, {}};
  flows.classes.push_back(shared.open_class({.route = {{0}}}));
  flows.classes.push_back(shared.open_class({.route = {{0}, {1}}}));
  for (int i = 0; i < 50; ++i) flows.start();
  flows.kernel();
  flows.kernel();

  CHECK(allocations_in_steady_state(engine) == 0);
}

}  // namespace
}  // namespace tantalus

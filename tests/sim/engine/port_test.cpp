#include "sim/engine/port.hpp"

#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

struct Ping {
  int number = 0;
};
struct Pong {
  int number = 0;
};

struct Receiver {
  explicit Receiver(Engine& e, std::size_t capacity = 0)
      : engine(e), in(on<&Receiver::take>, this, capacity) {}

  void take(const Ping& ping) {
    log.push_back(std::to_string(engine.now().since_start().count()) + ":" +
                  std::to_string(ping.number));
  }
  void release() { in.release(); }

  Engine& engine;
  InPort<Ping> in;
  std::vector<std::string> log;
};

using Log = std::vector<std::string>;

template <class Out, class In>
concept Joinable = requires(Out out, Engine& engine, In in) {
  out.join(engine, in, Duration{1});
};
static_assert(Joinable<OutPort<Ping>&, InPort<Ping>&>);
static_assert(!Joinable<OutPort<Ping>&, InPort<Pong>&>, "different messages must not compile");

TEST_CASE("a message arrives once the latency of the join is over") {
  Engine engine;
  Receiver receiver(engine);
  OutPort<Ping> out;
  out.join(engine, receiver.in, Duration{250});

  out.send({1});
  CHECK(out.under_way() == 1);
  engine.run();

  CHECK(receiver.log == Log{"250:1"});
  CHECK(out.under_way() == 0);
}

TEST_CASE("messages leave a port in the order in which they entered it") {
  Engine engine;
  Receiver receiver(engine);
  OutPort<Ping> out;
  out.join(engine, receiver.in, Duration{10});

  for (int i = 0; i < 20; ++i) out.send({i});
  engine.run();

  REQUIRE(receiver.log.size() == 20);
  for (int i = 0; i < 20; ++i) {
    CHECK(receiver.log[static_cast<std::size_t>(i)] == "10:" + std::to_string(i));
  }
}

TEST_CASE("senders with different latencies meet in order of arrival") {
  Engine engine;
  Receiver receiver(engine);
  OutPort<Ping> slow, fast;
  slow.join(engine, receiver.in, Duration{10});
  fast.join(engine, receiver.in, Duration{3});

  slow.send({1});
  fast.send({2});
  engine.run();

  CHECK(receiver.log == Log{"3:2", "10:1"});
}

TEST_CASE("a full receiver blocks those behind it until it releases one") {
  Engine engine;
  Receiver receiver(engine, 2);
  OutPort<Ping> first, second;
  first.join(engine, receiver.in, Duration{1});
  second.join(engine, receiver.in, Duration{2});

  for (int i = 1; i <= 3; ++i) first.send({i});
  second.send({4});
  engine.at(TimePoint{Duration{50}}, Phase::act, {on<&Receiver::release>, &receiver});
  engine.at(TimePoint{Duration{70}}, Phase::act, {on<&Receiver::release>, &receiver});
  engine.run();

  CHECK(receiver.log == Log{"1:1", "1:2", "50:3", "70:4"});
  CHECK(receiver.in.held() == 2);
}

TEST_CASE("a newcomer does not overtake those who wait at a full receiver") {
  Engine engine;
  Receiver receiver(engine, 1);
  OutPort<Ping> out;
  out.join(engine, receiver.in, Duration{1});

  out.send({1});
  out.send({2});
  engine.run();
  receiver.release();
  out.send({3});
  engine.run();

  CHECK(receiver.log == Log{"1:1", "1:2"});
  CHECK(receiver.in.waiting() == 1);
}

TEST_CASE("a zero latency still delivers through the queue, in the same instant") {
  Engine engine;
  Receiver receiver(engine);
  OutPort<Ping> out;
  out.join(engine, receiver.in, Duration{0});

  out.send({1});
  CHECK(receiver.log.empty());
  engine.run();

  CHECK(receiver.log == Log{"0:1"});
}

TEST_CASE("sending through an unjoined port is a broken invariant") {
  OutPort<Ping> out;
  CHECK_THROWS_AS(out.send({1}), InvariantError);
}

TEST_CASE("an out port cannot be joined twice and a latency cannot be negative") {
  Engine engine;
  Receiver receiver(engine);
  OutPort<Ping> out;
  CHECK_THROWS_AS(out.join(engine, receiver.in, Duration{-1}), InvariantError);
  out.join(engine, receiver.in, Duration{1});
  CHECK_THROWS_AS(out.join(engine, receiver.in, Duration{1}), InvariantError);
}

TEST_CASE("a message type is named without its namespaces") {
  CHECK(message_name<Ping>() == "Ping");
  CHECK(message_name<int>() == "int");
}

TEST_CASE("a port list finds ports by name and refuses a name twice") {
  Engine engine;
  Receiver receiver(engine);
  OutPort<Ping> out;
  PortList ports;
  ports.add("in", receiver.in);
  ports.add("out", out, PortList::Need::optional);

  REQUIRE(ports.find("in") != nullptr);
  CHECK(ports.find("in")->in == &receiver.in);
  CHECK(ports.find("other") == nullptr);
  CHECK(ports.names() == std::vector<std::string>{"in", "out"});
  CHECK_THROWS_AS(ports.add("in", out), InvariantError);
}

}  // namespace
}  // namespace tantalus

#include "sim/engine/machine.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/golden.hpp"

namespace tantalus {
namespace {

struct Ping {
  int number = 0;
};
struct Pong {
  int number = 0;
};

// Sends one Ping at the start and counts the Pongs that come back.
class Player final : public Component {
 public:
  using Component::Component;
  void list_ports(PortList& ports) override {
    ports.add("pings", pings_);
    ports.add("pongs", pongs_);
  }
  void start() override { pings_.send({1}); }
  void count(const Pong& pong) { returned += pong.number; }

  int returned = 0;

 private:
  OutPort<Ping> pings_;
  InPort<Pong> pongs_{on<&Player::count>, this};
};

class Wall final : public Component {
 public:
  Wall(Engine& e, DeviceId id, std::string name, int factor)
      : Component(e, id, std::move(name)), factor_(factor) {}
  void list_ports(PortList& ports) override {
    ports.add("pings", pings_);
    ports.add("pongs", pongs_);
  }
  void bounce(const Ping& ping) {
    TANTALUS_CHECK(factor_ != 0, "a wall reflects");
    pongs_.send({ping.number * factor_});
  }

 private:
  int factor_;
  InPort<Ping> pings_{on<&Wall::bounce>, this};
  OutPort<Pong> pongs_;
};

JoinRequest link(PortName from, PortName to, std::int64_t latency = 5) {
  return {from, to, Duration{latency}, SourcePos{"system.yaml", 12, 3}, "links.string"};
}

// What people read: tests/data/bad/engine has a text for each code.
void check_text(const Diagnostic& problem) {
  testing::check_golden("tests/data/bad/engine/" + problem.code + ".expected", render(problem));
}

struct Court {
  Machine machine;
  Player& player = machine.emplace<Player>("player");
  Wall& wall = machine.emplace<Wall>("wall", 3);
};

TEST_CASE("components joined by name exchange messages") {
  Court court;
  CHECK(court.machine.join(link({"player", "pings"}, {"wall", "pings"})).empty());
  CHECK(court.machine.join(link({"wall", "pongs"}, {"player", "pongs"}, 7)).empty());

  REQUIRE(court.machine.start().empty());
  CHECK(court.machine.run() == RunEnd::drained);

  CHECK(court.player.returned == 3);
  CHECK(court.machine.engine().now() == TimePoint{Duration{12}});
}

TEST_CASE("a machine can be moved before and after the start") {
  Machine first;
  first.emplace<Player>("player");
  first.emplace<Wall>("wall", 2);
  first.join(link({"player", "pings"}, {"wall", "pings"}));
  Machine second = std::move(first);
  second.join(link({"wall", "pongs"}, {"player", "pongs"}));
  REQUIRE(second.start().empty());
  Machine third = std::move(second);

  third.run();

  CHECK(static_cast<Player*>(third.find("player"))->returned == 2);
}

TEST_CASE("a machine with an unjoined port does not start and says which") {
  Court court;
  court.machine.join(link({"player", "pings"}, {"wall", "pings"}));

  const Diagnostics problems = court.machine.start();

  REQUIRE(problems.size() == 2);
  CHECK(problems[0].code == "unjoined-port");
  CHECK(problems[0].path == "devices.player");
  CHECK(problems[0].message == "port 'pongs' is not joined");
  CHECK(problems[0].hint == "add a link that ends at 'player.pongs'");
  CHECK(problems[1].hint == "add a link that starts at 'wall.pongs'");
  check_text(problems[0]);
  CHECK(court.machine.run() == RunEnd::drained);
  CHECK(court.machine.engine().events_called() == 0);
}

Diagnostic only_problem(Machine& machine, const JoinRequest& request) {
  const Diagnostics problems = machine.join(request);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].where == request.where);
  CHECK(problems[0].path == "links.string");
  return problems[0];
}

TEST_CASE("joining ports of different messages is a diagnostic at the link") {
  Court court;
  const Diagnostic problem =
      only_problem(court.machine, link({"player", "pings"}, {"player", "pongs"}));

  CHECK(problem.code == "port-type");
  CHECK(problem.message == "'player.pings' sends Ping, but 'player.pongs' takes Pong");
  check_text(problem);
}

TEST_CASE("a misspelt device or port is a diagnostic with the nearest name") {
  Court court;
  const Diagnostic device =
      only_problem(court.machine, link({"playr", "pings"}, {"wall", "pings"}));
  CHECK(device.code == "unknown-device");
  CHECK(device.hint == "did you mean 'player'?");
  check_text(device);

  const Diagnostic port = only_problem(court.machine, link({"player", "pngs"}, {"wall", "pings"}));
  CHECK(port.code == "unknown-port");
  CHECK(port.hint == "did you mean 'pings'?");
  check_text(port);

  const Diagnostic far = only_problem(court.machine, link({"player", "pings"}, {"wall", "door"}));
  CHECK(far.hint == "ports: pings, pongs");
}

TEST_CASE("both ends of a link are checked at once") {
  Court court;
  CHECK(court.machine.join(link({"playr", "pings"}, {"wall", "pigs"})).size() == 2);
}

TEST_CASE("a link the wrong way round is a diagnostic that says to swap it") {
  Court court;
  const Diagnostic problem =
      only_problem(court.machine, link({"wall", "pings"}, {"player", "pings"}));

  CHECK(problem.code == "port-direction");
  CHECK(problem.hint == "swap the two ends of the link");
  check_text(problem);
}

TEST_CASE("a sending port that is joined already is a diagnostic") {
  Court court;
  REQUIRE(court.machine.join(link({"player", "pings"}, {"wall", "pings"})).empty());

  const Diagnostic problem =
      only_problem(court.machine, link({"player", "pings"}, {"wall", "pings"}));

  CHECK(problem.code == "port-taken");
  check_text(problem);
}

TEST_CASE("a negative latency is a diagnostic") {
  Court court;
  const Diagnostic problem =
      only_problem(court.machine, link({"player", "pings"}, {"wall", "pings"}, -1));

  CHECK(problem.code == "bad-latency");
  check_text(problem);
}

TEST_CASE("a broken invariant in a component names it, the time and the event") {
  Machine machine;
  machine.emplace<Player>("player");
  machine.emplace<Wall>("rubber-wall", 0);
  machine.join(link({"player", "pings"}, {"rubber-wall", "pings"}));
  machine.join(link({"rubber-wall", "pongs"}, {"player", "pongs"}));
  REQUIRE(machine.start().empty());

  std::string message;
  try {
    machine.run();
  } catch (const InvariantError& error) {
    message = error.what();
  }

  CHECK(message.find("a wall reflects") != std::string::npos);
  CHECK(message.find("[at 5 ps, event 1, in 'player.pings']") != std::string::npos);
}

TEST_CASE("two devices of one name are a broken invariant") {
  Court court;
  CHECK_THROWS_AS(court.machine.emplace<Player>("wall"), InvariantError);
}

}  // namespace
}  // namespace tantalus

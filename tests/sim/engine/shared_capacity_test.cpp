#include "sim/engine/shared_capacity.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/engine/random_numbers.hpp"

namespace tantalus {
namespace {

using testing::RandomNumbers;

constexpr std::int64_t microsecond = 1'000'000;  // picoseconds
constexpr std::int64_t second = picoseconds_per_second;

// Notes the time of each numbered completion.
struct Watch {
  Engine& engine;
  std::vector<std::int64_t> ends;
  std::vector<std::uint32_t> order;

  void done(std::uint32_t number) {
    ends[number] = engine.now().since_start().count();
    order.push_back(number);
  }
};

struct Fixture {
  Engine engine;
  SharedCapacity shared{engine, DeviceId{0}, "shared"};
  Watch watch{engine, std::vector<std::int64_t>(64, -1), {}};

  CapacityId link(std::int64_t bytes_per_second) {
    return shared.add_link("link", Bandwidth{bytes_per_second});
  }
  Action done(std::uint32_t number) { return {on<&Watch::done>, &watch, number}; }
};

// Calls something later, for tests that act in the middle of a run.
template <class Function>
struct Later {
  Function function;
  void call() { function(); }
};
template <class Function>
Later(Function) -> Later<Function>;

template <class Function>
void at(Engine& engine, std::int64_t ps, Later<Function>& later) {
  engine.at(TimePoint{Duration{ps}}, Phase::act, {on<&Later<Function>::call>, &later});
}

TEST_CASE("one flow alone takes its size over the capacity") {
  Fixture f;
  const FlowClassId one = f.shared.open_class({.route = {{f.link(10'000'000'000).value}}});

  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  f.engine.run();

  CHECK(f.watch.ends[1] == 100 * microsecond);
}

TEST_CASE("two equal flows on one link each take twice as long as one alone") {
  Fixture f;
  const FlowClassId one = f.shared.open_class({.route = {{f.link(10'000'000'000).value}}});

  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  f.shared.start(one, Bytes{1'000'000}, f.done(2));
  f.engine.run();

  CHECK(f.watch.ends[1] == 200 * microsecond);
  CHECK(f.watch.ends[2] == 200 * microsecond);
  CHECK(f.watch.order == std::vector<std::uint32_t>{1, 2});
}

// 1 MB at 10 GB/s alone for 50 us moves half; then half the rate: 100 us more. The second has moved 0.5 MB by then and
// has the link alone for the other 0.5 MB: 50 us.
TEST_CASE("a flow that starts at a random moment delays the other as the fair share says") {
  Fixture f;
  const FlowClassId one = f.shared.open_class({.route = {{f.link(10'000'000'000).value}}});
  Later second_flow{[&] { f.shared.start(one, Bytes{1'000'000}, f.done(2)); }};

  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  at(f.engine, 50 * microsecond, second_flow);
  f.engine.run();

  CHECK(f.watch.ends[1] == 150 * microsecond);
  CHECK(f.watch.ends[2] == 200 * microsecond);
}

TEST_CASE("a group of equal flows finishes together and is called once") {
  Fixture f;
  const FlowClassId one = f.shared.open_class({.route = {{f.link(432'000'000).value}}});

  f.shared.start(one, Bytes{1000}, f.done(1), 432);  // 1e6 bytes/s each
  f.engine.run();

  CHECK(f.watch.ends[1] == 1000 * microsecond);
  CHECK(f.watch.order.size() == 1);
}

TEST_CASE("a finish that falls between two picoseconds is called at the next one") {
  Fixture f;
  const FlowClassId one = f.shared.open_class({.route = {{f.link(3'000'000'000).value}}});

  f.shared.start(one, Bytes{1}, f.done(1));  // 333.33 ps
  f.engine.run();

  CHECK(f.watch.ends[1] == 334);
}

TEST_CASE("large copies take strictly longer the larger they are, up to 1 TiB in 91.6 s") {
  std::int64_t last = 0;
  for (const std::int64_t gibibytes : {1, 2, 4, 8, 1024}) {
    Fixture f;
    const FlowClassId one = f.shared.open_class({.route = {{f.link(12'000'000'000).value}}});
    f.shared.start(one, Bytes{gibibytes << 30}, f.done(1));
    f.engine.run();

    CHECK(f.watch.ends[1] > last);
    last = f.watch.ends[1];
  }
  CHECK(last ==
        91'625'968'981'334);  // 2^40 / 12e9 s = 91.6259689813333... s, rounded up to a picosecond
}

TEST_CASE(
    "the smallest messages on a fast link take at least a picosecond each and time never goes "
    "back") {
  Fixture f;
  const FlowClassId one = f.shared.open_class({.route = {{f.link(10'000'000'000'000).value}}});
  std::int64_t last = 0;
  for (std::uint32_t bytes = 1; bytes < 64; ++bytes) {
    const std::int64_t begin = f.engine.now().since_start().count();
    f.shared.start(one, Bytes{bytes}, f.done(bytes));
    f.engine.run();
    const std::int64_t taken = f.watch.ends[bytes] - begin;
    CHECK(taken == (bytes + 9) / 10);  // 10 bytes a picosecond
    CHECK(f.watch.ends[bytes] > last);
    last = f.watch.ends[bytes];
  }
}

TEST_CASE("an empty flow finishes in its own instant") {
  Fixture f;
  const FlowClassId one = f.shared.open_class({.route = {{f.link(1000).value}}});
  Later start{[&] { f.shared.start(one, Bytes{0}, f.done(1)); }};
  at(f.engine, 77, start);

  f.engine.run();

  CHECK(f.watch.ends[1] == 77);
}

TEST_CASE("an endless chain of empty flows ends in an error that names the capacity") {
  Fixture f;
  struct Restarter {
    SharedCapacity& shared;
    FlowClassId id;
    void go() { shared.start(id, Bytes{0}, {on<&Restarter::go>, this}); }
  };
  Restarter restarter{f.shared, f.shared.open_class({.route = {{f.link(1000).value}}})};
  restarter.go();

  std::string message;
  try {
    f.engine.run({.rounds_per_instant = 1000});
  } catch (const InvariantError& error) {
    message = error.what();
  }
  CHECK(message.find("'shared'") != std::string::npos);
}

// The latency belongs to the route and is paid once per transfer: one chunk of 1 MB over 10 GB/s and 1 us takes 101 us;
// 100 chunks in a pipeline pay it once; 100 chunks that wait for each other pay it 100 times.
struct Transfers {
  Fixture& f;
  FlowClassId route;
  int left = 0;

  void begin() { f.engine.after(Duration{microsecond}, {on<&Transfers::flow>, this}); }
  void flow() { f.shared.start(route, Bytes{10'000}, {on<&Transfers::next>, this}); }
  void next() {
    if (--left > 0) begin();
  }
};

TEST_CASE(
    "latency is charged once for one chunk, once for a pipeline and each time for dependent "
    "chunks") {
  Fixture f;
  const FlowClassId route = f.shared.open_class({.route = {{f.link(10'000'000'000).value}}});
  Later whole{[&] { f.shared.start(route, Bytes{1'000'000}, f.done(1)); }};
  at(f.engine, microsecond, whole);
  f.engine.run();
  CHECK(f.watch.ends[1] == 101 * microsecond);

  Fixture g;
  const FlowClassId pipe = g.shared.open_class({.route = {{g.link(10'000'000'000).value}}});
  Later chunks{[&] {
    for (std::uint32_t i = 0; i < 100; ++i) g.shared.start(pipe, Bytes{10'000}, g.done(i % 50));
  }};
  at(g.engine, microsecond, chunks);
  g.engine.run();
  CHECK(g.engine.now().since_start().count() == 101 * microsecond);

  Fixture h;
  Transfers dependent{h, h.shared.open_class({.route = {{h.link(10'000'000'000).value}}}), 100};
  dependent.begin();
  h.engine.run();
  CHECK(h.engine.now().since_start().count() == 200 * microsecond);
}

TEST_CASE("a capacity that changes during a run changes the rates from that instant on") {
  Fixture f;
  const CapacityId link = f.link(10'000'000'000);
  const FlowClassId one = f.shared.open_class({.route = {{link.value}}});
  Later slow{[&] { f.shared.set_capacity(link, Bandwidth{5'000'000'000}); }};
  Later stop{[&] { f.shared.set_capacity(link, Bandwidth{0}); }};
  Later resume{[&] { f.shared.set_capacity(link, Bandwidth{10'000'000'000}); }};

  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  at(f.engine, 20 * microsecond, slow);     // 200,000 moved
  at(f.engine, 60 * microsecond, stop);     // 400,000 moved
  at(f.engine, 100 * microsecond, resume);  // 600,000 to go
  f.engine.run();

  CHECK(f.watch.ends[1] == 160 * microsecond);
  // Busy as at full speed: 20 us + 40 us + 60 us.
  CHECK(f.shared.busy(link) == Duration{120 * microsecond});
}

TEST_CASE("a cap or a weight that changes during a run holds from that instant on") {
  Fixture f;
  const CapacityId link = f.link(10'000'000'000);
  const FlowClassId one = f.shared.open_class({.route = {{link.value}}});
  const FlowClassId other = f.shared.open_class({.route = {{link.value}}});
  Later change{[&] {
    f.shared.set_weight(one, 3);
    f.shared.set_cap(other, Rate::of(Bandwidth{1'000'000'000}));
  }};

  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  f.shared.start(other, Bytes{1'000'000}, f.done(2));
  at(f.engine, 100 * microsecond, change);  // each has moved 500,000
  f.engine.run();

  // Then 9 GB/s: 500,000 / 9e9 s = 55.5555555... us; the other stays at 1 GB/s: 500 us.
  CHECK(f.watch.ends[1] == 155'555'556);
  CHECK(f.watch.ends[2] == 600 * microsecond);
}

TEST_CASE("whoever asks for the same links, weight and cap joins one class") {
  Fixture f;
  const std::uint32_t a = f.link(1'000'000'000).value;
  const std::uint32_t b = f.link(1'000'000'000).value;
  const std::vector<Crossing> there{{a}, {b, 2 * Crossing::one}};
  const std::vector<Crossing> back{{b, 2 * Crossing::one}, {a}};
  const std::vector<Crossing> lighter{{a}, {b}};
  const Rate capped = Rate::of(Bandwidth{1000});

  const FlowClassId own = f.shared.open_class(there, 1, Rate::unlimited());
  const FlowClassId joint = f.shared.join_class(there, 1, Rate::unlimited());

  CHECK(f.shared.join_class(back, 1, Rate::unlimited()) == joint);
  CHECK(own != joint);
  CHECK(f.shared.join_class(there, 2, Rate::unlimited()) != joint);
  CHECK(f.shared.join_class(there, 1, capped) != joint);
  CHECK(f.shared.join_class(lighter, 1, Rate::unlimited()) != joint);
}

TEST_CASE("a joined class stays until everyone has closed it, and nobody changes it alone") {
  Fixture f;
  const std::vector<Crossing> route{{f.link(10'000'000'000).value}};
  const FlowClassId one = f.shared.join_class(route, 1, Rate::unlimited());
  const FlowClassId other = f.shared.join_class(route, 1, Rate::unlimited());
  CHECK_THROWS_AS(f.shared.set_cap(one, Rate{1}), InvariantError);
  CHECK_THROWS_AS(f.shared.set_weight(one, 2), InvariantError);

  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  f.shared.start(other, Bytes{1'000'000}, f.done(2));
  f.shared.close_class(one);
  CHECK_THROWS_AS(f.shared.close_class(FlowClassId{7}), InvariantError);
  f.engine.run();
  f.shared.close_class(other);

  CHECK(f.watch.ends[1] == 200 * microsecond);
  CHECK(f.watch.ends[2] == 200 * microsecond);
  CHECK(f.shared.moved(CapacityId{0}) == Bytes{2'000'000});
  CHECK_THROWS_AS(f.shared.start(other, Bytes{1}, f.done(3)), InvariantError);
  CHECK(f.shared.open_class(route, 1, Rate{1}) == one);  // the slot is free, and somebody's own now
  f.shared.set_cap(one, Rate{2});
}

// What ends and starts in one instant leaves the numbers of flows as they were, but not always their shares.
TEST_CASE(
    "a flow that takes the place of another has its share, and one of another route has its own") {
  Fixture f;
  const std::uint32_t wide = f.link(10'000'000'000).value;
  const std::uint32_t narrow = f.link(1'000'000'000).value;
  struct Successor {
    Fixture& f;
    FlowClassId ended, next;
    void done() {
      f.shared.start(ended, Bytes{1'000'000}, f.done(1));
      f.shared.start(next, Bytes{1'000'000}, f.done(2));
    }
  };
  const FlowClassId one = f.shared.open_class({.route = {{wide}}});
  const FlowClassId other = f.shared.open_class({.route = {{narrow}}});
  Successor successor{f, one, other};
  f.shared.start(one, Bytes{1'000'000}, {on<&Successor::done>, &successor});
  f.engine.run();

  CHECK(f.watch.ends[1] == 200 * microsecond);
  CHECK(f.watch.ends[2] == 1100 * microsecond);
}

TEST_CASE("a class that is closed and opened again in one instant is divided as what it is then") {
  Fixture f;
  const std::uint32_t wide = f.link(10'000'000'000).value;
  const std::uint32_t narrow = f.link(1'000'000'000).value;
  struct Reopener {
    Fixture& f;
    FlowClassId ended;
    std::uint32_t narrow;
    void done() {
      f.shared.close_class(ended);
      const FlowClassId next = f.shared.open_class({.route = {{narrow}}});
      CHECK(next == ended);
      f.shared.start(next, Bytes{1'000'000}, f.done(1));
    }
  };
  const FlowClassId one = f.shared.open_class({.route = {{wide}}});
  Reopener reopener{f, one, narrow};
  f.shared.start(one, Bytes{1'000'000}, {on<&Reopener::done>, &reopener});
  f.engine.run();

  CHECK(f.watch.ends[1] == 1100 * microsecond);
}

// Opens classes from the end of a flow, so many that everything moves in memory, and starts a flow in the last.
struct Opener {
  Fixture& f;
  CapacityId link;

  void done() {
    FlowClassId last{};
    for (int i = 0; i < 100; ++i) last = f.shared.open_class({.route = {{link.value}}});
    f.shared.start(last, Bytes{3'000'000}, f.done(3));
  }
};

TEST_CASE("classes that the end of a flow opens disturb no other flow that ends in that instant") {
  Fixture f;
  const CapacityId link = f.link(30'000'000'000);
  const FlowClassId one = f.shared.open_class({.route = {{link.value}}});
  const FlowClassId other = f.shared.open_class({.route = {{link.value}}});
  Opener opener{f, link};

  f.shared.start(one, Bytes{1'000'000}, {on<&Opener::done>, &opener});
  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  f.shared.start(other, Bytes{1'000'000}, f.done(2));
  f.engine.run();

  CHECK(f.watch.order == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(f.watch.ends[1] == 100 * microsecond);
  CHECK(f.watch.ends[2] == 100 * microsecond);
  CHECK(f.watch.ends[3] == 200 * microsecond);
}

TEST_CASE("a flow that is cancelled in the instant in which it would end does not end") {
  Fixture f;
  const FlowClassId one = f.shared.open_class({.route = {{f.link(10'000'000'000).value}}});
  const FlowClassId other = f.shared.open_class({.route = {{0}}});
  const FlowId gone = f.shared.start(other, Bytes{1'000'000}, f.done(2));
  struct Canceller {
    SharedCapacity& shared;
    FlowId flow;
    void done() { shared.cancel(flow); }
  } canceller{f.shared, gone};

  f.shared.start(one, Bytes{1'000'000}, {on<&Canceller::done>, &canceller});
  f.engine.run();

  CHECK(f.watch.order.empty());
  CHECK(f.shared.moved(CapacityId{0}) == Bytes{2'000'000});
}

TEST_CASE("a cancelled flow frees its share, stays counted and never calls") {
  Fixture f;
  const CapacityId link = f.link(10'000'000'000);
  const FlowClassId one = f.shared.open_class({.route = {{link.value}}});
  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  const FlowId gone = f.shared.start(one, Bytes{1'000'000}, f.done(2));
  bool cancelled = false;
  Later cancel{[&] { cancelled = f.shared.cancel(gone); }};
  at(f.engine, 100 * microsecond, cancel);  // both have moved 500,000

  f.engine.run();

  CHECK(cancelled);
  CHECK_FALSE(f.shared.cancel(gone));
  CHECK(f.watch.ends[1] == 150 * microsecond);
  CHECK(f.watch.ends[2] == -1);
  CHECK(f.shared.moved(link) == Bytes{1'500'000});
  CHECK(f.shared.flows() == 0);
}

TEST_CASE("progress can be read at any moment") {
  Fixture f;
  const CapacityId link = f.link(10'000'000'000);
  const FlowClassId one = f.shared.open_class({.route = {{link.value, 2 * Crossing::one}}});
  const FlowId flow = f.shared.start(one, Bytes{1'000'000}, f.done(1), 2);

  f.engine.run({.until = TimePoint{Duration{100 * microsecond}}});

  // 10 GB/s, two flows, two bytes of the link per byte: 2.5 GB/s each, 250,000 bytes in 100 us.
  CHECK(f.shared.rate(one) == Rate::of(Bandwidth{2'500'000'000}));
  CHECK(f.shared.remaining(flow) == Bytes{750'000});
  CHECK(f.shared.moved(link) == Bytes{1'000'000});
  CHECK(f.shared.busy(link) == Duration{100 * microsecond});
  CHECK(f.shared.active(flow));
}

TEST_CASE("flows whose course the caller knows are counted as if they had moved") {
  Fixture f;
  const CapacityId link = f.link(10'000'000'000);
  const FlowClassId one = f.shared.open_class({.route = {{link.value}}});
  f.shared.start(one, Bytes{1'000'000}, f.done(1));
  f.engine.run();

  f.shared.count_moved(one, Bytes{2'000'000}, 3);

  CHECK(f.shared.moved(link) == Bytes{7'000'000});
  CHECK(f.shared.busy(link) == Duration{700 * microsecond});
  CHECK(f.shared.active_flows() == 0);
  CHECK(f.shared.started() == 1);
}

TEST_CASE("a kernel is held by the narrower of two levels") {
  Fixture f;
  const CapacityId l2 = f.link(3'000'000'000);
  const CapacityId dram = f.link(2'000'000'000);
  const FlowClassId kernel =
      f.shared.open_class({.route = {{l2.value, 3 * Crossing::one}, {dram.value}}});

  f.shared.start(kernel, Bytes{1'000'000}, f.done(1));
  f.engine.run();

  CHECK(f.watch.ends[1] == 1000 * microsecond);  // 3 MB over L2 at 3 GB/s
  CHECK(f.shared.moved(l2) == Bytes{3'000'000});
  CHECK(f.shared.moved(dram) == Bytes{1'000'000});
  CHECK(f.shared.busy(l2) == Duration{1000 * microsecond});
  CHECK(f.shared.busy(dram) == Duration{500 * microsecond});
}

TEST_CASE("a class is closed when empty, reused, and refuses to close with flows under way") {
  Fixture f;
  const CapacityId link = f.link(1000);
  const FlowClassId one = f.shared.open_class({.route = {{link.value}}});
  f.shared.start(one, Bytes{1}, f.done(1));
  CHECK_THROWS_AS(f.shared.close_class(one), InvariantError);
  f.engine.run();
  f.shared.close_class(one);

  CHECK_THROWS_AS(f.shared.start(one, Bytes{1}, f.done(1)), InvariantError);
  CHECK(f.shared.open_class({.route = {{link.value}}}) == one);
}

TEST_CASE(
    "routes that name a link twice, an unknown link, or none without a cap are broken invariants") {
  Fixture f;
  const std::uint32_t link = f.link(1000).value;
  CHECK_THROWS_AS(f.shared.open_class({.route = {{link}, {link}}}), InvariantError);
  CHECK_THROWS_AS(f.shared.open_class({.route = {{link + 1}}}), InvariantError);
  CHECK_THROWS_AS(f.shared.open_class({.route = {}}), InvariantError);
  CHECK_THROWS_AS(f.shared.open_class({.route = {{link, 0}}}), InvariantError);
  CHECK_NOTHROW(f.shared.open_class({.route = {}, .cap = Rate::of(Bandwidth{5})}));
}

TEST_CASE("a capacity that is destroyed leaves no event behind") {
  Engine engine;
  Watch watch{engine, std::vector<std::int64_t>(64, -1), {}};
  {
    SharedCapacity shared(engine, DeviceId{0}, "short-lived");
    const CapacityId link = shared.add_link("link", Bandwidth{1000});
    shared.start(shared.open_class({.route = {{link.value}}}), Bytes{1},
                 {on<&Watch::done>, &watch, 1});
    engine.run({.until = TimePoint{Duration{1}}});
  }
  CHECK(engine.run() == RunEnd::drained);
  CHECK(engine.now() == TimePoint{Duration{1}});
}

// Random flows over random routes: whatever happens, bytes in equal bytes out and nothing beats its capacity.
struct Traffic {
  Fixture& f;
  RandomNumbers random;
  std::vector<FlowClassId> classes;
  std::vector<std::vector<Crossing>> routes;
  std::vector<Int128> expected;
  int left = 300;
  int finished = 0;

  void start_one() {
    if (left-- <= 0) return;
    const auto pick = static_cast<std::size_t>(random.between(0, std::ssize(classes) - 1));
    const Bytes size{random.between(1, 1'000'000)};
    const std::int64_t flows = random.one_in(3) ? random.between(1, 500) : 1;
    for (const Crossing& crossing : routes[pick]) {
      expected[crossing.link] += Int128{size.count()} * flows * crossing.demand;
    }
    f.shared.start(classes[pick], size, {on<&Traffic::one_done>, this}, flows);
    if (random.one_in(2)) {
      f.engine.after(Duration{random.between(0, 200) * microsecond},
                     {on<&Traffic::start_one>, this});
    }
  }
  void one_done() {
    ++finished;
    start_one();
  }
};

TEST_CASE("bytes in equal bytes out, and no link is busier than time has passed") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Fixture f;
    Traffic traffic{f, RandomNumbers(seed), {}, {}, {}};
    for (int l = 0; l < 4; ++l) {
      f.link(traffic.random.between(1, 10) * 1'000'000'000);
      traffic.expected.push_back(0);
    }
    for (int c = 0; c < 8; ++c) {
      std::vector<Crossing> route;
      for (std::uint32_t l = 0; l < 4; ++l) {
        if (traffic.random.one_in(2))
          route.push_back({l, traffic.random.between(1, 3) * Crossing::one});
      }
      const Rate cap = Rate::of(Bandwidth{traffic.random.between(1, 20) * 100'000'000});
      traffic.classes.push_back(f.shared.open_class({route, traffic.random.between(1, 4), cap}));
      traffic.routes.push_back(route);
    }
    for (int i = 0; i < 10; ++i) traffic.start_one();

    REQUIRE(f.engine.run() == RunEnd::drained);

    CHECK(f.shared.flows() == 0);
    CHECK(traffic.finished == 300);
    for (std::uint32_t l = 0; l < 4; ++l) {
      const CapacityId link{l};
      CHECK(f.shared.moved(link).count() ==
            static_cast<std::int64_t>(traffic.expected[l] >> Crossing::fraction_bits));
      CHECK(f.shared.busy(link) <= f.engine.now().since_start());
      // What crossed cannot have taken less than at full speed, to the picosecond that a rounding up may give each flow.
      const Duration least = f.shared.moved(link) / f.shared.capacity(link);
      CHECK(f.shared.busy(link) + Duration{10'000} >= least);
      CHECK(f.engine.now().since_start() >= least);
    }
  }
}

TEST_CASE("more capacity of the only link never finishes a flow later") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<std::int64_t> ends[2];
    for (const int twice : {0, 1}) {
      Fixture f;
      RandomNumbers random(seed);
      const FlowClassId one =
          f.shared.open_class({.route = {{f.link((1 + twice) * 1'000'000'000).value}}});
      for (std::uint32_t i = 0; i < 40; ++i)
        f.shared.start(one, Bytes{random.between(1, 100'000)}, f.done(i));
      f.engine.run();
      ends[twice] = f.watch.ends;
    }
    for (std::size_t i = 0; i < 40; ++i) {
      CHECK(ends[1][i] <= ends[0][i]);
      CHECK(ends[1][i] >= (ends[0][i] - 1) / 2);
    }
  }
}

TEST_CASE("the trace shows every start, rate and finish of a flow") {
  Fixture f;
  Trace trace;
  f.engine.set_trace(&trace);
  const FlowClassId one = f.shared.open_class({.route = {{f.link(1'000'000'000).value}}});

  f.shared.start(one, Bytes{1000}, f.done(1), 2);
  f.engine.run();

  const std::int64_t rate = Rate::of(Bandwidth{500'000'000}).units;
  REQUIRE(trace.records().size() == 3);
  CHECK(trace.records()[0] == TraceRecord{0, 1000, 2, DeviceId{0}, 1, 0, TraceKind::flow_started});
  CHECK(trace.records()[1] ==
        TraceRecord{0, rate, 2, DeviceId{0}, 0, 0, TraceKind::flow_rate_changed});
  CHECK(trace.records()[2] ==
        TraceRecord{2 * microsecond, 1000, 2, DeviceId{0}, 1, 0, TraceKind::flow_finished});
}

TEST_CASE("a flow too slow to finish in a hundred days waits and holds nobody up") {
  Fixture f;
  const CapacityId slow = f.link(1);
  const CapacityId fast = f.link(1'000'000'000);
  f.shared.start(f.shared.open_class({.route = {{slow.value}}}), Bytes{std::int64_t{1} << 40},
                 f.done(1));
  f.shared.start(f.shared.open_class({.route = {{fast.value}}}), Bytes{1'000'000'000}, f.done(2));

  CHECK(f.engine.run() == RunEnd::drained);

  CHECK(f.watch.ends[2] == second);
  CHECK(f.watch.ends[1] == -1);
  CHECK(f.shared.flows() == 1);
}

}  // namespace
}  // namespace tantalus

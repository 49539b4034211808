#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "sim/engine/event_heap.hpp"
#include "tests/sim/engine/random_numbers.hpp"

namespace tantalus {
namespace {

using testing::RandomNumbers;

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

void do_nothing(void*, std::uint32_t) {}
const Action nothing{&do_nothing, nullptr};

// Delays that hit every path of the queue: the open slot, near slots, the edge of the wheel's turn, far beyond it.
std::int64_t some_delay(RandomNumbers& random) {
  const std::int64_t turn = static_cast<std::int64_t>(EventWheel::slot_count)
                            << EventWheel::slot_shift;
  switch (random.between(0, 6)) {
    case 0:
      return 0;
    case 1:
      return random.between(0, 3);
    case 2:
      return random.between(0, 5) * 1000;
    case 3:
      return random.between(0, turn / 8);
    case 4:
      return turn + random.between(-3000, 3000);
    case 5:
      return random.between(0, 20 * turn);
    default:
      return 1000;
  }
}

Phase some_phase(RandomNumbers& random) { return static_cast<Phase>(random.between(0, 3)); }

// The queue beside the heap alone and a map; every pop must agree, and every cancel must say the truth.
void compare_with_oracles(std::uint64_t seed, int steps, std::int64_t cancel_one_in) {
  RandomNumbers random(seed);
  EventQueue queue;
  EventHeap heap;
  std::map<UInt128, EventId> waiting;
  std::vector<EventId> known;
  std::int64_t now = 0;

  for (int step = 0; step < steps; ++step) {
    const std::int64_t pushes = random.between(0, waiting.size() < 400 ? 3 : 1);
    for (std::int64_t i = 0; i < pushes; ++i) {
      const EventId id = queue.push(now + some_delay(random), some_phase(random), nothing);
      const Event event{id.time, id.key, &do_nothing, nullptr};
      heap.push(event);
      waiting.emplace(order_of(event), id);
      known.push_back(id);
    }
    if (!known.empty() && random.one_in(cancel_one_in)) {
      const auto pick = static_cast<std::size_t>(random.between(
          std::max<std::int64_t>(0, std::ssize(known) - 600), std::ssize(known) - 1));
      const EventId id = known[pick];
      const Event event{id.time, id.key, &do_nothing, nullptr};
      const bool was_waiting = waiting.erase(order_of(event)) == 1;
      REQUIRE(queue.cancel(id) == was_waiting);
      if (was_waiting) heap.retain([&](const Event& other) { return other.key != id.key; });
    }
    REQUIRE(queue.size() == waiting.size());
    if (step % 3 == 0) {  // looking at the next event moves nothing, not even over cancelled ones
      REQUIRE(queue.next_time() == (waiting.empty() ? forever : waiting.begin()->second.time));
    }

    Event event{};
    const bool popped = queue.pop(forever, event);
    REQUIRE(popped == !waiting.empty());
    if (!popped) continue;
    REQUIRE(event.id() == waiting.begin()->second);
    REQUIRE(event.id() == heap.top().id());
    REQUIRE(event.time >= now);
    waiting.erase(waiting.begin());
    heap.pop();
    now = event.time;
  }
}

TEST_CASE("the time of the next event is that of the first which nobody cancelled") {
  EventQueue queue;
  CHECK(queue.next_time() == forever);
  const EventId first = queue.push(10, Phase::act, nothing);
  queue.push(20, Phase::act, nothing);
  CHECK(queue.next_time() == 10);
  queue.cancel(first);
  CHECK(queue.next_time() == 20);
  CHECK_FALSE(queue.cancel(first));
  Event event{};
  REQUIRE(queue.pop(forever, event));
  CHECK(event.time == 20);
  CHECK(queue.next_time() == forever);
}

TEST_CASE("the two-tier queue gives events in the order of the heap alone") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) compare_with_oracles(seed, 4000, 1'000'000);
}

TEST_CASE("cancelling any event at any time leaves the order of the others") {
  for (std::uint64_t seed = 100; seed <= 120; ++seed) compare_with_oracles(seed, 4000, 2);
}

TEST_CASE("events of one instant leave by phase, then in the order of scheduling") {
  EventQueue queue;
  const EventId settle = queue.push(5, Phase::settle, nothing);
  const EventId second_act = queue.push(5, Phase::act, nothing);
  const EventId third_act = queue.push(5, Phase::act, nothing);
  const EventId deliver = queue.push(5, Phase::deliver, nothing);
  const EventId observe_before = queue.push(4, Phase::observe, nothing);

  std::vector<EventId> order;
  for (Event event{}; queue.pop(forever, event);) order.push_back(event.id());

  CHECK(order == std::vector<EventId>{observe_before, deliver, second_act, third_act, settle});
}

TEST_CASE("far events that share an instant with near ones keep their places") {
  EventQueue queue;
  const std::int64_t far = std::int64_t{1} << 40;
  const EventId scheduled_early = queue.push(far, Phase::act, nothing);
  const EventId stepping_stone = queue.push(far - 5000, Phase::act, nothing);
  Event event{};
  REQUIRE(queue.pop(forever, event));
  REQUIRE(event.id() == stepping_stone);
  const EventId scheduled_late =
      queue.push(far, Phase::act, nothing);  // near now: goes to the wheel

  REQUIRE(queue.pop(forever, event));
  CHECK(event.id() == scheduled_early);
  REQUIRE(queue.pop(forever, event));
  CHECK(event.id() == scheduled_late);
}

TEST_CASE("a pop with a limit takes nothing that lies after it") {
  EventQueue queue;
  queue.push(10, Phase::act, nothing);
  Event event{};

  CHECK_FALSE(queue.pop(9, event));
  CHECK(queue.size() == 1);
  CHECK(queue.pop(10, event));
}

TEST_CASE("cancelling a swept event again says false") {
  EventQueue queue;
  std::vector<EventId> ids;
  for (int i = 0; i < 1000; ++i)
    ids.push_back(queue.push(1000 + i * 1'000'000, Phase::act, nothing));

  for (const EventId id : ids) CHECK(queue.cancel(id));

  for (const EventId id : ids) CHECK_FALSE(queue.cancel(id));
  CHECK(queue.empty());
  Event event{};
  CHECK_FALSE(queue.pop(forever, event));
}

TEST_CASE("no event and a default id cannot be cancelled") {
  EventQueue queue;
  CHECK_FALSE(queue.cancel(EventId{}));
}

}  // namespace
}  // namespace tantalus

#include "sim/hardware/storage/timeline.hpp"

#include <doctest/doctest.h>

#include "sim/base/check.hpp"

namespace tantalus {
namespace {

TimePoint at(std::int64_t time) { return TimePoint{Duration{time}}; }

TEST_CASE("work that finds the server busy waits, and a gap that is long enough is taken") {
  Timeline line;
  CHECK(line.book(at(0), at(100), Duration{10}) == at(100));
  CHECK(line.book(at(0), at(105), Duration{10}) == at(110));
  CHECK(line.book(at(0), at(50), Duration{40}) == at(50));
  CHECK(line.book(at(0), at(85), Duration{11}) == at(120));
  CHECK(line.book(at(0), at(85), Duration{10}) == at(90));
  CHECK(line.busy() == Duration{81});
}

TEST_CASE("entries that touch become one, and those that are over are forgotten") {
  Timeline line;
  for (int i = 0; i < 100; ++i) line.book(at(0), at(0), Duration{5});
  CHECK(line.entries() == 1);
  line.book(at(0), at(600), Duration{5});
  CHECK(line.entries() == 2);
  CHECK(line.book(at(500), at(500), Duration{1}) == at(500));
  CHECK(line.entries() == 2);
}

TEST_CASE("work without length fits everywhere") {
  Timeline line;
  line.book(at(0), at(0), Duration{10});
  CHECK(line.book(at(0), at(5), Duration{0}) == at(5));
}

TEST_CASE("nothing is booked in the past") {
  Timeline line;
  CHECK_THROWS_AS(line.book(at(10), at(9), Duration{1}), InvariantError);
}

}  // namespace
}  // namespace tantalus

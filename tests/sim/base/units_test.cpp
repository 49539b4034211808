#include "sim/base/units.hpp"

#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

#include "tests/quantity_text.hpp"

namespace tantalus {
namespace {

static_assert(Cycles{3'000'000'000} / Frequency{3'000'000'000} == Duration{1'000'000'000'000});
static_assert(sizeof(Bytes) == sizeof(std::int64_t));

TEST_CASE("quantities of one kind add, subtract, scale and compare") {
  CHECK(Bytes{3} + Bytes{4} == Bytes{7});
  CHECK(Bytes{3} - Bytes{4} == Bytes{-1});
  CHECK(Bytes{3} * 4 == 4 * Bytes{3});
  CHECK(Bytes{3} < Bytes{4});
}

TEST_CASE("overflow is a broken invariant, never a wrapped number") {
  const Bytes most{std::numeric_limits<std::int64_t>::max()};
  const Bytes least{std::numeric_limits<std::int64_t>::min()};

  CHECK_THROWS_AS(most + Bytes{1}, InvariantError);
  CHECK_THROWS_AS(least - Bytes{1}, InvariantError);
  CHECK_THROWS_AS(most * 2, InvariantError);
}

TEST_CASE("a transfer takes its size over the rate, rounded up once") {
  // 1 byte at 3 B/s is 333,333,333,333.3 ps.
  CHECK(Bytes{1} / Bandwidth{3} == Duration{333'333'333'334});
  // 80 GB at 3.35 TB/s is 23.880597014925... ms.
  CHECK(Bytes{80'000'000'000} / Bandwidth{3'350'000'000'000} == Duration{23'880'597'015});
  CHECK(Bytes{0} / Bandwidth{3} == Duration{0});
}

TEST_CASE("n cycles are exact, though one cycle of 3 GHz is not a whole number of picoseconds") {
  const Frequency clock{3'000'000'000};

  CHECK(Cycles{1} / clock == Duration{334});
  CHECK(Cycles{3'000} / clock == Duration{1'000'000});
}

TEST_CASE("a rate of zero is a broken invariant, not an infinite time") {
  CHECK_THROWS_AS((Bytes{1} / Bandwidth{0}), InvariantError);
}

TEST_CASE("a time past 106 days is a broken invariant") {
  CHECK_THROWS_AS((Bytes{INT64_MAX} / Bandwidth{1}), InvariantError);
}

TEST_CASE("widths times clocks are rates") {
  CHECK(BytesPerCycle{5'120} * Frequency{1'830'000'000} == Bandwidth{9'369'600'000'000});
  CHECK(FlopsPerCycle{256} * Frequency{1'000'000'000} == FlopRate{256'000'000'000});
  // A 384 bit bus at 14 GT/s moves 48 bytes at each transfer: 672 GB/s.
  CHECK(BitWidth{384} * TransferRate{14'000'000'000} == Bandwidth{672'000'000'000});
}

TEST_CASE(
    "an instant plus a duration is an instant, and two instants have a duration between them") {
  const TimePoint start{Duration{5}};

  CHECK(start + Duration{7} == TimePoint{Duration{12}});
  CHECK((start + Duration{7}) - start == Duration{7});
  CHECK(start - Duration{5} == TimePoint{});
}

TEST_CASE("a cost in seconds is rounded up to the next picosecond") {
  CHECK(duration_from_seconds(0.0) == Duration{0});
  CHECK(duration_from_seconds(1.5e-12) == Duration{2});
  CHECK(seconds(Duration{1'500'000'000'000}) == doctest::Approx(1.5));
}

TEST_CASE("a cost that is negative, infinite or not a number is a broken invariant") {
  CHECK_THROWS_AS(duration_from_seconds(-1.0), InvariantError);
  CHECK_THROWS_AS(duration_from_seconds(1e300), InvariantError);
  CHECK_THROWS_AS(duration_from_seconds(std::numeric_limits<double>::quiet_NaN()), InvariantError);
}

TEST_CASE("a fraction lies between 0 and 1") {
  CHECK(Fraction{0.5}.value() == 0.5);
  CHECK_THROWS_AS(Fraction{1.01}, InvariantError);
  CHECK_THROWS_AS(Fraction{-0.01}, InvariantError);
}

}  // namespace
}  // namespace tantalus

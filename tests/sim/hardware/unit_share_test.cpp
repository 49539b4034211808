#include "sim/hardware/unit_share.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

double share(const std::vector<UnitDemand>& demands) { return fair_unit_share(demands); }

TEST_CASE("equal blocks share a unit equally") { CHECK(share({{4, 1.0}}) == 0.25); }

TEST_CASE("a block alone gets the whole unit, and uses its largest share of it") {
  CHECK(share({{1, 0.5}}) == 1.0);
}

TEST_CASE("what capped blocks leave goes to the others") {
  // Two blocks at most at 1/8 leave 3/4 for three others: 1/4 each.
  CHECK(share({{2, 0.125}, {3, 1.0}}) == 0.25);
}

TEST_CASE("caps are found one after the other as the fair share rises") {
  // 1/4 for four blocks caps the first at 1/8; the other three then share 7/8: more than the second can use (9/32), so
  // the last two share 1 - 1/8 - 9/32 = 19/32.
  CHECK(share({{1, 0.125}, {1, 0.28125}, {2, 1.0}}) == 19.0 / 64.0);
}

TEST_CASE("no block, no share") { CHECK(share({}) == 0.0); }

}  // namespace
}  // namespace tantalus

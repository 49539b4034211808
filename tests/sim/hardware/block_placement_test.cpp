#include "sim/hardware/block_placement.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

std::vector<Assignment> place(const std::vector<UnitLoad>& loads, const PlacementRequest& request) {
  BlockPlacement placement;
  return placement.place(loads, request);
}

constexpr std::int64_t half = whole_unit / 2, quarter = whole_unit / 4;

TEST_CASE("blocks that fill every unit are placed in one assignment") {
  const auto placed = place({{10, 0, false}}, {30, room_of_block(3), 10});

  CHECK(placed == std::vector<Assignment>{{0, 10, 3}});
}

TEST_CASE("blocks go breadth first: no unit gets a second before each has one") {
  const auto placed = place({{10, 0, false}}, {13, quarter, 10});

  CHECK(placed == std::vector<Assignment>{{0, 3, 2}, {0, 7, 1}});
}

TEST_CASE("the least loaded units come first") {
  const auto placed = place({{4, half, false}, {4, 0, false}}, {4, quarter, 8});

  CHECK(placed == std::vector<Assignment>{{1, 4, 1}});
}

TEST_CASE("less loaded units catch up before the others get a block") {
  // Units of class 1 are empty, those of class 0 half full: 4 + 4 blocks bring class 1 to half, the next 4 go by turns.
  const auto placed = place({{4, half, false}, {4, 0, false}}, {12, quarter, 8});

  CHECK(placed == std::vector<Assignment>{{0, 4, 1}, {1, 4, 2}});
}

TEST_CASE("blocks without room are left over") {
  const auto placed = place({{2, half, false}}, {100, quarter, 2});

  CHECK(placed == std::vector<Assignment>{{0, 2, 2}});
}

TEST_CASE("a kernel with a unit limit stays on the units it runs on") {
  const auto placed = place({{2, half, true}, {6, 0, false}}, {10, quarter, 1});

  // One fresh unit is allowed: it takes four blocks; the two that run the kernel already take two each.
  CHECK(placed == std::vector<Assignment>{{0, 2, 2}, {1, 1, 4}});
}

TEST_CASE("full units get nothing") { CHECK(place({{8, whole_unit, true}}, {3, 1, 8}).empty()); }

TEST_CASE("the answer does not depend on earlier calls") {
  BlockPlacement placement;
  const std::vector<UnitLoad> empty{{10, 0, false}};
  const PlacementRequest request{13, quarter, 10};
  const std::vector<Assignment> first = placement.place(empty, request);

  placement.place(empty, {40, quarter, 10});

  CHECK(placement.place(empty, request) == first);
}

}  // namespace
}  // namespace tantalus

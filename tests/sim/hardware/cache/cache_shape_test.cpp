#include "sim/hardware/cache/cache_shape.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

HierarchyShape two_levels() {
  HierarchyShape shape;
  shape.levels.resize(2);
  shape.levels[0].capacity = Bytes{32768};
  shape.levels[1].capacity = Bytes{1 << 20};
  return shape;
}

/// The only mistake of a shape.
Diagnostic mistake_of(const HierarchyShape& shape) {
  const Diagnostics found = mistakes_of(shape);
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == "bad-cache");
  return found[0];
}

TEST_CASE("a usual shape has no mistake") { CHECK(mistakes_of(two_levels()).empty()); }

TEST_CASE("levels without a name are called by their place") {
  HierarchyShape shape = two_levels();
  shape.levels[0].name = "L1d";
  CHECK(level_name(shape, 0) == "L1d");
  CHECK(level_name(shape, 1) == "L2");
  shape.instruction = shape.levels[0];
  shape.instruction->name.clear();
  CHECK(level_name(shape, 2) == "L1i");
}

TEST_CASE("each impossible field is named by its path") {
  HierarchyShape shape = two_levels();
  shape.levels[1].capacity = Bytes{1000};
  CHECK(mistake_of(shape).path == "levels.1.capacity");
  shape = two_levels();
  shape.levels[1].ways = 65;
  CHECK(mistake_of(shape).path == "levels.1.ways");
  shape = two_levels();
  shape.levels[0].line = Bytes{48};
  CHECK(mistakes_of(shape).front().path == "levels.0.line");
  shape = two_levels();
  shape.levels[0].inclusion = Inclusion::exclusive;
  CHECK(mistake_of(shape).path == "levels.0.inclusion");
  shape = two_levels();
  shape.levels[1].shared_by = 3;
  CHECK(mistake_of(shape).path == "levels.1.shared_by");
  shape = two_levels();
  shape.levels[0].sector = Bytes{4};
  CHECK(mistake_of(shape).path == "levels.0.sector");
  shape = two_levels();
  shape.cores = 0;
  CHECK(mistake_of(shape).path == "cores");
  CHECK(mistake_of(HierarchyShape{}).path == "levels");
}

TEST_CASE("caches that no memory holds are refused before anything is allocated") {
  HierarchyShape shape = two_levels();
  shape.levels[1].capacity = Bytes{std::int64_t{1} << 50};
  CHECK(mistake_of(shape).path == "levels.1.capacity");
  shape = two_levels();
  shape.cores = 4096;
  shape.levels[1].capacity = Bytes{std::int64_t{1} << 30};
  CHECK(mistake_of(shape).path == "levels");
}

TEST_CASE("an exclusive level is filled by what leaves the level before it and by nothing else") {
  HierarchyShape shape = two_levels();
  shape.levels[1].inclusion = Inclusion::exclusive;
  CHECK(mistakes_of(shape).empty());
  shape.levels[1].prefetch = Prefetch::next_line;
  CHECK(mistake_of(shape).path == "levels.1.inclusion");
  shape = two_levels();
  shape.levels[1].inclusion = Inclusion::exclusive;
  shape.levels[0].sector = Bytes{32};
  CHECK(mistake_of(shape).path == "levels.1.inclusion");
}

}  // namespace
}  // namespace tantalus

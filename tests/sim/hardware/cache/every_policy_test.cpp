// The simulator against a slow and obvious one, over shapes drawn at random, and laws that hold for every policy.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "sim/hardware/cache/cache_hierarchy.hpp"
#include "tests/sim/hardware/cache/reference_caches.hpp"

namespace tantalus::test {
namespace {

class Draw {  // a fixed sequence for each seed
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33U) % n;
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

CacheShape any_level(Draw& draw, std::int64_t lines_at_most, bool plain) {
  static constexpr std::int64_t ways[] = {1, 2, 4, 8, 16, 3, 5, 12, 20, 24, 40, 64};
  CacheShape shape;
  if (!plain) shape.replacement = static_cast<Replacement>(draw.below(3));
  const bool powers_only = shape.replacement == Replacement::plru;
  shape.ways = ways[draw.below(powers_only ? 5 : 12)];
  std::int64_t sets = std::max<std::int64_t>(1, lines_at_most / shape.ways);
  if (draw.one_in(2)) {
    sets = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(sets)));
  }
  shape.capacity = shape.line * (shape.ways * sets);
  if (plain) return shape;
  shape.write_back = !draw.one_in(4);
  shape.write_allocate = !draw.one_in(4);
  shape.inclusion = static_cast<Inclusion>(draw.below(2));
  return shape;
}

HierarchyShape any_shape(Draw& draw, bool plain) {
  HierarchyShape shape;
  shape.cores = draw.one_in(3) ? 4 : 1;
  shape.stores_stay_clean = draw.one_in(8);
  const std::uint64_t levels = 1 + draw.below(3);
  std::int64_t lines = 12, sharing = 1;
  for (std::uint64_t i = 0; i < levels; ++i, lines *= 5) {
    shape.levels.push_back(any_level(draw, lines, plain));
    if (shape.cores == 4 && sharing < 4 && draw.one_in(2)) sharing *= 2;
    shape.levels.back().shared_by = sharing;
  }
  if (draw.one_in(3)) {
    shape.instruction = any_level(draw, 12, plain);
    shape.instruction->inclusion = Inclusion::neither;
  }
  if (plain) return shape;
  if (draw.one_in(2)) {
    for (CacheShape& level : shape.levels) {
      if (!draw.one_in(3)) level.sector = Bytes{16};
    }
  } else if (levels > 1 && draw.one_in(2)) {
    CacheShape& last = shape.levels[1 + draw.below(levels - 1)];
    last.inclusion = Inclusion::exclusive;
    last.write_back = last.write_allocate = true;
  }
  return shape;
}

/// Half of them near the last one, some long, some across lines, a few far away.
Accesses any_accesses(Draw& draw, std::int64_t cores, std::size_t n) {
  Accesses all;
  std::uint64_t at = 4096;
  for (std::size_t i = 0; i < n; ++i) {
    at = draw.one_in(2) ? at + draw.below(256) : 4096 + draw.below(40'000);
    if (draw.one_in(100)) at += std::uint64_t{1} << (30 + draw.below(4));
    Access access{at, 1U << draw.below(5), static_cast<AccessKind>(draw.below(4)),
                  static_cast<std::uint16_t>(draw.below(static_cast<std::uint64_t>(cores)))};
    if (draw.one_in(50)) access.bytes = static_cast<std::uint32_t>(1 + draw.below(300));
    all.push_back(access);
  }
  return all;
}

std::string words_of(const HierarchyShape& shape) {
  std::string text;
  const auto add = [&](const CacheShape& c) {
    text += std::to_string(c.capacity.count()) + " B " + std::to_string(c.ways) + " ways " +
            std::string(name_of(c.replacement)) + " " + std::string(name_of(c.inclusion)) +
            " sector " + std::to_string(c.sector.count()) + (c.write_back ? " back" : " through") +
            (c.write_allocate ? "" : " around") + " shared by " + std::to_string(c.shared_by) +
            "; ";
  };
  for (const CacheShape& c : shape.levels) add(c);
  if (shape.instruction) add(*shape.instruction);
  return text;
}

void compare(const HierarchyShape& shape, const Accesses& accesses, SetSearch search) {
  CAPTURE(words_of(shape));
  CacheHierarchy caches = CacheHierarchy::make(shape, search).value();
  ReferenceCaches expected(shape);
  REQUIRE(caches.run(accesses).empty());
  for (const Access& access : accesses) expected.refer(access);
  for (std::size_t i = 0; i < expected.counts.size(); ++i) {
    CAPTURE(i);
    const LevelCounts got = caches.counts()[i], want = expected.counts[i];
    CHECK(got.accesses.by_kind == want.accesses.by_kind);
    CHECK(got.misses.by_kind == want.misses.by_kind);
    CHECK(got.sector_misses == want.sector_misses);
    CHECK(got.evictions == want.evictions);
    CHECK(got.writebacks == want.writebacks);
    CHECK(got.invalidations == want.invalidations);
  }
  CHECK(caches.memory() == expected.memory);
}

TEST_CASE("every shape and policy counts what the slow and obvious simulator counts") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    const HierarchyShape shape = any_shape(draw, false);
    if (!mistakes_of(shape).empty()) FAIL_CHECK(words_of(shape), mistakes_of(shape)[0].message);
    compare(shape, any_accesses(draw, shape.cores, 1500), fastest_search());
  }
}

TEST_CASE("the short walk counts the same with every way to search a set") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    Draw draw(seed + 1000);
    const HierarchyShape shape = any_shape(draw, true);
    const Accesses accesses = any_accesses(draw, shape.cores, 1500);
    for (const SetSearch search : {SetSearch::portable, SetSearch::avx2, SetSearch::avx512}) {
      if (is_available(search)) compare(shape, accesses, search);
    }
  }
}

TEST_CASE("lines are conserved and dirty ones are written once, whatever the policy") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Draw draw(seed + 5000);
    HierarchyShape shape = any_shape(draw, false);
    for (CacheShape& level : shape.levels) {
      level.sector = Bytes{0};
      level.write_back = level.write_allocate = true;
      if (draw.one_in(4)) level.replacement = Replacement::random;
    }
    CAPTURE(seed);
    CAPTURE(words_of(shape));
    CacheHierarchy caches = CacheHierarchy::make(shape).value();
    REQUIRE(caches.run(any_accesses(draw, shape.cores, 1500)).empty());

    // Memory sees the misses of the last level and its dirty evictions, no byte more; a reference that crosses a line may
    // be one miss of two lines.
    const LevelCounts last = caches.counts()[shape.levels.size() - 1];
    CHECK(caches.memory().written == Bytes{64 * last.writebacks});
    CHECK(last.writebacks <= last.evictions);
    CHECK(caches.memory().read.count() >= 64 * last.misses.demand());
    for (std::size_t i = 0; i < shape.levels.size(); ++i)
      CHECK(caches.lines_in(i) * 64 <=
            shape.levels[i].capacity.count() * shape.cores / shape.levels[i].shared_by);
  }
}

}  // namespace
}  // namespace tantalus::test

#include "sim/hardware/cache/cache_hierarchy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "sim/hardware/cache/access_patterns.hpp"

namespace tantalus {
namespace {

CacheShape cache(const char* name, std::int64_t bytes, std::int64_t ways) {
  CacheShape shape;
  shape.name = name;
  shape.capacity = Bytes{bytes};
  shape.ways = ways;
  return shape;
}

HierarchyShape three_levels() {
  HierarchyShape shape;
  shape.levels = {cache("L1", 4096, 8), cache("L2", 32768, 16), cache("L3", 131072, 16)};
  return shape;
}

/// Loads and stores over 256 KiB: half of them near the last one.
Accesses mixed_accesses(std::size_t n, std::uint64_t seed) {
  Accesses all;
  std::uint64_t state = seed * 2 + 1, at = 4096;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t draw = state >> 33U;
    at = (draw & 1U) != 0 ? at + (draw >> 8U) % 256 : 4096 + (draw >> 8U) % 262144;
    const auto bytes = static_cast<std::uint32_t>(1U << ((draw >> 1U) & 3U));
    all.push_back({at, bytes, (draw & 8U) != 0 ? AccessKind::store : AccessKind::load});
  }
  return all;
}

CacheHierarchy run(const HierarchyShape& shape, const Accesses& accesses,
                   SetSearch search = fastest_search()) {
  CacheHierarchy caches = CacheHierarchy::make(shape, search).value();
  CHECK(caches.run(accesses).empty());
  return caches;
}

/// The textbook: lists in order of recency, one level, lines only.
std::int64_t misses_by_list(const CacheShape& shape, const Accesses& accesses) {
  std::map<std::uint64_t, std::list<std::uint64_t>> sets;
  std::int64_t misses = 0;
  const auto touch = [&](std::uint64_t line) {
    auto& set = sets[line % static_cast<std::uint64_t>(shape.sets())];
    const std::size_t before = set.size();
    set.remove(line);
    const bool hit = set.size() != before;
    set.push_front(line);
    if (set.size() > static_cast<std::size_t>(shape.ways)) set.pop_back();
    return hit;
  };
  for (const Access& a : accesses) {
    const std::uint64_t first = a.address / 64, last = (a.address + a.bytes - 1) / 64;
    bool hit = touch(first);
    if (last != first) hit = touch(last) && hit;
    misses += hit ? 0 : 1;
  }
  return misses;
}

TEST_CASE("misses of one LRU level are those of the textbook's lists") {
  for (const std::int64_t ways : {1, 2, 3, 8, 12, 16, 24, 64}) {
    HierarchyShape shape;
    shape.levels = {cache("L1", 64 * 16 * ways, ways)};
    const Accesses accesses = mixed_accesses(20'000, 7);
    CAPTURE(ways);
    CHECK(run(shape, accesses).counts()[0].misses.demand() ==
          misses_by_list(shape.levels[0], accesses));
  }
}

TEST_CASE("sets that are no power of two are indexed by the remainder") {
  HierarchyShape shape;
  shape.levels = {cache("L1", 64 * 12 * 8, 8)};
  const Accesses accesses = mixed_accesses(20'000, 11);
  CHECK(run(shape, accesses).counts()[0].misses.demand() ==
        misses_by_list(shape.levels[0], accesses));
}

/// Three levels of 64-byte lines: 32 KiB and 8 ways, 1 MiB and 16, 32 MiB and 16.
HierarchyShape server_levels() {
  HierarchyShape shape;
  shape.levels = {cache("L1", 32 << 10, 8), cache("L2", 1 << 20, 16), cache("L3", 32 << 20, 16)};
  return shape;
}

TEST_CASE("products of 128 x 128 miss as often as Dinero IV counted on the same streams") {
  // Dinero IV (version 7), demand misses: L1 2,130,960 naive and 10,632 in tiles of 32; both levels behind it 3,072.
  const auto misses_of = [](auto pattern) {
    CacheHierarchy caches = CacheHierarchy::make(server_levels()).value();
    pattern([&](auto chunk) { return caches.run(chunk).empty(); });
    const auto counts = caches.counts();
    return std::array{counts[0].misses.demand(), counts[1].misses.demand(),
                      counts[2].misses.demand()};
  };
  CHECK(misses_of([](const AccessSink& s) { naive_matmul_pattern(128, s); }) ==
        std::array<std::int64_t, 3>{2'130'960, 3072, 3072});
  CHECK(misses_of([](const AccessSink& s) { tiled_matmul_pattern(128, 32, s); }) ==
        std::array<std::int64_t, 3>{10'632, 3072, 3072});
}

// The stack distance: how many different lines of its set were touched since the last touch of the line.
TEST_CASE("an LRU level misses where the stack distance in the set is at least its ways") {
  const Accesses accesses = mixed_accesses(5'000, 29);
  const std::uint64_t sets = 16;
  std::map<std::int64_t, std::int64_t> references;  // by stack distance; -1: the first touch
  std::map<std::uint64_t, std::vector<std::uint64_t>> stacks;
  Accesses small;
  for (Access a : accesses) {
    a.bytes = 1;
    small.push_back(a);
    const std::uint64_t line = a.address / 64;
    std::vector<std::uint64_t>& stack = stacks[line % sets];
    const auto at = std::find(stack.rbegin(), stack.rend(), line);
    ++references[at == stack.rend() ? -1 : at - stack.rbegin()];
    if (at != stack.rend()) stack.erase(at.base() - 1);
    stack.push_back(line);
  }
  for (const std::int64_t ways : {1, 2, 4, 7, 8, 16, 30, 64}) {
    std::int64_t expected = 0;
    for (const auto& [distance, n] : references)
      expected += distance < 0 || distance >= ways ? n : 0;
    HierarchyShape shape;
    shape.levels = {cache("L1", 64 * 16 * ways, ways)};
    CAPTURE(ways);
    CHECK(run(shape, small).counts()[0].misses.demand() == expected);
  }
}

TEST_CASE("a larger LRU cache of as many sets never misses more") {
  const Accesses accesses = mixed_accesses(30'000, 13);
  std::int64_t before = INT64_MAX;
  for (const std::int64_t ways : {1, 2, 4, 8, 16, 32}) {
    HierarchyShape shape;
    shape.levels = {cache("L1", 64 * 32 * ways, ways)};
    const std::int64_t misses = run(shape, accesses).counts()[0].misses.demand();
    CHECK(misses <= before);
    before = misses;
  }
}

TEST_CASE("lines are conserved: what was fetched is here or has left") {
  for (const Replacement policy : {Replacement::lru, Replacement::fifo, Replacement::plru,
                                   Replacement::random, Replacement::aged}) {
    HierarchyShape shape = three_levels();
    for (CacheShape& level : shape.levels) level.replacement = policy;
    Accesses loads = mixed_accesses(30'000, 17);
    for (Access& a : loads) a = {a.address, 1, AccessKind::load};
    const auto caches = run(shape, loads);
    CAPTURE(name_of(policy));
    for (std::size_t i = 0; i < 3; ++i) {
      const LevelCounts counts = caches.counts()[i];
      CHECK(counts.misses.demand() == counts.evictions + caches.lines_in(i));
      CHECK(counts.writebacks == 0);
    }
    CHECK(caches.memory().read.count() == 64 * caches.counts()[2].misses.demand());
  }
}

TEST_CASE("aged replacement takes either of the oldest quarter of a set and no other") {
  constexpr std::uint64_t sets = 32;
  HierarchyShape shape;
  shape.levels = {cache("L1", 64 * 8 * sets, 8)};
  shape.levels[0].replacement = Replacement::aged;
  const auto address = [](std::uint64_t set, std::uint64_t line) {
    return 64 * (set + sets * line);
  };
  // Lines 0 to 7 fill each set, 0 and 1 are used again: 2 and 3 are the oldest quarter when line 8 comes.
  Accesses loads;
  for (std::uint64_t set = 0; set < sets; ++set) {
    for (const std::uint64_t line : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 0U, 1U, 8U})
      loads.push_back({address(set, line), 4});
  }

  auto caches = run(shape, loads);

  std::array<int, 9> left{};
  for (std::uint64_t set = 0; set < sets; ++set) {
    for (std::uint64_t line = 0; line < 9; ++line)
      left[line] += caches.holds(0, 0, address(set, line)) ? 0 : 1;
  }
  CHECK(left[2] + left[3] == static_cast<int>(sets));
  CHECK(left[2] > 0);
  CHECK(left[3] > 0);
}

TEST_CASE("write-back and write-through write what the program stored") {
  const Accesses one_store{{4096, 4, AccessKind::store}};
  HierarchyShape shape;
  shape.levels = {cache("L1", 128, 1)};
  CHECK(run(shape, one_store).memory().written == Bytes{0});
  Accesses push_out = one_store;
  push_out.push_back({4096 + 128, 4, AccessKind::load});
  CHECK(run(shape, push_out).memory().written == Bytes{64});
  CHECK(run(shape, push_out).counts()[0].writebacks == 1);
  shape.levels[0].write_back = false;
  CHECK(run(shape, push_out).memory().written == Bytes{4});
  shape.levels[0].write_allocate = false;
  const auto around = run(shape, one_store);
  CHECK(around.memory().written == Bytes{4});
  CHECK(around.memory().read == Bytes{0});
  CHECK(around.lines_in(0) == 0);
}

TEST_CASE("an inclusive level holds all that the levels above it hold") {
  HierarchyShape shape = three_levels();
  shape.levels[2] = cache("L3", 32768, 4);
  shape.levels[2].inclusion = Inclusion::inclusive;
  auto caches = run(shape, mixed_accesses(30'000, 19));
  for (std::uint64_t at = 0; at < 300'000; at += 64) {
    if (caches.holds(0, 0, at) || caches.holds(1, 0, at)) CHECK(caches.holds(2, 0, at));
  }
  CHECK(caches.counts()[0].invalidations > 0);
}

TEST_CASE("an exclusive level adds its lines to those of the level above") {
  HierarchyShape shape;
  shape.levels = {cache("L1", 4096, 64), cache("L2", 4096, 64)};
  shape.levels[1].inclusion = Inclusion::exclusive;
  CacheHierarchy caches = CacheHierarchy::make(shape).value();
  stream_pattern(Bytes{8192}, 1, [&](auto chunk) { return caches.run(chunk).empty(); });
  CHECK(caches.lines_in(0) + caches.lines_in(1) == 128);
  for (std::uint64_t at = 4096; at < 4096 + 8192; at += 64)
    CHECK(caches.holds(0, 0, at) != caches.holds(1, 0, at));
}

TEST_CASE("a sectored line fetches only what is asked for") {
  HierarchyShape shape;
  shape.levels = {cache("L1", 4096, 4)};
  shape.levels[0].line = Bytes{128};
  shape.levels[0].sector = Bytes{32};
  const auto caches = run(shape, {{4096, 4, AccessKind::load},
                                  {4096 + 64, 4, AccessKind::load},
                                  {4096 + 68, 4, AccessKind::load}});
  CHECK(caches.memory().read == Bytes{64});
  CHECK(caches.counts()[0].misses.loads() == 2);
  CHECK(caches.counts()[0].sector_misses == 1);
}

TEST_CASE("a next-line prefetcher halves the misses of a stream and is used") {
  HierarchyShape shape;
  shape.levels = {cache("L1", 32768, 8)};
  shape.levels[0].prefetch = Prefetch::next_line;
  CacheHierarchy caches = CacheHierarchy::make(shape).value();
  stream_pattern(Bytes{1 << 20}, 1, [&](auto chunk) { return caches.run(chunk).empty(); });
  const LevelCounts counts = caches.counts()[0];
  CHECK(counts.misses.demand() < (1 << 20) / 64 / 32);
  CHECK(counts.useful_prefetches == counts.prefetches);
}

TEST_CASE("a line that tree-PLRU chooses is never the last one used") {
  HierarchyShape shape;
  shape.levels = {cache("L1", 64 * 8, 8)};
  shape.levels[0].replacement = Replacement::plru;
  CacheHierarchy caches = CacheHierarchy::make(shape).value();
  const Accesses accesses = mixed_accesses(2'000, 23);
  for (std::size_t i = 1; i < accesses.size(); ++i) {
    const Access a{accesses[i - 1].address, 1, AccessKind::load};
    const Access b{accesses[i].address, 1, AccessKind::load};
    CHECK(caches.run({&a, 1}).empty());
    CHECK(caches.run({&b, 1}).empty());
    CHECK(caches.holds(0, 0, a.address));
  }
}

TEST_CASE("cores have their private level to themselves and share the last") {
  HierarchyShape shape = three_levels();
  shape.cores = 2;
  shape.levels[2].shared_by = 2;
  CacheHierarchy caches = CacheHierarchy::make(shape).value();
  CHECK(
      caches.run(Accesses{{4096, 4, AccessKind::load, 0}, {4096, 4, AccessKind::load, 1}}).empty());
  CHECK(caches.counts()[0].misses.demand() == 2);
  CHECK(caches.counts()[2].misses.demand() == 1);
}

TEST_CASE("impossible shapes are refused, all at once") {
  HierarchyShape shape = three_levels();
  shape.levels[0].capacity = Bytes{5000};
  shape.levels[1].ways = 12;
  shape.levels[1].replacement = Replacement::plru;
  shape.levels[2].line = Bytes{128};
  const auto refused = CacheHierarchy::make(shape);
  REQUIRE(!refused.ok());
  CHECK(refused.diagnostics().size() == 4);
}

TEST_CASE("a program that touches too much memory is told so") {
  Accesses far;
  for (std::uint64_t i = 0; i < 70; ++i) far.push_back({i << 31U, 4, AccessKind::load});
  CacheHierarchy caches = CacheHierarchy::make(three_levels()).value();
  const Diagnostics problems = caches.run(far);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].code == "too-much-memory");
}

TEST_CASE("a core that the caches do not have is refused") {
  CacheHierarchy caches = CacheHierarchy::make(three_levels()).value();
  const Diagnostics problems = caches.run(Accesses{{4096, 4, AccessKind::load, 1}});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].code == "bad-core");
}

TEST_CASE("an exclusive level and the one before it change places") {
  // One set of one way each: A moves down when B comes, and back up when it is asked for.
  HierarchyShape shape;
  shape.levels = {cache("L1", 64, 1), cache("L2", 64, 1)};
  shape.levels[1].inclusion = Inclusion::exclusive;
  Accesses back_and_forth;
  for (std::uint64_t i = 0; i < 10; ++i)
    back_and_forth.push_back({4096U + 64U * (i % 2), 4, AccessKind::load});
  const auto caches = run(shape, back_and_forth);
  CHECK(caches.counts()[0].misses.demand() == 10);
  CHECK(caches.counts()[1].misses.demand() == 2);
  CHECK(caches.memory().read == Bytes{128});
}

TEST_CASE("a modify counts as a load and leaves its line dirty") {
  HierarchyShape shape;
  shape.levels = {cache("L1", 64, 1)};
  const Accesses accesses{{4096, 4, AccessKind::modify}, {4160, 4, AccessKind::load}};
  const LevelCounts counts = run(shape, accesses).counts()[0];
  CHECK(counts.accesses.loads() == 2);
  CHECK(counts.accesses.stores() == 0);
  CHECK(counts.writebacks == 1);
  shape.stores_stay_clean = true;
  CHECK(run(shape, accesses).counts()[0].writebacks == 0);
}

TEST_CASE("a stride prefetcher fetches ahead of steady distances within a page") {
  HierarchyShape shape;
  shape.levels = {cache("L1", 32768, 8)};
  shape.levels[0].prefetch = Prefetch::stride;
  CacheHierarchy caches = CacheHierarchy::make(shape).value();
  strided_pattern(Bytes{1 << 20}, Bytes{128}, 1,
                  [&](auto chunk) { return caches.run(chunk).empty(); });
  const LevelCounts counts = caches.counts()[0];
  // Of the 32 lines of a page that are asked for, the first three are missed: two distances must agree.
  CHECK(counts.misses.demand() == 256 * 3);
  CHECK(counts.useful_prefetches == 256 * 29);
}

}  // namespace
}  // namespace tantalus

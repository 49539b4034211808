// What a cache level is made of, and which levels stand behind one another: the fields of `tantalus: cache/1`. Nothing here is
// simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

/// Which line of a full set leaves. `plru` is the binary tree of one bit a node; `random` draws from a fixed sequence, `aged` so from
/// the quarter of the set that was not used for longest.
enum class Replacement : std::uint8_t { lru, fifo, plru, random, aged };

/// What a level holds of the lines that the levels above it hold: whatever came by, always all, or never any.
enum class Inclusion : std::uint8_t { neither, inclusive, exclusive };

enum class Prefetch : std::uint8_t { none, next_line, stride };

struct CacheShape {
  std::string name;  // "L1d"; empty: by its place
  Bytes capacity;    // of one instance
  std::int64_t ways = 8;
  Bytes line{64};
  Bytes sector{0};  // fetched and written alone; zero: the whole line
  Replacement replacement = Replacement::lru;
  Inclusion inclusion = Inclusion::neither;
  Prefetch prefetch = Prefetch::none;
  bool write_back = true;      // false: every store goes on to the next level at once
  bool write_allocate = true;  // false: a store that misses goes on and leaves no line here
  std::int64_t shared_by = 1;  // cores that share one instance

  std::int64_t sets() const { return capacity.count() / (line.count() * ways); }
  std::int64_t sectors() const { return sector.count() == 0 ? 1 : line.count() / sector.count(); }
};

/// The levels from the cores outwards. With an instruction cache, instructions meet it in place of the first level.
struct HierarchyShape {
  std::string name;
  std::int64_t cores = 1;
  bool stores_stay_clean =
      false;  // stores are counted apart and otherwise loads, as cachegrind has it
  std::vector<CacheShape>
      levels;  // [0] is next to the core; private levels come before shared ones
  std::optional<CacheShape> instruction;  // private to a core or shared like the first level
};

inline constexpr std::int64_t largest_ways = 64;
inline constexpr std::int64_t largest_sectors = 8;
inline constexpr std::int64_t most_cache_lines = std::int64_t{1}
                                                 << 26;  // of all instances together
inline constexpr std::size_t most_cache_levels = 8;

inline constexpr EnumName<Replacement> replacement_names[] = {{"lru", Replacement::lru},
                                                              {"fifo", Replacement::fifo},
                                                              {"plru", Replacement::plru},
                                                              {"random", Replacement::random},
                                                              {"aged", Replacement::aged}};
inline constexpr EnumName<Inclusion> inclusion_names[] = {{"neither", Inclusion::neither},
                                                          {"inclusive", Inclusion::inclusive},
                                                          {"exclusive", Inclusion::exclusive}};
inline constexpr EnumName<Prefetch> prefetch_names[] = {
    {"none", Prefetch::none}, {"next_line", Prefetch::next_line}, {"stride", Prefetch::stride}};

template <class Visitor>
void describe(Visitor& v, CacheShape& s) {
  v.text("name", s.name, "what the level is called; L1, L2, ... when absent");
  v.required("capacity", s.capacity, positive, "bytes of one instance");
  v.defaulted("ways", s.ways, within(1, largest_ways), "lines of one set");
  v.defaulted("line", s.line, power_of_two, "bytes fetched on a miss; the same at all levels");
  v.defaulted("sector", s.sector, not_negative,
              "part of a line that is fetched and written alone; 0 B: the whole line");
  v.choice(
      "replacement", s.replacement, replacement_names,
      "which line of a full set leaves; plru: a binary tree of one bit a node; aged: at random "
      "one of the quarter that was not used for longest");
  v.choice("inclusion", s.inclusion, inclusion_names,
           "inclusive: what leaves is taken out of the levels before it; exclusive: filled by what "
           "leaves "
           "the level before it, and a line that is found moves up");
  v.choice("prefetch", s.prefetch, prefetch_names,
           "next_line: a miss, or the first use of such a line, fetches the next one; stride: "
           "misses of a page with a steady distance fetch one ahead");
  v.defaulted("write_back", s.write_back, any_value,
              "false: every store goes on to the next level at once");
  v.defaulted("write_allocate", s.write_allocate, any_value,
              "false: a store that misses goes on and leaves no line");
  v.defaulted("shared_by", s.shared_by, positive, "cores that share one instance");
}

template <class Visitor>
void describe(Visitor& v, HierarchyShape& s) {
  v.text("name", s.name, "what the caches belong to");
  v.defaulted("cores", s.cores, within(1, 4096), "cores that refer to memory");
  v.defaulted("stores_stay_clean", s.stores_stay_clean, any_value,
              "stores are counted apart and otherwise loads: nothing is ever written back");
  v.sections("levels", s.levels, "from the core outwards");
  v.optional_section("instruction", s.instruction,
                     "the first level of instructions; without it they meet the levels of data");
}

/// Everything that makes the shape impossible, all at once: code bad-cache, paths such as "levels.1.ways".
void check(const HierarchyShape& shape, SpecChecker& checker);
Diagnostics mistakes_of(const HierarchyShape& shape);

/// Its name, or "L2" for the second.
std::string level_name(const HierarchyShape& shape, std::size_t level);

std::string_view name_of(Replacement replacement);
std::string_view name_of(Inclusion inclusion);
std::string_view name_of(Prefetch prefetch);

}  // namespace tantalus

// Cache levels behind one another, private and shared, and what every reference of a program does to them: exact, reference by
// reference. Rules:
// - A reference that crosses a line touches both lines at each level that it reaches and counts once; it is one miss when
//   either was absent, and then the next level sees both. (Longer ones are taken two lines at a time.)
// - A line is put into a level when the level is looked up; the line that made room leaves first, and only then is the level
//   behind asked. An exclusive level behind gives its line up before that, so that the two change places.
// - A written-back line becomes the most recent of the level that takes it; where it is absent it is allocated without a fetch.
//   That is no reference.
// - `inclusive`: a line that leaves is taken out of all levels before; `exclusive`: filled by what leaves the level before, and
//   a line that is found moves up.
// - A store that a level does not keep goes on as a store of its own bytes, after the line was fetched where it is allocated.
// - Prefetches stay within 4 KiB and are asked for after the reference that caused them; next levels count them apart.
// - Caches of different cores are not kept coherent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/hardware/cache/access.hpp"
#include "sim/hardware/cache/cache_level.hpp"
#include "sim/hardware/cache/cache_shape.hpp"
#include "sim/hardware/cache/line_numbers.hpp"
#include "sim/hardware/cache/plain_walk.hpp"

namespace tantalus {

/// References by who made them.
struct ReferenceCounts {
  std::array<std::int64_t, 4> by_kind{};  // in the order of AccessKind, then prefetches
  std::int64_t loads() const { return by_kind[0]; }
  std::int64_t stores() const { return by_kind[1]; }
  std::int64_t instructions() const { return by_kind[2]; }
  std::int64_t prefetches() const { return by_kind[3]; }
  std::int64_t demand() const { return loads() + stores() + instructions(); }
  bool operator==(const ReferenceCounts&) const = default;
};

/// What happened at one level, over all its instances.
struct LevelCounts {
  ReferenceCounts accesses, misses;
  std::int64_t sector_misses = 0;  // of the misses: the line was here, the sector was not
  std::int64_t evictions = 0;      // lines that made room for others
  std::int64_t writebacks = 0;     // of these, dirty ones
  std::int64_t invalidations = 0;  // lines taken out because an inclusive level behind lost them
  std::int64_t prefetches = 0;     // lines that its prefetcher asked for
  std::int64_t useful_prefetches = 0;  // of these, used before they left
  bool operator==(const LevelCounts&) const = default;
};

struct MemoryTraffic {
  Bytes read, written;
  bool operator==(const MemoryTraffic&) const = default;
};

class CacheHierarchy {
 public:
  /// Refuses impossible shapes (cache_shape.hpp).
  static Result<CacheHierarchy> make(const HierarchyShape& shape,
                                     SetSearch search = fastest_search());

  /// Errors: "too-much-memory", a program that touches more than 63 different stretches of 2^24 lines (1 GiB of 64 B lines
  /// each), "bad-core", a core that the shape does not have. What was counted until then stays.
  Diagnostics run(std::span<const Access> accesses);

  /// In the order of the shape; the instruction cache, if any, is the last.
  std::vector<LevelCounts> counts() const;
  const MemoryTraffic& memory() const { return memory_; }
  const HierarchyShape& shape() const { return shape_; }
  /// Lines that all instances of a level hold now.
  std::int64_t lines_in(std::size_t depth) const;
  bool holds(std::size_t depth, std::int64_t core, std::uint64_t address);

 private:
  enum class Kind : std::uint8_t { load, store, instruction, prefetch };
  struct Stream {  // of the stride prefetcher, one for a page
    std::uint64_t page = 0, last = 0;
    std::int64_t stride = 0;
    int confidence = 0;
  };
  using Streams = std::array<Stream, 16>;
  struct Stage {
    CacheShape shape;
    std::vector<CacheLevel> instances;
    std::vector<Streams> streams;  // by instance
    LevelCounts counts;
  };
  struct Path {
    std::int64_t core = 0;
    bool instructions = false;
  };
  struct Looked {  // what a level said to the lines of one reference
    std::array<LineRef, 2> absent, written_on;
    std::size_t absent_count = 0, written_on_count = 0;
    bool missed = false, sector_only = true, ahead = false;
  };

  CacheHierarchy(const HierarchyShape& shape, SetSearch search);

  Stage& stage(const Path& path, std::size_t depth);
  CacheLevel& level(const Path& path, std::size_t depth);
  std::size_t walk_plain(std::span<const Access> accesses);
  PlainLevel plain_level(Stage& stage, std::int64_t core);
  void take_counts(const PlainPath& path);
  bool refer_one(const Access& access);
  bool shorten(std::uint64_t line, std::uint32_t& key);
  LineRef ref_of(std::uint32_t word) const;
  std::uint8_t sectors_of(std::uint64_t first, std::uint64_t last) const;
  bool is_exclusive(std::size_t depth) const;

  std::uint32_t refer(const Path& path, std::size_t depth, std::span<const LineRef> refs, Kind kind,
                      bool store);
  void touch_line(const Path& path, std::size_t depth, const LineRef& ref, Kind kind, bool store,
                  Looked& looked);
  std::uint32_t take_from(const Path& path, std::size_t depth, std::span<const LineRef> refs,
                          Kind kind);
  void read_memory(std::span<const LineRef> refs);
  void write_memory(std::int64_t bytes) { memory_.written += Bytes{bytes}; }
  void store_on(const Path& path, std::size_t depth, const LineRef& ref);
  void send_away(const Path& path, std::size_t depth, FoundLine line);
  void put_back(const Path& path, std::size_t depth, const LineRef& ref);
  std::uint8_t invalidate_before(const Path& path, std::size_t depth, const LineRef& ref);
  void look_ahead(const Path& path, std::size_t depth, const LineRef& ref);
  Stream& stream_of(const Path& path, std::size_t depth, std::uint64_t page);
  void prefetch(const Path& path, std::size_t depth, std::uint64_t line);

  HierarchyShape shape_;
  unsigned line_bits_ = 6;
  std::int64_t sector_bytes_ = 64;
  std::uint8_t all_sectors_ = 1;
  bool plain_ = false;  // walk_plain() may take the place of refer()
  WalkPlain walk_;
  std::vector<Stage> stages_;
  std::vector<Stage> instruction_;  // none or one
  LineNumbers numbers_;
  MemoryTraffic memory_;
};

}  // namespace tantalus

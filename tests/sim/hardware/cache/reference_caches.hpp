// The rules of cache_hierarchy.hpp once more, slow and obvious: whole line numbers, maps of sets, no short cut. Tests compare its
// counts with those of the simulator. Without prefetchers and random replacement.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/hardware/cache/cache_hierarchy.hpp"

namespace tantalus::test {

struct ReferenceLine {
  std::uint64_t line = 0;
  unsigned valid = 0, dirty = 0;  // sectors
  std::uint64_t order = 0;        // of its last use (LRU) or of its arrival (FIFO)
};

/// One instance of one level.
class ReferenceLevel {
 public:
  explicit ReferenceLevel(const CacheShape& shape) : shape_(shape) {}

  ReferenceLine* find(std::uint64_t line);
  void use(std::uint64_t line);
  /// Puts a line in and returns the one that made room.
  std::optional<ReferenceLine> insert(const ReferenceLine& line);
  std::optional<ReferenceLine> remove(std::uint64_t line);

 private:
  struct Set {
    std::vector<std::optional<ReferenceLine>> ways;
    std::map<std::int64_t, bool> right_is_next;  // by node of the tree
  };

  Set& set_of(std::uint64_t line);
  std::size_t victim(const Set& set) const;
  void point_away(Set& set, std::size_t way) const;

  CacheShape shape_;
  std::map<std::uint64_t, Set> sets_;
  std::uint64_t now_ = 0;
};

class ReferenceCaches {
 public:
  explicit ReferenceCaches(const HierarchyShape& shape);

  void refer(const Access& access);
  std::vector<LevelCounts> counts;  // in the order of CacheHierarchy::counts
  MemoryTraffic memory;

 private:
  struct Part {  // of a reference: one line
    std::uint64_t line = 0;
    unsigned sectors = 0;
    std::int64_t bytes = 0;
  };

  std::size_t stage_of(std::size_t depth) const {
    return depth == 0 && fetching_ ? levels_.size() - 1 : depth;
  }
  const CacheShape& shape_of(std::size_t depth) const;
  ReferenceLevel& level(std::size_t depth, std::int64_t core);
  LevelCounts& count(std::size_t depth) { return counts[stage_of(depth)]; }
  bool exclusive(std::size_t depth) const;
  unsigned sectors_at(std::size_t depth, unsigned wanted) const;

  bool ask(std::size_t depth, const std::vector<Part>& parts, bool store);
  void store_on(std::size_t depth, const Part& part);
  void leave(std::size_t depth, const ReferenceLine& line);
  void take_in(std::size_t depth, const ReferenceLine& line);

  HierarchyShape shape_;
  std::int64_t sector_ = 64;
  unsigned all_sectors_ = 1;
  std::vector<std::vector<ReferenceLevel>> levels_;  // instances; the instruction cache is last
  bool fetching_ = false;
  std::int64_t core_ = 0;
  unsigned kind_ = 0;
};

}  // namespace tantalus::test

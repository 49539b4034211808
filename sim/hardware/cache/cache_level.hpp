// One instance of one cache level: its sets and who leaves when a set is full. It knows nothing of other levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/hardware/cache/cache_shape.hpp"
#include "sim/hardware/cache/plain_walk.hpp"
#include "sim/hardware/cache/recency_set.hpp"

namespace tantalus {

/// A line as the levels pass it on. `key` is its short number shifted above the flags (recency_set.hpp); `sectors` says which
/// of its sectors are meant, one bit each; `bytes` is what a store writes.
struct LineRef {
  std::uint64_t line = 0;  // address / line length
  std::uint32_t key = 0;
  std::uint32_t bytes = 0;
  std::uint8_t sectors = 1;
};

/// A line that left, or was looked for.
struct FoundLine {
  std::uint32_t word = 0;  // 0: no line
  std::uint8_t dirty = 0;  // sectors that were written
  explicit operator bool() const { return word != 0; }
};

class CacheLevel {
 public:
  /// `all_sectors`: those of a whole line; a level without sectors of its own always means all of them.
  CacheLevel(const CacheShape& shape, SetSearch search, std::uint8_t all_sectors);

  struct Outcome {
    std::uint8_t missing = 0;     // sectors that must be fetched; 0: a hit
    bool was_prefetched = false;  // first use of a line that was fetched ahead
    bool tag_hit = false;         // the line was here, if not all its sectors
    FoundLine left;               // which line made room
  };

  /// Looks the line up; afterwards it is here with the wanted sectors, dirty in them when `flags` say so.
  Outcome touch(const LineRef& ref, std::uint32_t flags);
  bool contains(const LineRef& ref) const;
  /// Takes the line out.
  FoundLine remove(const LineRef& ref);
  /// Marks sectors of a line that is here as written.
  void mark_dirty(const LineRef& ref, std::uint8_t sectors);

  /// LRU without sectors: one touch of one set is all there is.
  bool is_plain() const { return plain_; }
  /// Sets this instance up as a stop of the short walk; counts are the caller's.
  PlainLevel plain_view();

  /// Lines that are here now.
  std::int64_t lines() const;

 private:
  struct SectorBits {
    std::uint8_t valid = 0, dirty = 0;
  };

  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::uint32_t* words() { return storage_.data()->words; }
  const std::uint32_t* words() const { return storage_.data()->words; }
  std::size_t set_of(std::uint64_t line) const {
    return static_cast<std::size_t>(mask_ != 0 ? line & mask_ : line % sets_);
  }
  std::size_t find(const LineRef& ref) const;  // index into words(), or nowhere
  bool in_order() const { return moves_when_used() || shape_.replacement == Replacement::fifo; }
  bool moves_when_used() const {
    return shape_.replacement == Replacement::lru || shape_.replacement == Replacement::aged;
  }
  Outcome touch_found(const LineRef& ref, std::uint32_t flags, std::size_t at);
  Outcome touch_absent(const LineRef& ref, std::uint32_t flags);
  std::uint8_t dirty_sectors(std::size_t at) const;
  void move(std::size_t from, std::size_t to);
  std::size_t place_for(std::size_t set);
  std::size_t victim_of(std::size_t set);
  std::size_t draw(std::size_t below);
  void used(std::size_t at);

  CacheShape shape_;
  std::uint64_t sets_, mask_;  // mask_ is 0 when the number of sets is no power of two, or one
  std::size_t ways_, stride_;
  std::uint8_t all_sectors_;
  bool plain_;
  TouchSet touch_;
  std::vector<SetWords> storage_;     // sets x stride words
  std::vector<SectorBits> sectors_;   // the same, only when sectored
  std::vector<std::uint64_t> trees_;  // tree-PLRU: one bit a node, by set
  std::uint64_t random_ = 0x9e3779b97f4a7c15ULL;
};

}  // namespace tantalus

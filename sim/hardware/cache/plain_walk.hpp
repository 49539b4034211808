// The short walk: references of one core through levels that are all LRU, write-back, allocating, without sectors, prefetchers
// or promises about each other's lines. The same steps in the same order as CacheHierarchy's full walk without what cannot
// happen, in one loop that the compiler sees whole, once for each way to search a set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/hardware/cache/access.hpp"
#include "sim/hardware/cache/cache_shape.hpp"
#include "sim/hardware/cache/line_numbers.hpp"
#include "sim/hardware/cache/recency_set.hpp"

namespace tantalus {

/// One cache instance as the walk sees it, and what it counts there.
struct PlainLevel {
  std::uint32_t* words = nullptr;
  std::uint64_t sets = 1, mask = 0;  // mask: sets - 1 for a power of two, else 0
  std::uint32_t ways = 1, stride = 8;

  std::int64_t misses[access_kinds] = {};  // by AccessKind
  std::int64_t evictions = 0, writebacks = 0;
};

/// The caches that one core reaches.
struct PlainPath {
  PlainLevel* data = nullptr;
  PlainLevel* instruction = nullptr;  // the first level of data when there is no other
  PlainLevel* behind = nullptr;       // from the second level on
  unsigned behind_count = 0;
  unsigned line_bits = 6;
  std::uint16_t core = 0;
  bool second_has_16 = false;  // words a set, and a power of two of sets; the walk's own
  std::uint32_t store_flags = dirty_flag;
  const LineNumbers* numbers = nullptr;

  std::int64_t references[access_kinds] = {};      // by AccessKind
  std::int64_t lines_read = 0, lines_written = 0;  // of memory
};

/// Walks until a reference that it does not know to take: one that crosses a line, is of another core, or lies in a stretch
/// without a number. Returns how many it took.
using WalkPlain = std::size_t (*)(PlainPath& path, const Access* accesses, std::size_t count);

struct SetFunctions {
  TouchSet touch;
  WalkPlain walk;
};
SetFunctions set_functions(SetSearch search);

// One file each, compiled for its processor; the last two are there on x86-64 only.
SetFunctions portable_sets();
SetFunctions avx2_sets();
SetFunctions avx512_sets();

}  // namespace tantalus

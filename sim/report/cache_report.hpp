// What each cache level saw of a program: the records behind `tantalus cache` and their three forms. Counting is
// sim/hardware/cache's work; this room only lays out. JSON is `tantalus.cache/1`, a contract.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/units.hpp"
#include "sim/report/style.hpp"

namespace tantalus {

/// References of one sort and those that were missed.
struct CacheCounts {
  std::int64_t accesses = 0, misses = 0;
};

struct CacheLevelRow {
  std::string name, replacement, inclusion, prefetch;
  Bytes capacity, line, sector;
  std::int64_t ways = 0, instances = 1;
  bool write_back = true, write_allocate = true;
  CacheCounts loads, stores, instructions, prefetched;  // the last: fetches of levels before it
  std::int64_t sector_misses = 0, evictions = 0, writebacks = 0, invalidations = 0;
  std::int64_t prefetches = 0, useful_prefetches = 0;

  /// References of the program, prefetches aside.
  CacheCounts demand() const;
};

struct CacheReport {
  std::string caches, program;
  std::int64_t cores = 1;
  std::int64_t loads = 0, stores = 0, instructions = 0;  // a modify is a load
  std::vector<CacheLevelRow> levels;
  Bytes read, written;  // of memory
  Diagnostics warnings;

  std::int64_t accesses() const { return loads + stores + instructions; }
};

std::string cache_table(const CacheReport& report, const Style& style = {});
std::string cache_json(const CacheReport& report);
std::string cache_csv(const CacheReport& report);

}  // namespace tantalus

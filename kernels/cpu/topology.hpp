// What the processor says of itself, by CPUID and, when it is installed, hwloc. Nothing here is measured: a virtual machine may
// say what it likes (a 508 MB third level cache per core was seen), so latencies must confirm the sizes before anyone uses them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tantalus::kernels {

struct CacheSize {
  int level = 0;
  std::int64_t bytes = 0;
  std::int64_t ways = 0, line = 64;
  std::int64_t shared_by = 1;  // hardware threads that see one instance
};

struct Topology {
  std::string processor;  // "AMD EPYC 9R14"
  std::int64_t packages = 1, cores = 1, threads = 1;
  std::int64_t memory_bytes = 0;
  std::vector<CacheSize> caches;  // data and unified ones, nearest first
  bool virtual_machine = false;
  std::string source;  // "hwloc 2.9.0", "CPUID"
};

Topology topology();

}  // namespace tantalus::kernels

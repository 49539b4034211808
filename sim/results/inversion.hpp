// Memory inversion, computed: whether a device's memory shrinks on the way out (registers > L1 > L2, in total), how the low
// levels of one device compare with another's, and how far DRAM is from a multiply-add under each definition in use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/memory_levels.hpp"

namespace tantalus {

/// The levels next to the arithmetic, in total. `strict`: each is larger than the one behind it.
struct Inversion {
  Bytes registers, l1, l2;
  bool strict = false;
};
Inversion inversion_of(const MemoryHierarchy& device);

/// One device over another, in totals; the last two per thread and in time.
struct MemoryRatios {
  double registers = 0.0, l1 = 0.0, l2 = 0.0;
  double dram_bandwidth = 0.0, flops = 0.0;
  double registers_per_thread = 0.0;  // at full occupancy
  double dram_latency = 0.0;
};
MemoryRatios ratios_of(const MemoryHierarchy& over, const MemoryHierarchy& under);

/// "RAM is so many orders of magnitude slower than a multiply-add" under one definition of the words. None where a file does not
/// say what the definition needs.
struct MemoryDistance {
  std::string_view definition;
  std::optional<double> ratio;
};
/// In the order of the definitions: latencies; DRAM latency by issue intervals of a unit, and of the device; streamed 4-byte words by
/// multiply-adds of the device; energies at 45 nm of a 32-bit DRAM word by an fp32, and by an int8 multiply-add. The energies are
/// one table for all devices: M. Horowitz, "Computing's energy problem", ISSCC 2014.
std::vector<MemoryDistance> memory_distances(const MemoryHierarchy& device);

/// "2" for a ratio within a factor of 1.6 of 100, "3 to 4" for one well between two powers of ten.
std::string orders_text(double ratio);

}  // namespace tantalus

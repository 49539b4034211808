// Little's law for memory: what is under way at one time = rate x latency. To keep a level busy a program must have so many bytes
// asked for and not yet there; with fewer it gets bytes / latency, whatever the level could give.
#pragma once

#include <optional>

#include "sim/results/memory_levels.hpp"

namespace tantalus {

/// What keeps a level busy. Counts are not rounded.
struct InFlight {
  double bytes = 0.0;     // rate x latency
  double of_unit = 0.0;   // of them, of each SM or core of the device
  double requests = 0.0;  // bytes / MemoryHierarchy::request: loads of 4 B, one a thread, or lines
  double of_threads =
      0.0;  // requests / threads at once: above one, each thread needs several under way
};

/// None for a level that does not state both.
std::optional<InFlight> in_flight(const MemoryHierarchy& device, const MemoryLevel& level);

/// Bytes a second that `bytes` under way at a time get out of a level: bytes / latency, at most its rate. None as above.
std::optional<double> rate_with(const MemoryLevel& level, double bytes);

/// Units that keep main memory busy together: its rate / what one unit draws. None where the file says neither.
std::optional<double> units_for_memory(const MemoryHierarchy& device);

}  // namespace tantalus

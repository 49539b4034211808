// The staircase: latency and bandwidth of a machine against the memory that a program walks over and over. Which level answers is
// counted by the exact simulator; what an answer costs is the device's file:
//   latency    one thread follows a cycle through all lines: the sum over levels of (share of answers x latency)
//   bandwidth  all cores stream their equal parts, or one core all of it alone: levels work at one time, so the least over them of
//              (rate / share of bytes that reach the level)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/hardware/cache/cache_shape.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/gpu_spec.hpp"

namespace tantalus {

/// A cache level, or memory.
struct StairLevel {
  std::string name;
  std::optional<Duration> latency;     // load to use of one thread alone
  std::optional<Bandwidth> bandwidth;  // of all instances together
  std::optional<Bandwidth> of_one;     // what one core draws
};

struct Stairs {
  HierarchyShape caches;
  std::vector<StairLevel> levels;  // those of `caches`, then memory
};

struct StairStep {
  Bytes working_set;
  std::vector<double> chased, streamed;  // share of references that each level answers
  std::optional<double> latency;  // seconds; none where a level that answers does not state its own
  std::optional<double> bandwidth;  // bytes a second of all cores; the same
  std::optional<double> of_one;     // of one core alone
};

/// Levels without latency or rate: a step then has shares alone.
Stairs stairs_of(const HierarchyShape& caches);
/// Memory gives what streams reach (`dram.efficiency`), and no level more than all cores can draw.
Stairs stairs_of(const CpuSpec& spec);
/// `shared`: what blocks take of the array (device_caches.hpp). The far part of an L2 in partitions costs twice the near one: a
/// request that misses near goes through a second look-up of the same kind. That is an assumption; no file states it.
Stairs stairs_of(const GpuSpec& spec, Bytes shared = Bytes{0});

/// The share of answers that each level gives, memory last, and what they cost: latency and the rate of one core by those of a
/// chase, the rate of all by those of a stream. A chase of more than four times what one core
/// reaches is not simulated: every policy has lost a line by the time it comes again. Codes: those of CacheHierarchy.
Result<std::vector<double>> chased(const Stairs& stairs, Bytes working_set);
Result<std::vector<double>> streamed(const Stairs& stairs, Bytes working_set);
std::optional<double> latency_of(const Stairs& stairs, const std::vector<double>& shares);
std::optional<double> bandwidth_of(const Stairs& stairs, const std::vector<double>& shares);
/// In order or not, a cycle through the same lines finds the same levels.
std::optional<double> bandwidth_of_one(const Stairs& stairs, const std::vector<double>& shares);

/// All of it for one size.
Result<StairStep> stair_step(const Stairs& stairs, Bytes working_set);

/// From 1 KiB to beyond all instances of the last level, two sizes an octave, and the capacity of each level.
std::vector<Bytes> stair_sizes(const Stairs& stairs);

}  // namespace tantalus

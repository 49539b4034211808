// What one kernel asks of the machine, block by block: the only description of a kernel's cost, used by the catalogue's
// choice, by `tantalus ops` and by the events alike. Pure data; the functions that make it (gpu_kernels.hpp,
// cpu_kernels.hpp) are pure too. Nothing here knows the clock or the event queue.
//
// A kernel is `groups` of equal blocks that spread over the device's equal units (SMs of a GPU, cores of a CPU). A block
// runs its phases one after the other. In a phase it draws, all at once,
//   - `unit_time`: time of its unit if it had the whole unit at full rate. Blocks resident on one unit share it; one block
//     alone can use at most `max_share` of it (latency: too few warps or too short a loop to fill the pipeline);
//   - `bytes[level]`: bytes through each shared memory level (GPU: l2, dram; CPU: l3, dram), each block at most at
//     `max_rate[level]`, all blocks together at most at the level's bandwidth, max-min fair.
// The phase ends when all of them are done, plus `exposed` times the shorter of the two spans unit and memory (the slowest
// level): imperfect overlap, where 0 hides the shorter one entirely and 1 adds it in full; plus `latency`, which nobody shares.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/results/results.hpp"
#include "sim/workload/kernel_launch.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

/// Memory levels that all units share, nearest first. A GPU's middle level is its L2, a CPU's its L3.
enum class SharedLevel : std::uint8_t { cache, dram };
inline constexpr std::size_t shared_levels = 2;

/// Not the engine's Phase, which is the order within one instant.
struct BlockPhase {
  Duration unit_time;
  double max_share = 1.0;  // in (0, 1]
  std::array<Bytes, shared_levels> bytes{};
  std::array<Bandwidth, shared_levels> max_rate{};  // zero: no limit of its own
  double exposed = 0.0;                             // in [0, 1]
  Duration latency;
  Bound unit_bound =
      Bound::compute;  // what unit_time stands for: compute, l1 (private caches), power (throttled)
};

struct BlockGroup {
  std::int64_t blocks = 0;
  std::vector<BlockPhase> phases;
};

struct KernelCost {
  KernelLaunch launch;
  Algorithm algorithm = Algorithm::automatic;
  std::vector<BlockGroup> groups;
  int blocks_per_unit = 1;  // resident at most
  int units_limit = 0;      // run on at most this many units (CPU threads); 0: all
  OccupancyLimit occupancy_limit = OccupancyLimit::blocks;
  Duration
      fixed;  // host-visible start and join cost of this kernel that overlaps with nothing (CPU fork/join)
  std::int64_t executed_flops = 0;  // what the algorithm really executes, padding excluded
  Bytes workspace;
};

/// What the pure estimate needs to know of a device.
struct DeviceRates {
  std::int64_t units = 1;
  std::array<Bandwidth, shared_levels> bandwidth{};
};

/// Time of the kernel alone on an idle device: full waves and a tail, each wave bound by its slowest resource. Equals the
/// event simulation when all blocks are equal and their number fills the waves evenly; it ranks candidates otherwise.
Duration alone_time(const KernelCost& kernel, const DeviceRates& device);

/// Sums over all blocks of all groups.
Duration total_unit_time(const KernelCost& kernel);
Bytes total_bytes(const KernelCost& kernel, SharedLevel level);

}  // namespace tantalus

// What a run hands back: plain records with words as strings, no references into the machine. Everything here was observed in
// events; times of layers are sums or spans of the events below them. Reports read this and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"

namespace tantalus {

/// Which resource a time is bound by, in the words of the JSON contract.
enum class Bound : std::uint8_t { compute, l1, l2, l3, dram, launch, host, power };
std::string_view name_of(Bound bound);

/// Why no more blocks of a kernel fit on a unit; `grid` means that the grid was too small to ask for more.
enum class OccupancyLimit : std::uint8_t { registers, shared, threads, blocks, grid };
std::string_view name_of(OccupancyLimit limit);

/// One kernel as it ran.
struct KernelResult {
  std::string name;
  std::string algorithm;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  int registers_per_thread = 0;
  Bytes shared_bytes;
  int blocks_per_sm = 0;  // resident at most; 1 on a CPU core
  OccupancyLimit occupancy_limit = OccupancyLimit::grid;
  double waves = 0.0;    // blocks / (units x blocks_per_sm)
  TimePoint start, end;  // first block began, last block ended
  Duration compute;      // work of all units at full rate / number of units
  Duration cache, dram;  // bytes through the level / its full bandwidth
  Bytes cache_bytes, dram_bytes;
  std::int64_t executed_flops = 0;
  Bound bound = Bound::compute;  // what the events waited for longest
};

/// What a predicted time is doubted by: 80 % of the measured times lie within a factor of 1 + share. `model` is the kernel
/// model's own error, which the tasks of one `family` share; `parameters` is the doubt about a rate of the device that nobody
/// measured, which all its tasks share. The two are independent. What a time of this length or less adds, and how much less a
/// library that picks the fastest kernel can be beaten than missed, say `brief` and `faster` (report/interval.hpp).
struct Doubt {
  std::string family;
  double model = 0.0, parameters = 0.0;
  double faster = 1.0;  // part of `model` that holds towards shorter times
  Duration brief{};  // a time of this length errs twice as much, as squares, towards longer times
};

/// One task (an operation of one layer in one pass, or a copy) as it ran.
struct TaskResult {
  TaskId task;
  LayerId layer;
  std::string name;
  std::string kind;       // "conv2d"; "copy" for copies
  std::string pass;       // "forward", ...; "copy" for copies
  std::string device;     // where it ran
  std::string algorithm;  // of its main kernel; "" for copies
  bool is_copy = false;
  TimePoint issued;      // the host began to issue it
  TimePoint queued;      // it reached the device's queue
  TimePoint start, end;  // first kernel's first block began; last kernel's last block ended
  Duration host;         // host time spent to issue it
  Duration launch;       // device time between readiness and start that the launch path caused
  Duration sync;  // last kernel's last wave: waiting for the slowest block, averaged over units
  std::int64_t macs = 0, other_ops = 0;
  Bytes input_bytes, output_bytes, parameter_bytes, workspace;
  Duration roofline;  // from the listed peaks alone: a yardstick
  Duration isolated;  // by itself, over and over, with the caches that this leaves; see Results
  Doubt doubt;        // of the time of its kernels
  std::vector<KernelResult> kernels;
  Bound bound = Bound::compute;
};

/// One layer as the network file names it.
struct LayerResult {
  std::string name, kind;
  std::int64_t parameters = 0;
  Bytes input_bytes, output_bytes, parameter_bytes;
};

/// How much of the run one resource was in use. 0 <= busy <= span, bytes <= peak x span.
struct ResourceUse {
  std::string device;    // "gpu0"
  std::string resource;  // "sm", "l2", "dram", "pcie", "host", ...
  Duration busy;         // time integral of used share
  Bytes bytes;
};

/// Device memory: sizes, capacity, and the answer. `workspace` is the largest of any task.
struct MemoryResult {
  bool fits = true;
  Bytes capacity, peak;
  Bytes parameters, gradients, optimizer, activations, workspace, context;
  std::string largest_layer;  // whose activations make the peak
};

/// One finished simulation.
struct Results {
  std::vector<LayerResult> layers;
  std::vector<TaskResult> tasks;  // in issue order
  std::vector<ResourceUse> resources;
  MemoryResult memory;
  Duration step;               // from the first issue to the last end
  Duration host_busy;          // host time over all tasks; zero for a lone part
  Duration device_busy;        // time with at least one kernel running
  Duration host_per_operator;  // the assumption, zero for a lone part
  double host_doubt = 0.0;     // as Doubt's shares: of the time that the device waited for the host
  std::string device, library, stack;
  bool generic_library = false;
  bool has_isolated = false;  // the tasks' `isolated` were asked for
  std::uint64_t fingerprint = 0;
  Diagnostics warnings;
};

}  // namespace tantalus

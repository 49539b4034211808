// The memory of a device from its registers outwards, as its file gives it: capacities, rates and latencies of each level, and
// what stands beside them in a comparison (units, threads, arithmetic). Plain records; a device fills them, reports read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"

namespace tantalus {

enum class MemoryPlace : std::uint8_t { registers, l1, l2, l3, dram };

struct MemoryLevel {
  MemoryPlace place = MemoryPlace::dram;
  std::string name;  // "L1 and shared": as people call it on this device
  Bytes per_unit;    // of one instance
  std::int64_t units = 1;
  std::optional<Bandwidth> bandwidth;  // reads of all instances together
  std::optional<Duration> latency;     // from a load to its data, one thread alone

  Bytes total() const { return per_unit * units; }
  bool operator==(const MemoryLevel&) const = default;
};

struct MemoryHierarchy {
  std::string name;                      // of the part
  std::string unit;                      // "SM", "core"
  std::int64_t units = 1;                // SMs or cores
  std::int64_t threads = 1;              // resident at most on the whole device
  std::int64_t registers_of_thread = 0;  // bytes of registers that one thread can name at most
  Frequency clock;                       // of the rates: all units busy
  double flops = 0.0;  // a second, fp32 on the ordinary lanes, multiply and add counted as two
  std::optional<Duration> multiply_add;  // from operands to result
  Bytes request{4};    // that a thread waits for: a word of a GPU's thread, a line of a core
  Bandwidth one_unit;  // most that one unit draws from main memory; zero: not stated
  std::vector<MemoryLevel> levels;  // from the registers outwards

  /// Null where the device has no such level.
  const MemoryLevel* find(MemoryPlace place) const;
  double per_thread(const MemoryLevel& level) const;
  /// Operations of the device for each byte that the level gives: what a program must do with a byte to stay busy. None without a rate.
  std::optional<double> flops_per_byte(const MemoryLevel& level) const;
  bool operator==(const MemoryHierarchy&) const = default;
};

}  // namespace tantalus

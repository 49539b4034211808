// The workloads of the engine bench, shared by our side and the peers, so that every program runs the same events: delays,
// sizes and routes come from tables of 8,192 entries, and each pending event or flow walks the table from its own place.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

namespace tantalus::bench {

inline constexpr std::size_t table_size = 8192;

/// CPU seconds of this thread: the host may be shared.
inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// Exponential with this mean, whole, at least 1.
inline std::vector<std::int64_t> exponential_table(double mean, std::uint64_t seed) {
  Numbers numbers(seed);
  std::vector<std::int64_t> table(table_size);
  for (std::int64_t& entry : table) {
    const double uniform = static_cast<double>((numbers.next() >> 11) + 1) * 0x1p-53;  // in (0, 1]
    entry = 1 + static_cast<std::int64_t>(-std::log(uniform) * mean);
  }
  return table;
}

/// Hold model: picoseconds, mean one microsecond.
inline std::vector<std::int64_t> hold_delays() { return exponential_table(1e6, 1); }

/// Clocked work: what components of a machine wait for, in cycles of 1 GHz, as picoseconds.
inline std::vector<std::int64_t> clocked_delays() {
  constexpr std::array<std::int64_t, 16> cycles = {1,  1,  1,  1,  2,  2,   4,   4,
                                                   10, 12, 14, 40, 42, 100, 120, 300};
  Numbers numbers(2);
  std::vector<std::int64_t> table(table_size);
  for (std::int64_t& entry : table) entry = cycles[numbers.next() % cycles.size()] * 1000;
  return table;
}

inline std::size_t first_place(std::size_t index) { return index * 7919 % table_size; }
inline std::size_t next_place(std::size_t place) { return (place + 1) % table_size; }

/// Flows: bytes, mean one megabyte, and one of 16 routes.
inline std::vector<std::int64_t> flow_sizes() { return exponential_table(1e6, 3); }
inline std::vector<std::size_t> flow_routes() {
  Numbers numbers(4);
  std::vector<std::size_t> table(table_size);
  for (std::size_t& entry : table) entry = numbers.next() % 16;
  return table;
}

/// One link; or four edges and a core, where route r goes from edge r / 4 through the core to edge r % 4.
inline constexpr std::int64_t single_link_rate = 10'000'000'000;
inline constexpr std::int64_t edge_rate = 4'000'000'000;
inline constexpr std::int64_t core_rate = 7'000'000'000;
inline constexpr std::size_t edges = 4;

}  // namespace tantalus::bench

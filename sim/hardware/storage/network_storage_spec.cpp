#include "sim/hardware/storage/network_storage_spec.hpp"

#include "sim/hardware/storage/need.hpp"

namespace tantalus {

void check(const NetworkStorageSpec& spec, SpecChecker& checker) {
  need(checker, "round_trip", spec.round_trip, 0, 1'000 * picoseconds_per_second);
  need(checker, "open_time", spec.open_time, 0, 1'000 * picoseconds_per_second);
  need(checker, "rate", spec.rate);
  need(checker, "in_flight", spec.in_flight, 1, INT32_MAX);
  if (!spec.burst) return;
  need(checker, "burst.credit", spec.burst->credit);
  if (spec.burst->rate < spec.rate) {
    checker.contradictory("burst.rate", "slow-burst", "bursts are slower than the plain rate",
                          "write at least rate, or leave burst out");
  }
}

}  // namespace tantalus

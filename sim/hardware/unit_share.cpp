#include "sim/hardware/unit_share.hpp"

#include <algorithm>

namespace tantalus {

namespace {

struct Round {
  double left = 1.0;         // of the unit, for those who want more than the fair share so far
  std::int64_t sharers = 0;  // blocks of those
  std::size_t capped = 0;    // demands that are content
};

Round round_at(double fair, std::span<const UnitDemand> demands) {
  Round round;
  for (const UnitDemand& demand : demands) {
    if (demand.max_share <= fair) {
      round.left -= demand.max_share * static_cast<double>(demand.blocks);
      ++round.capped;
    } else {
      round.sharers += demand.blocks;
    }
  }
  return round;
}

}  // namespace

double fair_unit_share(std::span<const UnitDemand> demands) {
  double fair = 0.0;
  for (std::size_t capped_before = demands.size() + 1;;) {
    const Round round = round_at(fair, demands);
    if (round.sharers == 0 || round.capped == capped_before) return fair;
    capped_before = round.capped;
    fair = std::max(fair, round.left / static_cast<double>(round.sharers));
  }
}

}  // namespace tantalus

// How the blocks that reside on one unit share it: max-min fair, each at most at its own largest share. Pure, no clock.
#pragma once

#include <cstdint>
#include <span>

namespace tantalus {

/// Equal blocks on one unit.
struct UnitDemand {
  std::int64_t blocks = 0;
  double max_share = 1.0;  // of each block, in (0, 1]
};

/// The share that no block exceeds: each gets the smaller of this and its own largest. Blocks that cannot use the fair share
/// leave the rest to the others, so that the unit is full, or every block has its largest. 0 without blocks.
double fair_unit_share(std::span<const UnitDemand> demands);

}  // namespace tantalus

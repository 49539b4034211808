// What an NVLink connection between two parts carries: links x the rate of one, less packet overhead. Pure. Each direction has
// it to itself.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/base/units.hpp"

namespace tantalus {

/// Rate of one link in one direction by generation (1 to 5: 20, 25, 25, 25, 50 GB/s, vendor tables); none for later ones.
std::optional<Bandwidth> nvlink_rate(std::int64_t generation);

/// Payload a second in one direction: 0.83 of the raw rate. Pairs of generation 4 parts reach 0.82 to 0.85 (371 to 381 of
/// 450 GB/s), pairs of generation 3 parts 0.72 to 0.87.
Bandwidth nvlink_bandwidth(std::int64_t links, Bandwidth per_link);

}  // namespace tantalus

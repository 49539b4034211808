#include "sim/hardware/link/nvlink.hpp"

#include <array>

namespace tantalus {

std::optional<Bandwidth> nvlink_rate(std::int64_t generation) {
  constexpr std::array<std::int64_t, 5> gigabytes{20, 25, 25, 25, 50};
  if (generation < 1 || generation > static_cast<std::int64_t>(gigabytes.size())) return {};
  return Bandwidth{gigabytes[static_cast<std::size_t>(generation - 1)] * 1'000'000'000};
}

Bandwidth nvlink_bandwidth(std::int64_t links, Bandwidth per_link) {
  constexpr std::int64_t reached = 83, of = 100;
  return Bandwidth{static_cast<std::int64_t>(Int128{links} * per_link.count() * reached / of)};
}

}  // namespace tantalus

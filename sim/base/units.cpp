#include "sim/base/units.hpp"

#include <cmath>

namespace tantalus {

Duration duration_from_seconds(double seconds) {
  const double picoseconds = std::ceil(seconds * 1e12);
  TANTALUS_CHECK(picoseconds >= 0.0 && picoseconds < 9.2e18,
                 "a cost is a finite, non-negative time");
  return Duration{static_cast<std::int64_t>(picoseconds)};
}

}  // namespace tantalus

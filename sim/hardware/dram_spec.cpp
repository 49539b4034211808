#include "sim/hardware/dram_spec.hpp"

#include <algorithm>

#include "sim/base/units_text.hpp"

namespace tantalus {

namespace {

// channels x width x data rate / 8, kept inside the range of a Bandwidth whatever a file says.
Bandwidth bus_rate(const DramSpec& spec) {
  const double bits = static_cast<double>(spec.channels) *
                      static_cast<double>(spec.channel_width.count()) *
                      static_cast<double>(spec.data_rate.count());
  if (!(bits < 8e18)) return Bandwidth{1'000'000'000'000'000'000};
  const Int128 exact = Int128{spec.channels} * spec.channel_width.count() * spec.data_rate.count();
  return Bandwidth{static_cast<std::int64_t>(std::max(exact, Int128{0}) / 8)};
}

void check_against_bus(const DramSpec& spec, SpecChecker& checker) {
  const Bandwidth bus = bus_rate(spec);
  const double ratio =
      static_cast<double>(spec.bandwidth->count()) / static_cast<double>(bus.count());
  const std::string message = to_text(*spec.bandwidth) +
                              " is not channels x channel_width x data_rate / 8, which is " +
                              to_text(bus);
  // A factor of four is no rounding, overclock or what-if any more: bits taken for bytes, or a rate counted twice over.
  if (ratio > 4.0 || ratio < 0.25) {
    checker.impossible("bandwidth", "bandwidth-mismatch", message,
                       "leave bandwidth out to derive it; data_rate counts both clock edges");
  } else if (ratio > 1.02 || ratio < 0.98) {
    checker.unusual("bandwidth", "bandwidth-mismatch", message,
                    "the written bandwidth is used; leave it out to derive it");
  }
}

}  // namespace

Bandwidth DramSpec::achievable() const {
  const double peak = bandwidth ? static_cast<double>(bandwidth->count()) : 0.0;
  return Bandwidth{static_cast<std::int64_t>(peak * efficiency.value())};
}

void derive(DramSpec& spec) {
  if (!spec.bandwidth) spec.bandwidth = bus_rate(spec);
}

void check(const DramSpec& spec, SpecChecker& checker) {
  if (spec.achievable() <= Bandwidth{0}) {
    checker.contradictory(
        "bandwidth", "zero-bandwidth", "memory that moves nothing cannot feed any kernel",
        "channels, channel_width, data_rate and efficiency must all be more than zero");
    return;
  }
  if (bus_rate(spec) > Bandwidth{0}) check_against_bus(spec, checker);
  if (spec.efficiency.value() > 0.98) {
    checker.unusual(
        "efficiency", "optimistic-efficiency",
        "no memory streams at more than 98 % of its peak: refresh and read-write turns cost time",
        "measured shares lie between 0.7 and 0.92");
  }
}

}  // namespace tantalus

// What a storage device cannot be simulated without, whatever a hypothetical file says: a value of zero would never answer, one
// past counting overflows. A SpecChecker's error with code "cannot-serve".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

/// Reports `path` unless low <= value <= high.
inline void need(SpecChecker& checker, std::string_view path, std::int64_t value, std::int64_t low,
                 std::int64_t high) {
  if (low <= value && value <= high) return;
  checker.contradictory(path, "cannot-serve", "no request would ever be answered with this value",
                        "values from " + std::to_string(low) + " to " + std::to_string(high) +
                            " of its base unit can be simulated");
}

template <class Tag>
void need(SpecChecker& checker, std::string_view path, Quantity<Tag> value, std::int64_t low = 1,
          std::int64_t high = 1'000'000'000'000'000) {
  need(checker, path, value.count(), low, high);
}

}  // namespace tantalus

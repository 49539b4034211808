// Text to quantity and back: the only parser and printer of units in the project. Decimal and binary sizes are different
// words (kB, MB, GB; KiB, MiB, GiB). A bare number where a unit belongs is an error that proposes the likely unit. Numbers
// may be written 12, 1_000, 0x10, 0o10, 1.5, 1e9, 1E+09; a leading zero (010) is refused as ambiguous.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/units.hpp"

namespace tantalus {

/// A parsed value, or what is wrong with the text and what to write instead.
template <class T>
struct Parsed {
  std::optional<T> value;
  // "bad-number", "missing-unit", "unknown-unit", "out-of-range"; beside a value "ambiguous-unit".
  std::string code;
  // Empty when there is a value, unless it deserves a warning: "32 KB" is read as 32 kB.
  std::string message;
  std::string hint;
};

Parsed<std::int64_t> parse_integer(std::string_view text);
Parsed<double> parse_number(std::string_view text);

/// "3.35 TB/s" to Bandwidth and so on, for every Quantity of units.hpp. Exact for every text whose value is an integer
/// count of the unit's base; otherwise rounded to the nearest count (half away from zero).
template <class Q>
Parsed<Q> parse_quantity(std::string_view text);

/// The shortest text that `parse_quantity` reads back as the same value: "3.35 TB/s", "50 MiB", "1.98 GHz".
template <class Q>
std::string to_text(Q quantity);

/// The unit words that `parse_quantity<Q>` knows, smallest first, for reference pages: "B, kB, MB, ... KiB, ...".
template <class Q>
std::string unit_words();

/// A double as the shortest decimal text that reads back as the same double; always with a dot or exponent in the YAML
/// 1.1 sense ("1.0e+09", "0.5", "3.0"), locale-free.
std::string to_text(double value);

}  // namespace tantalus

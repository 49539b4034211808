// Numbers as people read them in tables, and doubles rounded for JSON. Locale-free and decided by decimal arithmetic of the
// standard library alone, so that every compiler prints the same bytes. Not for files that are read back (units_text.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/units.hpp"

namespace tantalus {

/// `digits` after the point: fixed_text(1.5, 2) is "1.50".
std::string fixed_text(double value, int digits);

/// The double nearest to `value` written with `digits` significant decimal digits: what JSON prints of a ratio.
double rounded(double value, int digits = 6);

/// Three significant digits and the fitting unit: "812 ns", "35.2 us", "1.24 ms", "12.0 s".
std::string time_text(Duration time);

/// Decimal, three significant digits: "17.6 kB", "151 MB". For traffic and sizes of layers.
std::string bytes_text(Bytes bytes);

/// Binary, two digits after the point: "0.68 GiB". For capacities and what fills them.
std::string memory_text(Bytes bytes);

/// Three significant digits with k, M, G, T: "714 M". Zero is "-", which keeps columns quiet.
std::string count_text(std::int64_t count);

/// All digits with commas: "61,100,840".
std::string grouped_text(std::int64_t count);

/// A rate without a unit, three significant digits at least: "28,400", "12.3".
std::string rate_text(double per_second);

/// "12.3 %".
std::string percent_text(double share);

/// Nanoseconds as a double with picoseconds in the decimals; exact below 104 days.
double nanoseconds(Duration time);

}  // namespace tantalus

// Strong units: one 64-bit integer each, no implicit conversion in or out, and only the mixed operations that physics has.
// Time is integer picoseconds (2^63 ps is about 106 days). A clock period is never stored: keep cycles and frequency and
// divide last, because a 1 ps grid makes a 3 GHz period 0.1 % wrong. Overflow is a broken invariant in every build type.
#pragma once

#include <compare>
#include <cstdint>

#include "sim/base/check.hpp"

namespace tantalus {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// A count of one thing; `Tag` says which. Value semantics, one machine word.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t count) : count_(count) {}

  constexpr std::int64_t count() const { return count_; }
  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    std::int64_t sum = 0;
    TANTALUS_CHECK(!__builtin_add_overflow(a.count_, b.count_, &sum), "quantity overflows");
    return Quantity{sum};
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    std::int64_t difference = 0;
    TANTALUS_CHECK(!__builtin_sub_overflow(a.count_, b.count_, &difference), "quantity overflows");
    return Quantity{difference};
  }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) {
    std::int64_t product = 0;
    TANTALUS_CHECK(!__builtin_mul_overflow(a.count_, n, &product), "quantity overflows");
    return Quantity{product};
  }
  friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return a * n; }

 private:
  std::int64_t count_ = 0;
};

using Duration = Quantity<struct PicosecondTag>;
using Bytes = Quantity<struct ByteTag>;
using Flops = Quantity<struct FlopTag>;  // floating point operations, not a rate
using Cycles = Quantity<struct CycleTag>;
using Frequency = Quantity<struct HertzTag>;
using Bandwidth = Quantity<struct BytePerSecondTag>;
using FlopRate = Quantity<struct FlopPerSecondTag>;
using FlopsPerCycle = Quantity<struct FlopPerCycleTag>;
using BytesPerCycle = Quantity<struct BytePerCycleTag>;
using TransferRate = Quantity<struct TransferPerSecondTag>;  // MT/s already counts both clock edges
using BitWidth = Quantity<struct BitTag>;
using Power = Quantity<struct MilliwattTag>;    // integer milliwatts
using Energy = Quantity<struct FemtojouleTag>;  // integer femtojoules

inline constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;

/// An instant of simulated time. Separate from Duration: two instants cannot be added.
class TimePoint {
 public:
  constexpr TimePoint() = default;
  constexpr explicit TimePoint(Duration since_start) : since_start_(since_start) {}

  constexpr Duration since_start() const { return since_start_; }
  constexpr auto operator<=>(const TimePoint&) const = default;

  friend constexpr TimePoint operator+(TimePoint t, Duration d) {
    return TimePoint{t.since_start_ + d};
  }
  friend constexpr TimePoint operator-(TimePoint t, Duration d) {
    return TimePoint{t.since_start_ - d};
  }
  friend constexpr Duration operator-(TimePoint a, TimePoint b) {
    return a.since_start_ - b.since_start_;
  }

 private:
  Duration since_start_;
};

/// Quotient of two non-negative numbers, rounded up, through 128 bits.
constexpr std::int64_t divide_up(Int128 numerator, std::int64_t denominator) {
  TANTALUS_CHECK(numerator >= 0 && denominator > 0, "division needs a positive rate");
  const Int128 quotient = (numerator + denominator - 1) / denominator;
  TANTALUS_CHECK(quotient <= INT64_MAX, "quantity overflows");
  return static_cast<std::int64_t>(quotient);
}

/// Time to move `size` at `rate`, rounded up once: a non-empty transfer never takes zero time.
constexpr Duration operator/(Bytes size, Bandwidth rate) {
  return Duration{divide_up(Int128{size.count()} * picoseconds_per_second, rate.count())};
}

/// Exact for n cycles to within one rounding up; no stored period.
constexpr Duration operator/(Cycles n, Frequency clock) {
  return Duration{divide_up(Int128{n.count()} * picoseconds_per_second, clock.count())};
}

constexpr Duration operator/(Flops n, FlopRate rate) {
  return Duration{divide_up(Int128{n.count()} * picoseconds_per_second, rate.count())};
}

constexpr Bandwidth operator*(BytesPerCycle width, Frequency clock) {
  const Int128 product = Int128{width.count()} * clock.count();
  TANTALUS_CHECK(product >= INT64_MIN && product <= INT64_MAX, "quantity overflows");
  return Bandwidth{static_cast<std::int64_t>(product)};
}

/// A bus of `width` bits that moves one word at each transfer.
constexpr Bandwidth operator*(BitWidth width, TransferRate rate) {
  const Int128 product = Int128{width.count()} * rate.count() / 8;
  TANTALUS_CHECK(product >= INT64_MIN && product <= INT64_MAX, "quantity overflows");
  return Bandwidth{static_cast<std::int64_t>(product)};
}

constexpr FlopRate operator*(FlopsPerCycle width, Frequency clock) {
  const Int128 product = Int128{width.count()} * clock.count();
  TANTALUS_CHECK(product >= INT64_MIN && product <= INT64_MAX, "quantity overflows");
  return FlopRate{static_cast<std::int64_t>(product)};
}

/// The one door from a cost in double seconds into integer time: rounded up once, never negative, never infinite.
Duration duration_from_seconds(double seconds);

/// Seconds as a double, for cost formulas and reports only; never fed back into the event queue.
constexpr double seconds(Duration d) { return static_cast<double>(d.count()) * 1e-12; }

/// A share in [0, 1]: an efficiency, a utilisation, a hit rate.
class Fraction {
 public:
  constexpr Fraction() = default;
  constexpr explicit Fraction(double value) : value_(value) {
    TANTALUS_CHECK(value >= 0.0 && value <= 1.0, "a fraction lies between 0 and 1");
  }
  constexpr double value() const { return value_; }
  constexpr auto operator<=>(const Fraction&) const = default;

 private:
  double value_ = 0.0;
};

}  // namespace tantalus

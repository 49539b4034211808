// Predicted beside measured times: how far off a model is, in the few numbers that describe it, and a plain roofline judged by
// the same rule. Pure arithmetic over rows; it knows neither operators nor devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/units.hpp"

namespace tantalus {

/// One measured time with what was predicted for it. `measured` is above zero.
struct MeasuredTime {
  std::string family;  // rows of one family are summed up together
  Duration measured;
  Duration predicted, low, high;
  Duration roofline;  // max(FLOPs over listed peak, bytes over listed bandwidth)

  /// predicted / measured - 1.
  double error() const;
};

/// Errors are relative to the measured time. APE: absolute value of the error.
struct ErrorSummary {
  std::size_t count = 0;
  double mape = 0, median_ape = 0, p90_ape = 0, worst_ape = 0;
  double bias = 0;              // mean signed error
  double median_ratio = 0;      // median of predicted / measured
  double median_factor = 0;     // median of max(ratio, 1 / ratio): exp of the median |ln ratio|
  double beyond_half = 0;       // share of rows off by more than a factor of 1.5 either way
  double rank_correlation = 0;  // Spearman's; 0 when either side has no order
  double roofline_mape = 0, roofline_bias = 0;
  double interval_coverage = 0;  // share of rows whose measured time lies in [low, high]
  double interval_width = 0;     // median of (high - low) / predicted
};

/// All zero for no rows.
ErrorSummary summarise(std::span<const MeasuredTime> rows);

/// Which rows a summary is about.
enum class SizeThird : std::uint8_t { all, small, middle, large };
std::string_view name_of(SizeThird third);

struct ErrorGroup {
  std::string family;  // empty: all families
  SizeThird third = SizeThird::all;
  ErrorSummary summary;
};

/// Every family in order of its name: the whole, then its thirds by roofline time (a size that no measurement decides). Thirds
/// are left out where a family has fewer than `least_for_thirds` rows.
inline constexpr std::size_t least_for_thirds = 12;
std::vector<ErrorGroup> group_errors(std::vector<MeasuredTime> rows);

}  // namespace tantalus

// What is made of repeated timings: which samples count, their middle and spread, and when there are enough. Pure functions of
// numbers, so that the craft of measuring is tested without a clock.
//
// Each sample carries the rate of a probe that ran beside it. A sample whose probe was slow met a throttled clock or a
// neighbour; it is dropped and counted, never averaged in. Medians, because what disturbs only ever adds time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tantalus::validation {

struct Sample {
  double seconds = 0;
  double probe_rate = 0;  // the slower of the probes before and after; 0: none ran
};

struct Timing {
  double seconds = 0;       // median of the samples that count
  double spread = 0;        // half the distance of the quartiles, relative to the median
  std::size_t samples = 0;  // that count
  std::size_t dropped = 0;  // whose probe was slow
  bool confident = false;   // enough of them (see StopRule)
};

struct StopRule {
  double half_width = 0.02;  // of the 95 % interval of the median, relative
  std::size_t least = 7;
  std::size_t most = 101;
  double seconds = 3.0;   // and no longer than this, once `least` are there
  double patience = 2.0;  // so many times longer while they are not: a neighbour may go away
};

/// How much slower than the best sustained probe a probe may be.
inline constexpr double throttled_below = 0.94;

double median(std::vector<double> values);
/// Linear between ranks; share in [0, 1]. `values` is not empty.
double quantile(std::vector<double> values, double share);

/// Half width of the 95 % interval of the median from order statistics, relative to it; infinite below five samples.
double half_width(std::span<const double> seconds);

/// The rate that probes sustain: the 80th percentile, so that one lucky probe does not condemn the rest.
double sustained_rate(std::span<const double> rates);

/// Samples whose probe reached `throttled_below` of `rate`. When these are fewer than five the machine was hardly ever quiet: then
/// the best third by probe is kept, and the others are counted as dropped.
std::vector<double> undisturbed(std::span<const Sample> samples, double rate);

Timing timing_of(std::span<const Sample> samples, double rate, const StopRule& rule);

/// True when no further sample is needed, or `elapsed` seconds are enough.
bool is_enough(std::span<const Sample> samples, double rate, const StopRule& rule, double elapsed);

}  // namespace tantalus::validation

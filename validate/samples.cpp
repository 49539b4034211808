#include "validate/samples.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus::validation {

namespace {

constexpr double sustained_share = 0.8;
constexpr std::size_t least_for_interval = 5;

std::vector<double> rates_of(std::span<const Sample> samples) {
  std::vector<double> rates;
  for (const Sample& sample : samples) {
    if (sample.probe_rate > 0.0) rates.push_back(sample.probe_rate);
  }
  return rates;
}

std::size_t quiet_samples(std::span<const Sample> samples, double rate) {
  const double least = throttled_below * rate;
  return static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(), [&](const Sample& sample) {
        return sample.probe_rate <= 0.0 || sample.probe_rate >= least;
      }));
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

// Ranks n/2 +- 0.98 sqrt(n): the binomial's normal approximation (any statistics text, "sign test interval").
double half_width(std::span<const double> seconds) {
  if (seconds.size() < least_for_interval) return HUGE_VAL;
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const double reach = 0.98 * std::sqrt(n);
  const double low = std::max(0.0, std::floor(n / 2.0 - reach));
  const double high = std::min(n - 1.0, std::ceil(n / 2.0 + reach) - 1.0);
  const double width =
      sorted[static_cast<std::size_t>(high)] - sorted[static_cast<std::size_t>(low)];
  return width / 2.0 / median(std::move(sorted));
}

double sustained_rate(std::span<const double> rates) {
  return rates.empty() ? 0.0 : quantile({rates.begin(), rates.end()}, sustained_share);
}

std::vector<double> undisturbed(std::span<const Sample> samples, double rate) {
  double least = throttled_below * rate;
  const std::vector<double> rates = rates_of(samples);
  if (!rates.empty() && quiet_samples(samples, rate) < least_for_interval)
    least = std::min(least, quantile(rates, 2.0 / 3.0));
  std::vector<double> kept;
  for (const Sample& sample : samples) {
    if (sample.probe_rate <= 0.0 || sample.probe_rate >= least) kept.push_back(sample.seconds);
  }
  return kept;
}

Timing timing_of(std::span<const Sample> samples, double rate, const StopRule& rule) {
  Timing timing;
  const std::vector<double> kept = undisturbed(samples, rate);
  timing.samples = kept.size();
  timing.dropped = samples.size() - kept.size();
  if (kept.empty()) return timing;
  timing.seconds = median(kept);
  if (timing.seconds > 0.0) {
    timing.spread = (quantile(kept, 0.75) - quantile(kept, 0.25)) / 2.0 / timing.seconds;
  }
  timing.confident = kept.size() >= rule.least && half_width(kept) <= rule.half_width;
  return timing;
}

bool is_enough(std::span<const Sample> samples, double rate, const StopRule& rule, double elapsed) {
  const std::size_t quiet = quiet_samples(samples, rate);
  if (quiet < rule.least) return elapsed > rule.patience * rule.seconds && samples.size() > 2;
  if (quiet >= rule.most || elapsed > rule.seconds) return true;
  return half_width(undisturbed(samples, rate)) <= rule.half_width;
}

}  // namespace tantalus::validation

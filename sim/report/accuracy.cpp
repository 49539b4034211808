#include "sim/report/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr double off_by_half = 1.5;

double ratio(Duration a, Duration b) {
  return static_cast<double>(a.count()) / static_cast<double>(b.count());
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Linear between the two nearest ranks; `values` is reordered.
double quantile(std::vector<double>& values, double share) {
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), nth, values.end());
  const double low = *nth;
  if (below + 1 == values.size()) return low;
  const double high = *std::min_element(nth + 1, values.end());
  return low + (at - static_cast<double>(below)) * (high - low);
}

// Ranks from 1; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    const double shared = static_cast<double>(first + last) / 2.0 + 1.0;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = shared;
    first = last + 1;
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean(a), mean_b = mean(b);
  double product = 0.0, square_a = 0.0, square_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - mean_a) * (b[i] - mean_b);
    square_a += (a[i] - mean_a) * (a[i] - mean_a);
    square_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  const double scale = std::sqrt(square_a) * std::sqrt(square_b);
  return scale > 0.0 ? product / scale : 0.0;
}

double share_where(std::span<const MeasuredTime> rows, bool (*holds)(const MeasuredTime&)) {
  return static_cast<double>(std::count_if(rows.begin(), rows.end(), holds)) /
         static_cast<double>(rows.size());
}

// How many times too long or too short; a prediction of zero is infinitely too short.
double factor_of(const MeasuredTime& row) {
  const double r = ratio(row.predicted, row.measured);
  return r > 0.0 ? std::max(r, 1.0 / r) : HUGE_VAL;
}

bool is_beyond_half(const MeasuredTime& row) { return factor_of(row) > off_by_half; }
bool is_covered(const MeasuredTime& row) {
  return row.low <= row.measured && row.measured <= row.high;
}

template <class Function>
std::vector<double> each(std::span<const MeasuredTime> rows, Function value) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const MeasuredTime& row : rows) values.push_back(value(row));
  return values;
}

double width_of(const MeasuredTime& row) {
  return row.predicted.count() > 0 ? ratio(row.high - row.low, row.predicted) : 0.0;
}

}  // namespace

double MeasuredTime::error() const { return ratio(predicted, measured) - 1.0; }

ErrorSummary summarise(std::span<const MeasuredTime> rows) {
  ErrorSummary s;
  s.count = rows.size();
  if (rows.empty()) return s;
  std::vector<double> ape = each(rows, [](const auto& row) { return std::fabs(row.error()); });
  s.mape = mean(ape);
  s.worst_ape = *std::max_element(ape.begin(), ape.end());
  s.median_ape = quantile(ape, 0.5);
  s.p90_ape = quantile(ape, 0.9);
  s.bias = mean(each(rows, [](const auto& row) { return row.error(); }));
  std::vector<double> ratios =
      each(rows, [](const auto& row) { return ratio(row.predicted, row.measured); });
  s.median_ratio = quantile(ratios, 0.5);
  std::vector<double> factors = each(rows, factor_of);
  s.median_factor = quantile(factors, 0.5);
  s.beyond_half = share_where(rows, is_beyond_half);
  s.rank_correlation =
      correlation(ranks_of(each(rows, [](const auto& row) { return seconds(row.predicted); })),
                  ranks_of(each(rows, [](const auto& row) { return seconds(row.measured); })));
  s.roofline_bias =
      mean(each(rows, [](const auto& row) { return ratio(row.roofline, row.measured) - 1.0; }));
  s.roofline_mape = mean(each(
      rows, [](const auto& row) { return std::fabs(ratio(row.roofline, row.measured) - 1.0); }));
  s.interval_coverage = share_where(rows, is_covered);
  std::vector<double> widths = each(rows, width_of);
  s.interval_width = quantile(widths, 0.5);
  return s;
}

std::string_view name_of(SizeThird third) {
  switch (third) {
    case SizeThird::all:
      return "all";
    case SizeThird::small:
      return "small";
    case SizeThird::middle:
      return "middle";
    case SizeThird::large:
      return "large";
  }
  fail_check(__FILE__, __LINE__, "a third has a name", "a third that is none");
}

std::vector<ErrorGroup> group_errors(std::vector<MeasuredTime> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const MeasuredTime& a, const MeasuredTime& b) {
    return a.family != b.family ? a.family < b.family : a.roofline < b.roofline;
  });
  std::vector<ErrorGroup> groups;
  const std::span<const MeasuredTime> all(rows);
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first;
    while (end < rows.size() && rows[end].family == rows[first].family) ++end;
    const std::size_t count = end - first;
    const std::string& family = rows[first].family;
    groups.push_back({family, SizeThird::all, summarise(all.subspan(first, count))});
    if (count >= least_for_thirds) {
      const std::size_t one = count / 3, two = count - count / 3;
      groups.push_back({family, SizeThird::small, summarise(all.subspan(first, one))});
      groups.push_back({family, SizeThird::middle, summarise(all.subspan(first + one, two - one))});
      groups.push_back(
          {family, SizeThird::large, summarise(all.subspan(first + two, count - two))});
    }
    first = end;
  }
  return groups;
}

}  // namespace tantalus

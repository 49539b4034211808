#include "sim/report/interval.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "sim/report/accuracy.hpp"

namespace tantalus::testing {

namespace {

Doubt model_error(const char* family, double share) { return {family, share, 0.0}; }

/// Rows of three sizes whose errors, as powers of 1 + `spread`, are even between -1.25 and 1.25: four of five lie within.
std::vector<MeasuredTime> even_errors(double spread, double stated) {
  std::vector<MeasuredTime> rows;
  for (int size = 1; size <= 3; ++size) {
    for (int i = 0; i <= 100; ++i) {
      MeasuredTime row;
      row.family = "gemm fp32";
      row.predicted = row.roofline = Duration{1'000'000'000L * size};
      const double power = 0.025 * (i - 50);
      row.measured =
          Duration{std::llround(seconds(row.predicted) * 1e12 * std::pow(1.0 + spread, power))};
      const Interval interval = interval_of(row.predicted, stated);
      row.low = interval.low;
      row.high = interval.high;
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("an interval is a factor either way and never begins below zero") {
  const Interval half = interval_of(Duration{1'500}, 0.5);
  CHECK(half.low == Duration{1'000});  // 1,500 / 1.5
  CHECK(half.high == Duration{2'250});

  CHECK(interval_of(Duration{1'500}, 20.0).low > Duration{0});
  CHECK(interval_of(Duration{1'500}, 0.0).low == Duration{1'500});
}

TEST_CASE(
    "errors that spread as stated are covered four times in five in every third of the sizes") {
  for (const double share : {0.03, 0.1, 0.3, 0.8}) {
    for (const ErrorGroup& group : group_errors(even_errors(share, share))) {
      CAPTURE(share);
      CHECK(group.summary.interval_coverage >= 0.70);
      CHECK(group.summary.interval_coverage <= 0.92);
      CHECK(group.summary.interval_width <= 3.5 * group.summary.mape);
    }
  }
}

TEST_CASE("an error stated too small covers too few and one too large is too wide") {
  const ErrorSummary narrow = group_errors(even_errors(0.3, 0.1)).front().summary;
  const ErrorSummary wide = group_errors(even_errors(0.1, 0.3)).front().summary;

  CHECK(narrow.interval_coverage < 0.70);
  CHECK(wide.interval_coverage == 1.0);
  CHECK(wide.interval_width > 3.5 * wide.mape);
}

TEST_CASE("kernels of one family err mostly together, families on their own") {
  DoubtSum one;
  one.add(Duration{1'000}, model_error("gemm", 0.2));  // 200
  one.add(Duration{3'000}, model_error("gemm", 0.2));  // 600
  // In common 0.6 x 800^2, of each its own 0.4 x (200^2 + 600^2): 737.6 of 4,000.
  CHECK(one.share() == doctest::Approx(737.564 / 4000.0));

  DoubtSum two;
  two.add(Duration{3'000}, model_error("gemm", 0.2));         // 600
  two.add(Duration{4'000}, model_error("elementwise", 0.2));  // 800; together 1,000 of 7,000
  CHECK(two.share() == doctest::Approx(1.0 / 7.0));
}

TEST_CASE("a rate that nobody measured is wrong for every family at once") {
  DoubtSum sum;
  sum.add(Duration{1'000}, {"gemm", 0.0, 0.1});
  sum.add(Duration{1'000}, {"elementwise", 0.0, 0.1});

  CHECK(sum.share() == doctest::Approx(0.1));
}

TEST_CASE("the host's time has a doubt of its own") {
  DoubtSum sum;
  sum.add(Duration{1'000}, model_error("gemm", 0.3));
  sum.add_host(Duration{1'000}, 0.4);

  CHECK(sum.share() == doctest::Approx(0.25));  // sqrt(300^2 + 400^2) of 2,000
  CHECK(DoubtSum().share() == 0.0);
}

}  // namespace tantalus::testing

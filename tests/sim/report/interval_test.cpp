#include "sim/report/interval.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "sim/report/accuracy.hpp"

namespace tantalus::testing {

namespace {

Doubt model_error(const char* family, double share) {
  Doubt doubt;
  doubt.family = family;
  doubt.model = share;
  return doubt;
}

/// How far a sum goes either way where nothing says that the two differ.
double share_of(const DoubtSum& sum) {
  CHECK(sum.shares().faster == sum.shares().slower);
  return sum.shares().slower;
}

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
      const Interval interval = interval_of(row.predicted, {stated, stated});
      row.low = interval.low;
      row.high = interval.high;
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("an interval is a factor either way and never begins below zero") {
  const Interval half = interval_of(Duration{1'500}, {0.5, 0.5});
  CHECK(half.low == Duration{1'000});  // 1,500 / 1.5
  CHECK(half.high == Duration{2'250});

  CHECK(interval_of(Duration{1'500}, {20.0, 20.0}).low > Duration{0});
  CHECK(interval_of(Duration{1'500}, {}).low == Duration{1'500});
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

TEST_CASE("a chosen kernel is missed more than beaten, and an unmeasured rate is wrong both ways") {
  Doubt chosen = model_error("gemm", 0.3);
  chosen.faster = 0.25;
  DoubtSum sum;
  sum.add(Duration{1'000}, chosen);
  CHECK(sum.shares().slower == doctest::Approx(0.3));
  CHECK(sum.shares().faster == doctest::Approx(0.075));

  chosen.parameters = 0.4;
  DoubtSum rated;
  rated.add(Duration{1'000}, chosen);
  CHECK(rated.shares().slower == doctest::Approx(0.5));       // sqrt(0.3^2 + 0.4^2)
  CHECK(rated.shares().faster == doctest::Approx(0.406971));  // sqrt(0.075^2 + 0.4^2)
}

TEST_CASE(
    "a kernel as short as `brief` errs twice as much as a long one, as squares, and upwards") {
  Doubt doubt = model_error("gemm", 0.1);
  doubt.brief = Duration{2'000};
  const auto shares = [&](std::int64_t picoseconds) {
    DoubtSum sum;
    sum.add(Duration{picoseconds}, doubt);
    return sum.shares();
  };

  CHECK(shares(2'000).slower == doctest::Approx(0.1 * std::sqrt(2.0)));
  CHECK(shares(250).slower == doctest::Approx(0.3));  // 0.1 sqrt(1 + 8)
  CHECK(shares(2'000'000).slower == doctest::Approx(0.1).epsilon(0.001));
  CHECK(shares(250).faster == doctest::Approx(0.1));
}

TEST_CASE("what short kernels add is each one's own and evens out in a step") {
  Doubt doubt = model_error("gemm", 0.1);
  doubt.brief = Duration{8'000};
  DoubtSum step;
  for (int kernel = 0; kernel < 100; ++kernel) step.add(Duration{1'000}, doubt);

  // In common 0.6 x (100 x 100)^2, of each its own 100 x (0.4 + 8) x 100^2: 8,270 of 100,000.
  CHECK(step.shares().slower == doctest::Approx(8270.43 / 100'000.0));
}

TEST_CASE("kernels that overlap keep their doubt in the time that they take together") {
  DoubtSum kernels;
  kernels.add(Duration{3'000}, model_error("gemm", 0.2));
  DoubtSum step;
  step.add_overlapped(Duration{2'000}, kernels);  // 400
  step.add_host(Duration{1'000}, 0.3);            // 300

  CHECK(share_of(step) == doctest::Approx(500.0 / 3000.0));
}

TEST_CASE("kernels of one family err mostly together, families on their own") {
  DoubtSum one;
  one.add(Duration{1'000}, model_error("gemm", 0.2));  // 200
  one.add(Duration{3'000}, model_error("gemm", 0.2));  // 600
  // In common 0.6 x 800^2, of each its own 0.4 x (200^2 + 600^2): 737.6 of 4,000.
  CHECK(share_of(one) == doctest::Approx(737.564 / 4000.0));

  DoubtSum two;
  two.add(Duration{3'000}, model_error("gemm", 0.2));         // 600
  two.add(Duration{4'000}, model_error("elementwise", 0.2));  // 800; together 1,000 of 7,000
  CHECK(share_of(two) == doctest::Approx(1.0 / 7.0));
}

TEST_CASE("a rate that nobody measured is wrong for every family at once") {
  Doubt rate;
  rate.parameters = 0.1;
  DoubtSum sum;
  for (const char* family : {"gemm", "elementwise"}) {
    rate.family = family;
    sum.add(Duration{1'000}, rate);
  }

  CHECK(share_of(sum) == doctest::Approx(0.1));
}

TEST_CASE("the host's time has a doubt of its own") {
  DoubtSum sum;
  sum.add(Duration{1'000}, model_error("gemm", 0.3));
  sum.add_host(Duration{1'000}, 0.4);

  CHECK(share_of(sum) == doctest::Approx(0.25));  // sqrt(300^2 + 400^2) of 2,000
  CHECK(DoubtSum().shares().slower == 0.0);
}

}  // namespace tantalus::testing

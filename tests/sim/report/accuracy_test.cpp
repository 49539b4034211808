#include "sim/report/accuracy.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace tantalus::testing {

namespace {

MeasuredTime row(std::int64_t measured, std::int64_t predicted, std::string family = "gemm") {
  MeasuredTime r;
  r.family = std::move(family);
  r.measured = Duration{measured};
  r.predicted = Duration{predicted};
  r.low = Duration{predicted - predicted / 10};
  r.high = Duration{predicted + predicted / 10};
  r.roofline = Duration{measured / 2};
  return r;
}

}  // namespace

TEST_CASE("no rows have no error") {
  const ErrorSummary none = summarise({});

  CHECK(none.count == 0);
  CHECK(none.mape == 0.0);
  CHECK(group_errors({}).empty());
}

TEST_CASE("errors are relative to what was measured, and signs survive in the bias") {
  const MeasuredTime rows[] = {row(1000, 1100), row(1000, 900), row(1000, 1400), row(1000, 1000)};

  const ErrorSummary s = summarise(rows);

  CHECK(s.count == 4);
  CHECK(s.mape == doctest::Approx(0.15));        // (0.1 + 0.1 + 0.4 + 0) / 4
  CHECK(s.bias == doctest::Approx(0.10));        // (0.1 - 0.1 + 0.4 + 0) / 4
  CHECK(s.median_ape == doctest::Approx(0.10));  // 0, 0.1, 0.1, 0.4
  CHECK(s.p90_ape == doctest::Approx(0.31));     // 0.7 of the way from 0.1 to 0.4
  CHECK(s.worst_ape == doctest::Approx(0.40));
  CHECK(s.median_ratio == doctest::Approx(1.05));
  CHECK(s.roofline_mape == doctest::Approx(0.5));
  CHECK(s.roofline_bias == doctest::Approx(-0.5));
}

TEST_CASE("a factor of one and a half counts in either direction") {
  const MeasuredTime rows[] = {row(1000, 1510), row(1000, 660), row(1000, 1490), row(1000, 670)};

  CHECK(summarise(rows).beyond_half == doctest::Approx(0.5));
  CHECK(summarise(rows).median_factor == doctest::Approx(1.5).epsilon(0.01));
}

TEST_CASE("coverage counts the rows inside their interval and width is relative to the time") {
  const MeasuredTime rows[] = {row(1000, 1050), row(1000, 1000), row(1000, 1200)};

  const ErrorSummary s = summarise(rows);

  CHECK(s.interval_coverage == doctest::Approx(2.0 / 3.0));
  CHECK(s.interval_width == doctest::Approx(0.2));
}

TEST_CASE("rank correlation sees order alone, with ties in the middle") {
  const MeasuredTime same[] = {row(10, 1), row(20, 50), row(30, 51)};
  const MeasuredTime reversed[] = {row(10, 30), row(20, 20), row(30, 10)};
  const MeasuredTime tied[] = {row(10, 10), row(20, 20), row(30, 20)};
  const MeasuredTime flat[] = {row(10, 5), row(20, 5)};

  CHECK(summarise(same).rank_correlation == doctest::Approx(1.0));
  CHECK(summarise(reversed).rank_correlation == doctest::Approx(-1.0));
  CHECK(summarise(tied).rank_correlation == doctest::Approx(std::sqrt(0.75)));  // 1, 2.5, 2.5
  CHECK(summarise(flat).rank_correlation == 0.0);
}

TEST_CASE("families come in order, each with its thirds when it has rows enough") {
  std::vector<MeasuredTime> rows;
  for (std::int64_t i = 1; i <= 12; ++i)
    rows.push_back(row(i * 1000, i <= 4 ? i * 2000 : i * 1000));
  rows.push_back(row(500, 500, "add"));

  const std::vector<ErrorGroup> groups = group_errors(rows);

  REQUIRE(groups.size() == 5);
  CHECK(groups[0].family == "add");
  CHECK(groups[1].family == "gemm");
  CHECK(groups[1].third == SizeThird::all);
  CHECK(groups[1].summary.count == 12);
  CHECK(groups[2].third == SizeThird::small);
  CHECK(groups[2].summary.count == 4);
  CHECK(groups[2].summary.mape == doctest::Approx(1.0));  // the four small ones are twice too slow
  CHECK(groups[4].third == SizeThird::large);
  CHECK(groups[4].summary.mape == 0.0);
}

}  // namespace tantalus::testing

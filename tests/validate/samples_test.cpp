#include "validate/samples.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace tantalus::validation {
namespace {

TEST_CASE("the median of an even number of values lies between the middle two") {
  CHECK(median({4.0, 1.0, 3.0, 2.0}) == 2.5);
  CHECK(quantile({10.0, 20.0, 30.0}, 0.75) == 25.0);
}

TEST_CASE("the interval of a median needs five samples and shrinks as they agree") {
  const std::vector<double> four{1, 1, 1, 1}, same(25, 2.0), wide{1, 2, 3, 4, 5, 6, 7, 8, 9};

  CHECK(half_width(four) == HUGE_VAL);
  CHECK(half_width(same) == 0.0);
  // 9 values: ranks 4.5 -+ 2.94 are values 2 and 8; (8 - 2) / 2 / 5.
  CHECK(half_width(wide) == doctest::Approx(0.6));
}

TEST_CASE("a sample beside a slow probe is dropped and counted") {
  std::vector<Sample> samples(9, {1.0, 100.0});
  samples.push_back({2.0, 90.0});  // below 0.94 x 100
  samples.push_back({1.1, 95.0});

  const Timing t = timing_of(samples, 100.0, {});

  CHECK(t.samples == 10);
  CHECK(t.dropped == 1);
  CHECK(t.seconds == 1.0);
}

TEST_CASE("on a machine that is never quiet the best third still counts") {
  std::vector<Sample> samples;
  for (int i = 0; i < 9; ++i) samples.push_back({10.0 - i, 50.0 + i});

  const std::vector<double> kept = undisturbed(samples, 100.0);

  CHECK(kept.size() >= 3);
  CHECK(kept.size() < 9);
  CHECK(kept.back() == 2.0);
}

TEST_CASE("measuring stops when the median is known or time is up, never before the least count") {
  const StopRule rule{0.02, 7, 20, 3.0};
  const std::vector<Sample> few(6, {1.0, 100.0}), enough(12, {1.0, 100.0});
  std::vector<Sample> scattered;
  for (int i = 0; i < 12; ++i) scattered.push_back({1.0 + 0.1 * i, 100.0});

  CHECK_FALSE(is_enough(few, 100.0, rule, 0.1));
  CHECK(is_enough(enough, 100.0, rule, 0.1));
  CHECK_FALSE(is_enough(scattered, 100.0, rule, 0.1));
  CHECK(is_enough(scattered, 100.0, rule, 3.1));
  CHECK(is_enough(std::vector<Sample>(20, {1.0, 100.0}), 100.0, rule, 0.0));
}

TEST_CASE("beside a busy neighbour measuring goes on, but not for ever") {
  StopRule rule{0.02, 7, 20, 3.0};
  rule.patience = 4.0;
  const std::vector<Sample> slow(500, {1.0, 50.0});

  CHECK_FALSE(is_enough(slow, 100.0, rule, 11.9));
  CHECK(is_enough(slow, 100.0, rule, 12.1));
}

TEST_CASE("five quiet samples count alone, however many others there are") {
  std::vector<Sample> samples(100, {2.0, 50.0});
  for (int i = 0; i < 5; ++i) samples.push_back({1.0, 100.0});

  CHECK(undisturbed(samples, 100.0) == std::vector<double>(5, 1.0));
}

TEST_CASE("the sustained rate is not that of the luckiest probe") {
  std::vector<double> rates(10, 100.0);
  rates.push_back(150.0);

  CHECK(sustained_rate(rates) == 100.0);
}

}  // namespace
}  // namespace tantalus::validation

#include "sim/pipeline/changes.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tests/sim/pipeline/training_fixture.hpp"

namespace tantalus {
namespace {

using test::in_memory;
using test::milliseconds;

double gain_of(const std::vector<ChangeResult>& changes, const std::string& words) {
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [&](const ChangeResult& c) { return c.change == words; });
  REQUIRE(found != changes.end());
  return found->gain;
}

TEST_CASE("with a slow loader workers help and a faster device does not") {
  const TrainingSetup setup = in_memory(6'400, Duration{100'000'000});
  const std::vector<ChangeResult> changes = what_would_help(setup, {});
  CHECK(gain_of(changes, "one loader worker more") == doctest::Approx(1.5).epsilon(0.03));
  CHECK(gain_of(changes, "a device twice as fast") == doctest::Approx(1.0).epsilon(0.02));
  CHECK(changes.front().change == "twice the loader workers");
  CHECK(bottlenecks_of(setup).first == Cause::prepare);
}

TEST_CASE("with a fast loader a faster device helps and workers do not") {
  TrainingSetup setup = in_memory(6'400, Duration{1'000'000});
  setup.step.device = setup.step.busy = milliseconds(20);
  const std::vector<ChangeResult> changes = what_would_help(setup, {});
  CHECK(changes.front().change == "a device twice as fast");
  CHECK(gain_of(changes, "one loader worker more") == doctest::Approx(1.0).epsilon(0.01));
  CHECK(bottlenecks_of(setup).first == Cause::compute);
}

TEST_CASE("a drive that sets the pace is named, and more workers do not mend it") {
  const auto hdd = test::drive(hdd_kind, test::desktop_hdd);
  TrainingSetup setup = test::on_drive(*hdd, 20'000, Bytes{110'000});
  setup.loader.workers = 8;
  const Bottlenecks found = bottlenecks_of(setup);
  CHECK(found.first == Cause::fetch);
  const std::vector<ChangeResult> changes = what_would_help(setup, {});
  CHECK(changes.front().change == "memory for the whole data set");
  CHECK(gain_of(changes, "a second such drive") > 1.5);
  CHECK(gain_of(changes, "one loader worker more") < 1.1);
  CHECK(gain_of(changes, "a device twice as fast") == doctest::Approx(1.0).epsilon(0.01));
}

TEST_CASE("the second bottleneck is what is left when the first costs nothing") {
  TrainingSetup setup = in_memory(6'400, Duration{100'000'000});
  setup.step.host = milliseconds(2);
  const Bottlenecks found = bottlenecks_of(setup);
  CHECK(found.first == Cause::prepare);
  CHECK(found.second == Cause::host);
}

TEST_CASE(
    "a copy that the loader hides is not the bottleneck, however long the device waits for it") {
  TrainingSetup setup = in_memory(6'400, Duration{100'000'000});  // 3.2 ms a batch of two workers
  setup.step.device = setup.step.busy = milliseconds(1);
  setup.loader.copy_time = milliseconds(2);
  const PipelineResults run = simulate_training(setup);
  CHECK(longest_wait(run.last()) == Cause::copy);
  CHECK(bottlenecks_of(setup).first == Cause::prepare);
}

TEST_CASE("a long epoch is judged on a part of it") {
  TrainingSetup setup = in_memory(6'400'000, Duration{100'000'000});
  const std::vector<ChangeResult> changes = what_would_help(setup, {});
  CHECK(gain_of(changes, "one loader worker more") == doctest::Approx(1.5).epsilon(0.03));
}

}  // namespace
}  // namespace tantalus

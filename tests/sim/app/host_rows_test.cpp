#include "sim/app/host_rows.hpp"

#include <doctest/doctest.h>

namespace tantalus::testing {

namespace {

using Cells = std::vector<std::string>;

Cells row(const std::string& batch, const std::string& round, const std::string& what,
          const std::string& task, const std::string& name, const std::string& time) {
  return {"row",  "net", "onednn", batch, "inference", round,  what, task,  name, time,
          "0.02", "9",   "2",      "1",   "1e6",       "2000", "0",  "jit", ""};
}

Cells probe(const std::string& name, const std::string& value) {
  return {"row",  "",  "",  "1", "inference", "0", "probe", "0", name, "0",
          "0.01", "1", "0", "1", "0",         "0", value,   "",  ""};
}

const std::vector<HostCase> two_cases = {{"net", "net.yaml", 1, Mode::inference, "onednn"},
                                         {"net", "net.yaml", 4, Mode::inference, "onednn"}};

}  // namespace

TEST_CASE("rows of later rounds join the row at the same place of their case") {
  const HostMeasurements all = measurements_of(
      {row("4", "0", "step", "0", "conv1", "100"), row("4", "0", "pass", "0", "", "130"),
       row("1", "0", "step", "0", "conv1", "30"), row("4", "1", "step", "0", "conv1", "110"),
       row("4", "1", "pass", "0", "", "150")},
      two_cases);

  REQUIRE(all.cases.size() == 2);
  REQUIRE(all.cases[1].size() == 2);
  const HostMeasurement& conv = all.cases[1][0];
  CHECK(conv.name == "conv1");
  CHECK(conv.implementation == "jit");
  CHECK(conv.nanoseconds == std::vector<double>{100, 110});
  CHECK(conv.samples == 18);
  CHECK(conv.dropped == 4);
  CHECK(all.cases[1][1].what == "pass");
  CHECK(all.cases[0][0].nanoseconds == std::vector<double>{30});
}

TEST_CASE("two changes of layout in front of one step stay two rows") {
  const HostMeasurements all = measurements_of(
      {row("1", "0", "reorder", "3", "conv2", "5"), row("1", "0", "reorder", "3", "conv2", "7"),
       row("1", "1", "reorder", "3", "conv2", "6"), row("1", "1", "reorder", "3", "conv2", "8")},
      two_cases);

  REQUIRE(all.cases[0].size() == 2);
  CHECK(all.cases[0][0].nanoseconds == std::vector<double>{5, 6});
  CHECK(all.cases[0][1].nanoseconds == std::vector<double>{7, 8});
}

TEST_CASE("repeatability is the relative difference between rounds, unknown for one round") {
  HostMeasurement m;
  m.nanoseconds = {95, 105};
  CHECK(m.repeatability() == doctest::Approx(0.10));
  m.nanoseconds = {95};
  CHECK(m.repeatability() < 0.0);
}

TEST_CASE("probes and the machine's state are kept apart from layers") {
  const HostMeasurements all =
      measurements_of({{"machine", "processor", "Test CPU"},
                       probe("fma", "1e11"),
                       probe("fma", "9e10"),
                       {"value", "device", "cores", "2", "0", "inferred", "told"}},
                      two_cases);

  CHECK(all.machine.front().second == "Test CPU");
  CHECK(all.probes.at("fma") == std::vector<double>{1e11, 9e10});
  CHECK(all.cases[0].empty());
}

TEST_CASE(
    "the quietest round of a case counts, with the rates that were probed just before and after "
    "it") {
  const HostMeasurements all = measurements_of(
      {probe("fma", "10"), row("1", "0", "step", "0", "conv1", "30"),
       row("1", "0", "pass", "0", "", "50"), probe("fma", "20"),
       row("4", "0", "step", "0", "conv1", "90"), row("4", "0", "pass", "0", "", "90"),
       probe("fma", "60"), row("1", "1", "step", "0", "conv1", "40"),
       row("1", "1", "pass", "0", "", "45"), probe("fma", "80")},
      two_cases);

  // The second round's pass was the shorter one, though not its layer.
  CHECK(all.cases[0][0].time() == doctest::Approx(40));
  CHECK(all.cases[0][1].time() == doctest::Approx(45));
  CHECK(all.rates[0].flops == doctest::Approx((60 + 80) / 2.0));
  CHECK(all.cases[1][0].time() == doctest::Approx(90));
  CHECK(all.rates[1].flops == doctest::Approx((20 + 60) / 2.0));
  CHECK(all.rates[0].bytes == 0.0);
}

TEST_CASE("the plan names each case as the host program reads it") {
  CHECK(plan_text(two_cases) ==
        "net,net.yaml,1,inference,onednn\nnet,net.yaml,4,inference,onednn\n");
}

}  // namespace tantalus::testing

#include "sim/report/host_validation.hpp"

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "tests/golden.hpp"

namespace tantalus::testing {

namespace {

constexpr std::int64_t us = 1'000'000;

HostRow row_of(const std::string& what, const std::string& layer, const std::string& pass,
               std::int64_t measured_us, std::int64_t predicted_us) {
  HostRow row;
  row.network = "net", row.library = "onednn", row.mode = "training", row.batch = 4;
  row.what = what, row.layer = layer, row.pass = pass;
  const Duration predicted{predicted_us * us};
  row.time = {"conv2d",
              Duration{measured_us * us},
              predicted,
              Duration{predicted_us * us * 4 / 5},
              Duration{predicted_us * us * 6 / 5},
              Duration{predicted_us * us / 2}};
  row.spread = 0.02, row.repeatability = 0.04;
  row.samples = 9, row.dropped = 2;
  row.source = "kernels/cpu/dnn_chain.cpp", row.implementation = "jit:avx2";
  return row;
}

// Forward 100 and 200 us off by +8 and -10 %, backward off by +30 %, one small, one whole, one that cannot be.
HostValidation sample() {
  HostValidation v;
  v.system = "here", v.device = "cpu: Test CPU, one thread", v.driver = "Linux 6.1";
  v.machine = {{"processor", "Test CPU"}, {"onednn", "oneDNN 2.6.3 AVX2"}};
  v.probes = {{"multiply-add rate", "118.0 GFLOP/s (117.0 to 119.0, 5 times)"}};
  v.rows = {row_of("layer", "conv1", "forward", 100, 108),
            row_of("reorder", "conv2", "reorder", 40, 44),
            row_of("layer", "conv2", "forward", 200, 180),
            row_of("layer", "relu2", "forward", 10, 12),
            row_of("layer", "conv2", "weight_gradient", 100, 130),
            row_of("layer", "pool", "forward", 50, 500),
            row_of("whole", "", "whole", 500, 520)};
  v.rows[5].flag = "beats-bytes";
  v.samples = 63, v.dropped = 14;
  return v;
}

HostLimits limits() { return {0.10, 0.14, 0.25, 0.09, 0.15, Duration{20 * us}}; }

const HostGroup& group(const std::vector<HostGroup>& groups, const std::string& name) {
  for (const HostGroup& g : groups) {
    if (g.name == name) return g;
  }
  FAIL("no group ", name);
  return groups.front();
}

}  // namespace

TEST_CASE("the table of layers on this machine reads as its golden text") {
  check_golden("tests/sim/report/golden/host.txt", host_validation_table(sample(), limits(), {}));
}

TEST_CASE("its JSON and its rows of CSV read as their golden texts") {
  check_golden("tests/sim/report/golden/host.json", host_validation_json(sample(), limits()));
  check_golden("tests/sim/report/golden/host.csv", host_validation_csv(sample()));
}

TEST_CASE("forward, backward, small and whole are judged apart, flagged rows not at all") {
  const std::vector<HostGroup> groups = sample().groups(limits());

  const HostGroup& forward = group(groups, "forward layers");
  CHECK(forward.summary.count == 2);
  CHECK(forward.summary.mape == doctest::Approx(0.09));
  CHECK(forward.within);
  const HostGroup& backward = group(groups, "backward and update layers");
  CHECK(backward.summary.mape == doctest::Approx(0.30));
  CHECK_FALSE(backward.within);
  CHECK(group(groups, "small layers").summary.count == 1);
  CHECK(group(groups, "whole training steps").summary.mape == doctest::Approx(0.04));
  CHECK_FALSE(is_within(groups));
}

TEST_CASE("LeNet's whole passes are told apart") {
  HostValidation v = sample();
  v.rows.back().network = "lenet";

  const std::vector<HostGroup> groups = v.groups(limits());

  CHECK(group(groups, "whole training steps").summary.count == 0);
  CHECK(group(groups, "whole training steps of LeNet").summary.count == 1);
}

TEST_CASE("a machine that does not repeat itself raises a limit to 1.5 times that, at most 15 %") {
  HostValidation v = sample();
  const auto limit_at = [&](double repeatability) {
    for (HostRow& row : v.rows) row.repeatability = repeatability;
    return group(v.groups(limits()), "forward layers").limit;
  };

  CHECK(limit_at(-1.0) == doctest::Approx(0.10));  // one round: nothing is known
  CHECK(limit_at(0.06) == doctest::Approx(0.10));
  CHECK(limit_at(0.08) == doctest::Approx(0.12));
  CHECK(limit_at(0.30) == doctest::Approx(0.15));
}

TEST_CASE("the roofline beside it is scaled by the median of measured / roofline") {
  // Measured / roofline: 100 / 54 and 200 / 90. The greater of two is the median here: errors 20 % and 0.
  const HostGroup forward = group(sample().groups(limits()), "forward layers");

  CHECK(forward.scaled_roofline == doctest::Approx((200.0 / 90.0 * 0.54 - 1.0) / 2.0));
}

TEST_CASE("the JSON says for every row what ran and how sure we are") {
  const auto document = nlohmann::json::parse(host_validation_json(sample(), limits()));

  CHECK(document["schema"] == "tantalus.validate/1");
  for (const char* name : {"fingerprint", "system", "device", "driver", "machine", "probes",
                           "within", "samples", "dropped", "groups", "rows"}) {
    INFO("field: ", name);
    CHECK(document.contains(name));
  }
  CHECK(document["within"] == false);
  const auto& row = document["rows"][0];
  CHECK(row["source"] == "kernels/cpu/dnn_chain.cpp");
  CHECK(row["implementation"] == "jit:avx2");
  CHECK(row["error"].get<double>() == doctest::Approx(0.08));
  CHECK(row["covers"] == true);
  CHECK(document["rows"][4]["covers"] == false);
}

}  // namespace tantalus::testing

#include "sim/report/profile_report.hpp"

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "tests/golden.hpp"

namespace tantalus::testing {

namespace {

ProfileReport sample() {
  ProfileReport report;
  report.network = "lenet";
  report.mode = "inference";
  report.precision = "fp32";
  report.convention = "lecture";
  report.rows = {{"conv1",
                  "conv2d",
                  {1, 6, 24, 24},
                  89'856,
                  86'400,
                  172'800,
                  3'456,
                  156,
                  Bytes{3136},
                  Bytes{13'824},
                  Bytes{624},
                  Bytes{17'584}},
                 {"relu1",
                  "relu",
                  {1, 6, 24, 24},
                  6'912,
                  0,
                  0,
                  3'456,
                  0,
                  Bytes{13'824},
                  Bytes{13'824},
                  Bytes{0},
                  Bytes{27'648}}};
  report.ops = 96'768;
  report.macs = 86'400;
  report.flops = 172'800;
  report.parameters = 156;
  report.parameter_bytes = Bytes{624};
  report.largest_working_set = Bytes{27'648};
  return report;
}

}  // namespace

TEST_CASE("a profile reads as its golden text in all three forms") {
  check_golden("tests/sim/report/golden/profile.txt", profile_table(sample()));
  check_golden("tests/sim/report/golden/profile.json", profile_json(sample()));
  check_golden("tests/sim/report/golden/profile.csv", profile_csv(sample()));
}

TEST_CASE("the profile JSON has every field of the contract") {
  const auto document = nlohmann::json::parse(profile_json(sample()));

  for (const char* name :
       {"schema", "fingerprint", "network", "batch", "convention", "totals", "layers"}) {
    CHECK(document.contains(name));
  }
  for (const char* name : {"ops", "macs", "flops", "parameters", "parameter_bytes"}) {
    CHECK(document["totals"].contains(name));
  }
  for (const char* name : {"name", "kind", "output_shape", "ops", "macs", "flops", "parameters",
                           "input_bytes", "output_bytes", "parameter_bytes", "working_set_bytes"}) {
    CHECK(document["layers"][0].contains(name));
  }
}

TEST_CASE("the fingerprint of a profile follows its content") {
  ProfileReport other = sample();
  other.rows[0].ops += 1;
  const auto fingerprint = [](const ProfileReport& report) {
    return nlohmann::json::parse(profile_json(report))["fingerprint"].get<std::string>();
  };

  CHECK(fingerprint(sample()) == fingerprint(sample()));
  CHECK(fingerprint(sample()) != fingerprint(other));
}

}  // namespace tantalus::testing

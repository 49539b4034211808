// `predict --data`: the seed lecture's runs from one machine file and one loader file, and the fields of the contract.
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

namespace {

Answer lecture(const std::string& batch, const std::string& workers,
               const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {
      "predict",         "lecture-2021", "lenet",     "--mode",   "training",
      "--batch",         batch,          "--workers", workers,    "--stack",
      "pytorch-2-eager", "--data",       "mnist",     "--loader", "lecture-2021",
      "--format",        "json"};
  words.insert(words.end(), more.begin(), more.end());
  return answer_of(words);
}

struct Row {
  const char *batch, *workers;
  double epoch;  // seconds, measured
};

}  // namespace

TEST_CASE("the lecture's GPU epochs come out within 12 %, and the loader sets the pace in each") {
  for (const Row& row : {Row{"512", "2", 2.053}, Row{"1024", "2", 1.861}, Row{"64", "1", 4.489}}) {
    const Answer answer = lecture(row.batch, row.workers);
    REQUIRE(answer.code == 0);
    const auto run = nlohmann::json::parse(answer.out)["pipeline"];
    INFO(row.batch, " ", run["epoch_s"].get<double>());
    CHECK(run["epoch_s"].get<double>() == doctest::Approx(row.epoch).epsilon(0.12));
    CHECK(run["verdict"] == "prepare");
    CHECK(run["device_busy_fraction"].get<double>() < 0.1);
  }
}

TEST_CASE("the lecture's batch of 6,000 exhausts a container's shared memory: exit code 1") {
  const Answer answer = lecture("6000", "1");
  CHECK(answer.code == 1);
  const auto run = nlohmann::json::parse(answer.out)["pipeline"];
  CHECK(run["shared_memory"]["fits"] == false);
  CHECK(run["shared_memory"]["needed_bytes"] == 4 * 6'000 * 3'136);
  CHECK(run["epoch_s"].get<double>() == doctest::Approx(3.597).epsilon(0.12));
  CHECK(lecture("6000", "1", {"--set", "host.shared_memory=1GiB"}).code == 0);
}

TEST_CASE("a thousand epochs are one and 999 like the second") {
  const auto run = nlohmann::json::parse(lecture("512", "2", {"--epochs", "1000"}).out)["pipeline"];
  CHECK(run["epochs"] == 1'000);
  CHECK(run["steady"] == true);
  CHECK(run["simulated_epochs"].size() == 2);
  CHECK(run["total_s"].get<double>() ==
        doctest::Approx(run["first_epoch_s"].get<double>() + 999 * run["epoch_s"].get<double>()));
}

TEST_CASE("shares of stages and of the device's time add up to one") {
  const auto run = nlohmann::json::parse(lecture("512", "2").out)["pipeline"];
  double device = run["device_busy_fraction"].get<double>();
  for (const auto& [cause, share] : run["stall"].items()) device += share.get<double>();
  CHECK(device == doctest::Approx(1.0).epsilon(1e-5));
  REQUIRE_FALSE(run["stages"].empty());
  for (const auto& stage : run["stages"]) {
    CHECK(stage["busy"].get<double>() + stage["starved"].get<double>() +
              stage["blocked"].get<double>() ==
          doctest::Approx(1.0).epsilon(1e-5));
  }
  for (const char* field : {"samples_per_s", "first_epoch_s", "sentence", "second", "changes"})
    CHECK(run.contains(field));
}

}  // namespace tantalus::testing

#include <cmath>
#include <initializer_list>
#include <set>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "tests/golden.hpp"
#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

namespace {

std::vector<std::string> predict_words(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"predict"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

nlohmann::json prediction_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Answer answer = answer_of(predict_words(arguments));
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  return nlohmann::json::parse(answer.out);
}

void require_fields(const nlohmann::json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    INFO("field: ", name);
    CHECK(object.contains(name));
  }
}

}  // namespace

TEST_CASE(
    "LeNet and AlexNet are predicted on a GPU and on a CPU with every field of the contract") {
  for (const char* system : {"a100-80gb-pcie", "xeon-e5-2650-v3"}) {
    for (const char* network : {"lenet", "alexnet"}) {
      INFO(system, " ", network);
      const auto document = prediction_of({system, network});

      CHECK(document["system"] == system);
      CHECK(document["network"] == network);
      require_fields(document["totals"],
                     {"time_ns", "time_low_ns", "time_high_ns", "macs", "flops", "parameters",
                      "samples_per_s", "host_ns", "device_ns", "other_ops"});
      CHECK(document["totals"]["time_ns"] > 0.0);
      CHECK(document["totals"]["time_low_ns"] <= document["totals"]["time_ns"]);
      CHECK(document["totals"]["time_high_ns"] >= document["totals"]["time_ns"]);
      CHECK(document["memory"]["fits"] == true);
      const auto& conv1 = document["layers"][0];
      CHECK(conv1["name"] == "conv1");
      CHECK(conv1["kind"] == "conv2d");
      CHECK(conv1["pass"] == "forward");
      require_fields(conv1,
                     {"compute_ns", "memory_ns", "launch_ns", "sync_ns", "bound", "algorithm",
                      "input_bytes", "output_bytes", "parameter_bytes", "dram_bytes"});
      require_fields(conv1["kernels"][0],
                     {"name", "grid", "block", "registers_per_thread", "shared_bytes",
                      "blocks_per_sm", "occupancy_limit", "waves", "time_ns"});
    }
  }
}

TEST_CASE("a layer's time is the sum of its kernels and no kernel lies outside the step") {
  const auto document =
      prediction_of({"a100-80gb-pcie", "alexnet", "--batch", "128", "--mode", "training"});
  const double step = document["totals"]["time_ns"];

  for (const auto& layer : document["layers"]) {
    double sum = 0;
    for (const auto& kernel : layer["kernels"]) {
      sum += kernel["time_ns"].get<double>();
      CHECK(kernel["start_ns"].get<double>() >= 0.0);
      CHECK(kernel["start_ns"].get<double>() + kernel["time_ns"].get<double>() <= step + 0.001);
    }
    CHECK(std::fabs(sum - layer["time_ns"].get<double>()) < 0.01);
  }
}

TEST_CASE("a training step has forward, gradient and update passes and three times the work") {
  const auto forward = prediction_of({"a100-80gb-pcie", "alexnet", "--batch", "128"});
  const auto training =
      prediction_of({"a100-80gb-pcie", "alexnet", "--batch", "128", "--mode", "training"});

  std::set<std::string> passes;
  for (const auto& layer : training["layers"]) passes.insert(layer["pass"].get<std::string>());
  for (const char* pass : {"forward", "input_gradient", "weight_gradient", "update"})
    CHECK(passes.contains(pass));
  CHECK(training["totals"]["time_ns"] > forward["totals"]["time_ns"]);
  const double ratio =
      training["totals"]["macs"].get<double>() / forward["totals"]["macs"].get<double>();
  CHECK(ratio > 2.5);  // the first layer has no input gradient
  CHECK(ratio < 3.0);
  CHECK(training["memory"]["gradients_bytes"] == 4 * 61'100'840);
}

TEST_CASE(
    "the same question is answered with the same bytes, and a field that changes the answer "
    "changes the fingerprint") {
  const std::vector<std::string> question{"a100-80gb-pcie", "alexnet"};
  const auto first = prediction_of(question);
  CHECK(first == prediction_of(question));

  const auto other = prediction_of({"a100-80gb-pcie", "alexnet", "--set", "sm.count=54"});
  CHECK(first["fingerprint"] != other["fingerprint"]);
  CHECK(other["totals"]["time_ns"] > first["totals"]["time_ns"]);
  CHECK(contains(other["what_if"].dump(), "held constant"));
}

TEST_CASE("the table names system, stack and library before the layers") {
  const Answer answer = answer_of({"predict", "a100-80gb-pcie", "lenet"});

  REQUIRE(answer.code == 0);
  CHECK(answer.out.substr(0, 23) == "lenet on a100-80gb-pcie");
  for (const char* words : {"stack plain", "kernel library", "ideal host", "conv1", "fits"}) {
    CHECK(contains(answer.out, words));
  }
  CHECK_FALSE(contains(answer.out, "\x1b["));
  CHECK(contains(answer_of({"predict", "a100-80gb-pcie", "lenet", "--color", "always"}).out,
                 "\x1b["));
}

TEST_CASE("a network that does not fit is answered, and the exit code says no") {
  const Answer answer =
      answer_of({"predict", "t4", "vgg16", "--batch", "2048", "--mode", "training"});

  CHECK(answer.code == 1);
  CHECK(contains(answer.out, "does not fit"));
}

TEST_CASE("wrong usage, bad input and what is not here have exit codes of their own") {
  CHECK(answer_of({"predict", "a100-80gb-pcie", "lenet", "--batch", "-3"}).code == 2);
  CHECK(
      answer_of({"predict", "a100-80gb-pcie", "lenet", "--mode", "training", "--precision", "fp8"})
          .code == 2);
  CHECK(answer_of({"predict", "a100-80gb-pcie", "lenet", "--batch", "9000000000000000000"}).code ==
        2);
  CHECK(answer_of({"predict", "a100-80gb-pcie", "lenet", "--set", "sm.cuont=1"}).code == 2);
  CHECK(answer_of({"predict", "a100-80gb-pcie", "/nowhere/x.yaml"}).code == 3);
  CHECK(answer_of({"predict", "a100-80gb-pcie", "lennet"}).code == 3);
  CHECK(answer_of({"predict", "a100-80gb-pcie", "lenet", "--stack", "no-such-stack"}).code == 3);
  CHECK(answer_of({"predict", "a100-80gb-pcie", "lenet", "--device", "gpu7"}).code == 4);
  CHECK(answer_of({"predict", "gtx580", "lenet", "--precision", "fp8"}).code == 4);
}

TEST_CASE("mistakes in system and network are printed together") {
  const Answer answer = answer_of({"predict", "a100-80gb-pci", "lennet"});

  CHECK(answer.code == 3);
  CHECK(contains(answer.err, "did you mean 'a100-80gb-pcie'"));
  CHECK(contains(answer.err, "did you mean 'lenet'"));
}

TEST_CASE("a wrong --set path gets the same hint as a wrong key") {
  const Answer answer = answer_of({"predict", "a100-80gb-pcie", "lenet", "--set", "sm.cuont=1"});

  CHECK(contains(answer.err, "did you mean 'count'?"));
}

TEST_CASE("the timeline goes to a file of its own, and a folder that is not there is said") {
  const TemporaryFile file("trace.json", "");
  REQUIRE(answer_of({"predict", "a100-80gb-pcie", "lenet", "--trace", file.path()}).code == 0);

  const auto document = nlohmann::json::parse(text_of_file(file.path()));
  CHECK(document["traceEvents"].size() > 20);
  CHECK(answer_of({"predict", "a100-80gb-pcie", "lenet", "--trace", "/nowhere/t.json"}).code == 74);
}

}  // namespace tantalus::testing

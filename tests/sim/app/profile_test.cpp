#include <map>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

namespace {

nlohmann::json profile_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"profile"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"--format", "json"});
  const Answer answer = answer_of(all);
  REQUIRE(answer.code == 0);
  return nlohmann::json::parse(answer.out);
}

}  // namespace

TEST_CASE("LeNet by the lecture's convention counts as the lecture printed") {
  const auto document = profile_of({"lenet", "--convention", "lecture"});

  const std::map<std::string, std::int64_t> printed = {
      {"conv1", 89'856}, {"relu1", 6'912}, {"pool1", 2'592}, {"conv2", 154'624},
      {"relu2", 2'048},  {"pool2", 768},   {"fc1", 30'720},  {"relu3", 240},
      {"fc2", 7'200},    {"relu4", 120},   {"fc3", 600},     {"relu5", 20}};
  std::map<std::string, std::int64_t> counted;
  for (const auto& layer : document["layers"]) {
    const std::string name = layer["name"];
    if (printed.contains(name)) counted[name] = layer["ops"];
  }
  CHECK(counted == printed);
  CHECK(document["totals"]["ops"] == 295'700);
  CHECK(document["totals"]["macs"] == 278'520);
  CHECK(document["totals"]["parameters"] == 41'282);
}

TEST_CASE("LeNet's working sets are those of the lecture, to the byte") {
  const std::map<std::string, std::int64_t> printed = {
      {"conv1", 17'584}, {"relu1", 27'648}, {"pool1", 17'280}, {"conv2", 17'216},
      {"fc1", 124'864},  {"fc2", 29'760},   {"fc3", 2'720}};
  std::map<std::string, std::int64_t> counted;
  const auto document = profile_of({"lenet"});
  for (const auto& layer : document["layers"]) {
    const std::string name = layer["name"];
    if (printed.contains(name)) counted[name] = layer["working_set_bytes"];
  }
  CHECK(counted == printed);
}

TEST_CASE("well-known networks have their published sizes") {
  struct Known {
    const char* name;
    std::int64_t parameters, macs;  // 0: not checked
  };
  for (const Known& known :
       {Known{"alexnet", 61'100'840, 714'188'480}, Known{"alexnet-2012", 60'965'224, 0},
        Known{"vgg16", 138'357'544, 0}, Known{"resnet50", 25'557'032, 4'089'184'256},
        Known{"resnet18", 11'689'512, 0}, Known{"mobilenet-v2", 3'504'872, 0},
        Known{"gpt2-small", 124'439'808, 0}}) {
    INFO("network: ", known.name);
    const auto totals = profile_of({known.name})["totals"];
    CHECK(totals["parameters"] == known.parameters);
    if (known.macs > 0) CHECK(totals["macs"] == known.macs);
  }
}

TEST_CASE("a profile has the three forms") {
  CHECK(contains(answer_of({"profile", "lenet"}).out,
                 "lenet: 278,520 operations (convention macs), 41,282 parameters"));
  CHECK(answer_of({"profile", "lenet", "--format", "csv"}).out.substr(0, 10) == "layer,kind");
}

TEST_CASE("an unknown network proposes its neighbour and is a bad input") {
  const Answer answer = answer_of({"profile", "alexnett"});

  CHECK(answer.code == 3);
  CHECK(answer.out.empty());
  CHECK(contains(answer.err, "did you mean 'alexnet'"));
}

TEST_CASE("a batch beyond all memory and training in int8 are wrong usage") {
  CHECK(answer_of({"profile", "alexnet", "--batch", "9000000000000000000"}).code == 2);
  CHECK(answer_of({"profile", "alexnet", "--mode", "training", "--precision", "int8"}).code == 2);
}

}  // namespace tantalus::testing

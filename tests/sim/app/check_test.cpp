#include <algorithm>
#include <regex>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "source_dir.hpp"
#include "tests/golden.hpp"
#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

TEST_CASE("files of every kind that come with the program are in order") {
  const Answer answer =
      answer_of({"check", "a100-80gb-pcie", "xeon-e5-2650-v3", "lenet", "cuda-generic"});

  INFO(answer.err);
  CHECK(answer.code == 0);
  CHECK(std::count(answer.out.begin(), answer.out.end(), '\n') == 4);
}

TEST_CASE("a file that is not there is an error beside the others") {
  const Answer answer = answer_of({"check", "lenet", "./nowhere.yaml"});

  CHECK(answer.code == 3);
  CHECK(contains(answer.out, "lenet.yaml: ok"));
  CHECK(contains(answer.out, "nowhere.yaml: 1 error"));
  CHECK(contains(answer.err, "error[env-no-file]"));
}

TEST_CASE(
    "ten typos in a system file give ten diagnostics, each with place, path and the right word") {
  const std::string text =
      text_of_file(std::string(TANTALUS_SOURCE_DIR) + "/tests/sim/app/ten_typos.yaml");
  const TemporaryFile file("ten_typos.yaml", text);

  const Answer answer = answer_of({"check", file.path(), "--format", "json"});

  CHECK(answer.code == 3);
  const auto document = nlohmann::json::parse(answer.out);
  const auto& found = document["files"][0]["diagnostics"];
  CHECK(document["files"][0]["errors"] == 10);
  const std::vector<std::pair<int, std::string>> expected = {
      {7, "count"},  {8, "max_threads"}, {9, "boost"}, {10, "efficiency"}, {11, "latency"},
      {15, "width"}, {16, "sustained"},  {19, "MT/s"}, {22, "lanes"},      {23, "join"}};
  for (const auto& one : expected) {
    const int line = one.first;
    const std::string& word = one.second;
    INFO("line ", line, " should have been ", word);
    bool reported = false;
    for (const auto& d : found) {
      const std::string hint = d["hint"];
      const std::string path = d["path"];
      reported = reported ||
                 (d["line"] == line && d["column"] > 0 && !path.empty() && contains(hint, word));
    }
    CHECK(reported);
  }
}

TEST_CASE("the JSON of check is a document with schema and fingerprint") {
  const auto document =
      nlohmann::json::parse(answer_of({"check", "lenet", "--format", "json"}).out);

  CHECK(document["schema"] == "tantalus.check/1");
  CHECK(document["fingerprint"].get<std::string>().size() == 16);
  CHECK(document["files"][0]["errors"] == 0);
}

TEST_CASE("a file that does not say what it is is an error with the first line to write") {
  const TemporaryFile file("odd.yaml", "a: 1\n");

  const Answer answer = answer_of({"check", file.path()});

  CHECK(answer.code == 3);
  CHECK(contains(answer.err, "tantalus: device/1"));
}

}  // namespace tantalus::testing

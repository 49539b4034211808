#include <filesystem>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "tests/golden.hpp"
#include "tests/sim/app/console.hpp"

namespace tantalus::testing {
namespace {

nlohmann::json caches_of(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), "cache");
  arguments.insert(arguments.end(), {"--format", "json"});
  const Answer answer = answer_of(arguments, input);
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  return nlohmann::json::parse(answer.out);
}

TEST_CASE("a naive product makes 2 n^3 loads and n^2 stores") {
  const auto document = caches_of({"three-levels", "--pattern", "naive:64"});
  CHECK(document["schema"] == "tantalus.cache/1");
  CHECK(document["loads"] == 2 * 64 * 64 * 64);
  CHECK(document["stores"] == 64 * 64);
  CHECK(document["levels"][0]["accesses"] == document["accesses"]);
  CHECK(document["levels"][1]["accesses"] == document["levels"][0]["misses"]);
  // Three matrices of 16 KiB, each line once.
  CHECK(document["levels"][2]["misses"] == 3 * 256);
  CHECK(document["memory"]["read_bytes"] == 3 * 16384);
}

TEST_CASE("a pattern that was recorded comes back as a trace with the same counts") {
  const std::string path =
      (std::filesystem::temp_directory_path() / "tantalus_cache_test.trace").string();
  const auto pattern = caches_of({"victim-l3", "--pattern", "tiled:48", "--record", path});
  const auto trace = caches_of({"victim-l3", "--trace", path});
  std::filesystem::remove(path);
  CHECK(trace["levels"] == pattern["levels"]);
  CHECK(trace["memory"] == pattern["memory"]);
}

TEST_CASE("a trace is read from standard input") {
  const auto document =
      caches_of({"cachegrind", "--trace", "-"}, "I  400000,4\n L 1000,4\n M 1000,4\n");
  CHECK(document["program"] == "standard input");
  CHECK(document["instructions"] == 1);
  CHECK(document["loads"] == 2);
  CHECK(document["levels"][2]["name"] == "I1");
  CHECK(document["levels"][2]["misses"] == 1);
  CHECK(document["levels"][1]["misses"] == 2);
}

TEST_CASE("the caches of a device follow its file and --set") {
  const auto plain = caches_of({"xeon-e5-2650-v3", "--pattern", "stream:4KiB"});
  CHECK(plain["levels"][0]["capacity_bytes"] == 32768);
  CHECK(plain["levels"][0]["ways"] == 8);
  CHECK(plain["levels"][2]["instances"] == 1);
  const auto larger =
      caches_of({"xeon-e5-2650-v3", "--pattern", "stream:4KiB", "--set", "l1d.capacity=48KiB"});
  CHECK(larger["levels"][0]["ways"] == 12);  // 64 sets
}

TEST_CASE("a system's caches are those of its first accelerator, or of the part that is named") {
  CHECK(caches_of({"h200-node", "--pattern", "stream:4KiB"})["levels"][0]["line_bytes"] == 128);
  const auto host = caches_of({"h200-node", "--device", "cpu", "--pattern", "stream:4KiB"});
  CHECK(host["levels"].size() == 3);
  const Answer wrong = answer_of({"cache", "h200-node", "--device", "gpu99"});
  CHECK(wrong.code == 4);
  CHECK(contains(wrong.err, "gpu99"));
}

TEST_CASE("each pattern has a size of its own sort") {
  for (const char* pattern : {"stream:1KiB", "strided:1KiB", "random:1KiB", "chase:1KiB", "naive:8",
                              "tiled:8", "recursive:8", "direct:lenet", "im2col:lenet", "naive"}) {
    CAPTURE(pattern);
    CHECK(answer_of({"cache", "three-levels", "--pattern", pattern}).code == 0);
  }
  for (const char* pattern :
       {"stream:8", "naive:1KiB", "naive:", "tiled:0", "chase:1TiB", "fast"}) {
    CAPTURE(pattern);
    CHECK(answer_of({"cache", "three-levels", "--pattern", pattern}).code == 2);
  }
  CHECK(answer_of({"cache", "three-levels", "--pattern", "im2col:mlp"}).code == 2);
  CHECK(answer_of({"cache", "three-levels", "--pattern", "im2col:no-such-network"}).code == 3);
}

TEST_CASE("every file of caches is in order") {
  const std::string folder = std::string(TANTALUS_SOURCE_DIR) + "/hw_configs/caches";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Answer answer = answer_of({"check", entry.path().string()});
    CHECK_MESSAGE(answer.code == 0, answer.err);
    ++files;
  }
  CHECK(files >= 5);
}

TEST_CASE("a staircase has a row a size, with shares that sum to one") {
  const auto document =
      caches_of({"v100-pcie", "--staircase", "--set", "l2.capacity=1MiB", "--set", "sm.count=4"});
  CHECK(document["schema"] == "tantalus.staircase/1");
  REQUIRE(document["levels"].size() == 3);
  REQUIRE(document["steps"].size() > 20);
  for (const auto& step : document["steps"]) {
    double chased = 0.0;
    for (const auto& share : step["chase_shares"]) chased += share.get<double>();
    CHECK(chased == doctest::Approx(1.0));
    CHECK(step["latency_ns"].get<double>() >= document["levels"][0]["latency_ns"].get<double>());
    CHECK(step["latency_ns"].get<double>() <= document["levels"][2]["latency_ns"].get<double>());
  }
}

TEST_CASE("a processor answers a chase sooner than a GPU at every size, and streams less") {
  const auto gpu = caches_of({"v100-pcie", "--staircase"})["levels"];
  const auto cpu = caches_of({"core-i7-5930k", "--staircase"})["levels"];
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    CHECK(cpu[i]["latency_ns"].get<double>() < gpu[i]["latency_ns"].get<double>());
  CHECK(cpu.back()["latency_ns"].get<double>() < gpu.back()["latency_ns"].get<double>());
  CHECK(cpu.back()["bandwidth_bytes_per_s"].get<double>() <
        gpu.back()["bandwidth_bytes_per_s"].get<double>());
}

TEST_CASE("what a file does not state leaves the cell of a staircase empty") {
  const auto document = caches_of({"three-levels", "--staircase"});
  CHECK(document["steps"][0]["latency_ns"].is_null());
  CHECK(document["steps"][0]["bandwidth_bytes_per_s"].is_null());
  CHECK(document["steps"][0]["chase_shares"][0] == 1.0);
}

TEST_CASE("shared memory of blocks makes the L1 of a staircase smaller") {
  const auto capacity = [](const char* shared) {
    return caches_of({"v100-pcie", "--pattern", "stream:4KiB", "--shared",
                      shared})["levels"][0]["capacity_bytes"];
  };
  CHECK(capacity("0B") == 124 * 1024);
  CHECK(capacity("64KiB") == 60 * 1024);
}

TEST_CASE("a staircase takes no program") {
  CHECK(answer_of({"cache", "v100-pcie", "--staircase", "--pattern", "naive"}).code == 2);
  CHECK(answer_of({"cache", "v100-pcie", "--shared", "-1B"}).code == 2);
}

}  // namespace
}  // namespace tantalus::testing

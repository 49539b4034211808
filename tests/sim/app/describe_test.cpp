// The memory of real parts as their files have it, beside what the lecture's tables say of them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "tests/sim/app/console.hpp"

namespace tantalus::testing {
namespace {

nlohmann::json described(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "describe");
  arguments.insert(arguments.end(), {"--format", "json"});
  const Answer answer = answer_of(arguments);
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  return nlohmann::json::parse(answer.out);
}

double mib(const nlohmann::json& level) {
  return level["total_bytes"].get<double>() / (1024.0 * 1024.0);
}

double terabytes(const nlohmann::json& level) {
  return level["bandwidth_bytes_per_s"].get<double>() * 1e-12;
}

TEST_CASE("registers > L1 > L2 holds for V100 and RTX 3090") {
  for (const char* name : {"v100-pcie", "v100-sxm2", "rtx3090"}) {
    CAPTURE(name);
    CHECK(described({name})["inversion"]["strict"] == true);
  }
}

TEST_CASE("it does not hold for GK110, nor for parts with a large L2") {
  for (const char* name : {"gtx-titan-gk110", "k40", "a100-40gb-sxm", "a100-80gb-pcie", "h100-sxm5",
                           "h200-sxm", "rtx4090", "xeon-gold-6154"}) {
    CAPTURE(name);
    CHECK(described({name})["inversion"]["strict"] == false);
  }
}

TEST_CASE(
    "low-level memory of a GPU is many times that of a CPU of its time, and a thread has less") {
  // GK110 with a desktop processor of 2011 to 2013, the others with servers of 2014 to 2022.
  const std::pair<const char*, const char*> contemporaries[] = {
      {"gtx-titan-gk110", "core-i7-3770k"},
      {"k40", "core-i7-4770"},
      {"v100-sxm2", "xeon-gold-6154"},
      {"a100-40gb-sxm", "epyc-7742"},
      {"rtx3090", "epyc-7763"},
      {"h100-sxm5", "epyc-9654"}};
  for (const auto& pair : contemporaries) {
    CAPTURE(pair.first);
    const auto ratio = described({pair.first, pair.second})["comparisons"][0];
    CHECK(ratio["registers"].get<double>() > 20.0);
    CHECK(ratio["l1"].get<double>() > 2.0);
    CHECK(ratio["registers_per_thread"].get<double>() < 1.0);
    CHECK(ratio["dram_bandwidth"].get<double>() > 4.0);
    CHECK(ratio["dram_latency"].get<double>() > 1.0);
  }
}

struct TableRow {
  const char* part;
  double registers, register_rate, l1, l1_rate, l2;  // MiB and TB/s
};

TEST_CASE("capacities and rates of the lecture's table follow from the files") {
  // SMs x 256 KiB; SMs x lanes x 12 B x clock; SMs x (128, 128, 192, 256 KiB); SMs x 128 B x clock. 28 cores of the table are 18 here.
  const TableRow rows[] = {{"v100-sxm2", 20.0, 94.0, 10.0, 15.7, 6.0},
                           {"rtx3090", 20.5, 214.0, 10.25, 17.8, 6.0},
                           {"a100-40gb-sxm", 27.0, 117.0, 20.25, 19.5, 40.0},
                           {"h100-sxm5", 33.0, 357.0, 33.0, 29.7, 50.0}};
  for (const TableRow& row : rows) {
    CAPTURE(row.part);
    const auto levels = described({row.part})["levels"];
    CHECK(mib(levels[0]) == doctest::Approx(row.registers));
    CHECK(mib(levels[1]) == doctest::Approx(row.l1));
    CHECK(mib(levels[2]) == doctest::Approx(row.l2));
    // H100: the table's 1.76 GHz is 2 % above the clock that was calibrated.
    CHECK(terabytes(levels[0]) == doctest::Approx(row.register_rate).epsilon(0.03));
    CHECK(terabytes(levels[1]) == doctest::Approx(row.l1_rate).epsilon(0.03));
  }
}

TEST_CASE("a full V100 leaves a thread 128 B of registers, 32 of them") {
  const auto document = described({"v100-sxm2"});
  CHECK(document["levels"][0]["per_thread_bytes"] == 128.0);
  CHECK(document["devices"][0]["registers_of_thread_bytes"] == 255 * 4);
}

TEST_CASE("the register file of a Skylake core is 168 x 64 B") {
  const auto levels = described({"xeon-gold-6154"})["levels"];
  CHECK(levels[0]["unit_bytes"] == 168 * 64);
  CHECK(levels[1]["total_bytes"] == 18 * 32 * 1024);
  CHECK(levels[3]["level"] == "l3");
  // Six channels of 2666 MT/s.
  CHECK(terabytes(levels[4]) == doctest::Approx(0.128).epsilon(0.001));
}

TEST_CASE("a byte of DRAM must be used about as often on a GPU as on a CPU") {
  for (const char* name :
       {"v100-sxm2", "a100-40gb-sxm", "h100-sxm5", "rtx3090", "xeon-gold-6154"}) {
    CAPTURE(name);
    const auto levels = described({name})["levels"];
    const double balance = levels[levels.size() - 1]["flops_per_byte"].get<double>();
    CHECK(balance > 10.0);
    CHECK(balance < 45.0);
  }
}

TEST_CASE("RAM is two, three to four, or five orders of magnitude away, as one counts") {
  const auto distances = described({"xeon-gold-6154"})["devices"][0]["dram_distances"];
  std::vector<std::string> orders;
  for (const auto& distance : distances) orders.push_back(distance["orders"]);
  // 76 ns / (4 cycles at 3.7 GHz) = 70; x 96 multiply-adds a ns = 7300; x 18 cores = 131000; 54; energies.
  CHECK(orders == std::vector<std::string>{"2", "4", "5", "1 to 2", "2", "3 to 4"});
}

TEST_CASE("equal parts of a system are described once, with its links") {
  const auto document = described({"dgx-a100"});
  REQUIRE(document["devices"].size() == 2);
  CHECK(document["devices"][0]["parts"].size() == 8);
  CHECK(document["devices"][1]["kind"] == "cpu");
  CHECK(document["comparisons"].size() == 1);
  CHECK(document["links"].size() == 8 + 28);
  CHECK(document["schema"] == "tantalus.describe/1");
}

TEST_CASE("what a file does not state is not made up") {
  const auto levels = described({"rtx3090"})["levels"];
  CHECK(levels[1]["latency_ns"].is_null());
  CHECK(levels[2]["latency_ns"].is_null());
  CHECK(answer_of({"describe", "rtx3090"}).out.find("not stated") != std::string::npos);
}

TEST_CASE("a field is overridden for one system only") {
  const auto document = described({"v100-pcie", "--set", "l2.capacity=12MiB"});
  CHECK(document["inversion"]["strict"] == false);
  CHECK(answer_of({"describe", "v100-pcie", "a10", "--set", "l2.capacity=12MiB"}).code == 2);
}

TEST_CASE("a system that cannot be read stops the answer after all were read") {
  const Answer answer = answer_of({"describe", "no-such-part", "nor-this-one"});
  CHECK(answer.code == 3);
  CHECK(answer.out.empty());
  CHECK(answer.err.find("no-such-part") != std::string::npos);
  CHECK(answer.err.find("nor-this-one") != std::string::npos);
}

TEST_CASE("comma-separated values have one row a level") {
  const Answer answer = answer_of({"describe", "v100-pcie", "xeon-gold-6154", "--format", "csv"});
  CHECK(std::count(answer.out.begin(), answer.out.end(), '\n') == 1 + 4 + 5);
}

}  // namespace
}  // namespace tantalus::testing

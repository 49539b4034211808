// Traps of YAML that other tools fell into, each with the reading that this project chose. One case an issue; the sentences
// are the promises.
#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/config/map_reader.hpp"
#include "sim/config/yaml_document.hpp"
#include "tests/quantity_text.hpp"
#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

struct Part {
  double clock_hz = 0.0;
  std::int64_t cycles = 1;
  int ways = 1;
  int lanes = 1;
  int banks = 1;
  int cores = 1;
  int pcie_lanes = 1;
  std::string name;
  Bytes l1{1};
};

template <class Visitor>
void describe(Visitor& v, Part& s) {
  v.defaulted("clock_hz", s.clock_hz, any_value, "a number");
  v.defaulted("cycles", s.cycles, any_value, "a whole number");
  v.defaulted("ways", s.ways, within(1, 64), "lines of a set");
  v.defaulted("lanes", s.lanes, within(1, 32), "lanes");
  v.defaulted("banks", s.banks, within(1, 255), "banks");
  v.defaulted("cores", s.cores, positive, "cores");
  v.defaulted("pcie_lanes", s.pcie_lanes, positive, "lanes");
  v.text("name", s.name, "a name");
  v.defaulted("l1", s.l1, positive, "size");
}

Part part(const std::string& text) {
  const Result<Part> read = read_text<Part>(text);
  const std::string printed = all_rendered(read.diagnostics());
  INFO(printed);
  REQUIRE(read.ok());
  return *read;
}

std::string codes(const std::string& text) { return codes_of(read_text<Part>(text).diagnostics()); }

TEST_CASE("yaml-01: 1e9, 1E9, 1e+09 and 1.e9 are numbers for every numeric field") {
  for (const char* number : {"1e9", "1E9", "1e+09", "1.0e9", "1.e9", "1000000000"}) {
    CAPTURE(std::string(number));
    CHECK(part(std::string("clock_hz: ") + number).clock_hz == 1e9);
    CHECK(part(std::string("cycles: ") + number).cycles == 1'000'000'000);
  }
}

TEST_CASE("yaml-01: a number in quotes is a clear type error") {
  CHECK(codes("clock_hz: \"1e9\"") == "bad-type");
}

TEST_CASE("yaml-03: an integer with a leading zero is ambiguous octal and refused") {
  CHECK(codes("ways: 010") == "bad-number");
  CHECK(codes("ways: 08") == "bad-number");
  CHECK(part("ways: 0x10").ways == 16);
  CHECK(part("ways: 0o10").ways == 8);
}

TEST_CASE("yaml-05: a duplicate key is an error that cites both lines") {
  const Result<Part> read = read_text<Part>("l2_kb: 512\nl3_kb: 32768\nl2_kb: 1024\n");

  REQUIRE(read.diagnostics().size() == 1);
  CHECK(read.diagnostics()[0].code == "duplicate-key");
  CHECK(read.diagnostics()[0].message.find("line 1") != std::string::npos);
  CHECK(read.diagnostics()[0].message.find("line 3") != std::string::npos);
}

TEST_CASE("yaml-07: a merge key brings the fields of its map, and local fields win") {
  const YamlNode root =
      parse_yaml("base: &b {clock_hz: 2, cores: 8}\ncpu: {<<: *b, cores: 16}\n", "x.yaml")->root;
  const Result<Part> cpu = read_spec<Part>(*root.find("cpu"));

  REQUIRE(cpu.ok());
  CHECK(cpu->clock_hz == 2.0);
  CHECK(cpu->cores == 16);
}

TEST_CASE("yaml-09: a list saved with bare CR line ends keeps its length") {
  const YamlNode root = parse_yaml("gpus:\r- a\r- b\r", "x.yaml")->root;

  CHECK(root.find("gpus")->items.size() == 2);
}

TEST_CASE("yaml-11: malformed bytes end in an error within milliseconds") {
  for (const std::string text : {"[[:", "{!\xdb:", "&a [[:", "- -\n ?:"}) {
    const auto start = std::chrono::steady_clock::now();
    CHECK_FALSE(parse_yaml(text, "x.yaml").ok());
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
  }
}

TEST_CASE("yaml-13: sizes read by one rule, and what is no size is an error") {
  CHECK(part("l1: 32kB").l1 == Bytes{32'000});
  CHECK(part("l1: 32KiB").l1 == Bytes{32'768});
  CHECK(codes("l1: 32XB") == "unknown-unit");
  CHECK(codes("l1: 0") == "missing-unit");
  CHECK(codes("l1: 0 B") == "out-of-range");
  CHECK(codes("l1: -1 KiB") == "out-of-range");
  CHECK(codes("l1: 32") == "missing-unit");
}

TEST_CASE("yaml-13: KB and a bare prefix are decimal, with a warning") {
  for (const char* size : {"32KB", "32k", "32 K"}) {
    const Result<Part> read = read_text<Part>(std::string("l1: ") + size);
    REQUIRE(read.ok());
    CHECK(read->l1 == Bytes{32'000});
    CHECK(codes_of(read.diagnostics()) == "ambiguous-unit");
  }
}

TEST_CASE(
    "yaml-15: booleans and their look-alikes are not numbers, and stay words where words belong") {
  const Result<Part> read = read_text<Part>("cores: true\npcie_lanes: on\nname: no\n");

  CHECK(codes_of(read.diagnostics()) == "bad-type bad-type");
  CHECK(part("name: no").name == "no");
}

TEST_CASE("yaml-17: small numbers are numbers, not characters, and are range-checked") {
  CHECK(part("ways: 16").ways == 16);
  CHECK(part("lanes: 4").lanes == 4);
  CHECK(part("banks: 255").banks == 255);
  CHECK(codes("banks: 300") == "out-of-range");
}

}  // namespace
}  // namespace tantalus

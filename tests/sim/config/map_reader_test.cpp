#include "sim/config/map_reader.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/quantity_text.hpp"
#include "tests/sim/config/texts.hpp"
#include "tests/sim/config/toy_gpu.hpp"

namespace tantalus {
namespace {

const std::string good_gpu =
    "name: Toy 1\n"
    "sm: {count: 132, fp32_lanes: 128, shared_memory: 228 KiB, shared_memory_per_block: 227 KiB}\n"
    "clock: {boost: 1980 MHz}\n"
    "l1: {capacity: 256 KiB}\n"
    "l2: {capacity: 50 MiB, line: 64 B, ways: 0x10}\n"
    "dram: {kind: HBM, capacity: 80 GiB, bus: 5120 bit, data_rate: 5.2 GT/s}\n"
    "power: 700 W\n"
    "libraries: [cublas-12, cudnn-8]\n"
    "levels:\n"
    "  - {capacity: 1 MiB}\n"
    "  - {capacity: 2 MiB, ways: 8}\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The only diagnostic of the good text with one thing changed.
Diagnostic only(const std::string& from, const std::string& to, ReadContext context = {}) {
  const Result<toy::Gpu> gpu = read_text<toy::Gpu>(replaced(good_gpu, from, to), context);
  const std::string printed = all_rendered(gpu.diagnostics());
  INFO(printed);
  REQUIRE(gpu.diagnostics().size() == 1);
  return gpu.diagnostics().front();
}

TEST_CASE("a whole spec is read, with defaults and derived values filled in") {
  const Result<toy::Gpu> gpu = read_text<toy::Gpu>(good_gpu);

  REQUIRE(gpu.ok());
  CHECK(gpu.diagnostics().empty());
  CHECK(gpu->name == "Toy 1");
  CHECK(gpu->sm.count == 132);
  CHECK(gpu->sm.shared_memory_per_block == Bytes{227 * 1024});
  CHECK(gpu->clock.boost == Frequency{1'980'000'000});
  CHECK(gpu->clock.ramp == Duration{1'000'000});
  CHECK(gpu->l2.ways == 16);
  CHECK(gpu->dram.kind == toy::DramKind::hbm);
  // 5,120 bit / 8 x 5.2 GT/s = 3.328 TB/s.
  CHECK(gpu->dram.bandwidth == Bandwidth{3'328'000'000'000});
  CHECK(gpu->libraries == std::vector<std::string>{"cublas-12", "cudnn-8"});
  REQUIRE(gpu->levels.size() == 2);
  CHECK(gpu->levels[1].ways == 8);
}

TEST_CASE("an unknown key is reported at the key, with the nearest field") {
  const Diagnostic d = only("fp32_lanes: 128,", "fp32_lanes: 128, shared_memry: 1,");

  CHECK(d.code == "unknown-key");
  CHECK(d.path == "sm.shared_memry");
  CHECK(d.where == SourcePos{"test.yaml", 2, 35});
  CHECK(d.width == 12);
  CHECK(d.hint == "did you mean 'shared_memory'?");
}

TEST_CASE("an unknown key that is near to nothing lists the fields") {
  CHECK(only("boost:", "colour: red, boost:").hint == "the fields here are boost, ramp");
}

TEST_CASE("a missing field is reported at the map around it") {
  const Diagnostic d = only("{count: 132, ", "{");

  CHECK(d.code == "missing-field");
  CHECK(d.path == "sm.count");
  CHECK(d.where == SourcePos{"test.yaml", 2, 5});
  CHECK(d.hint == "add 'count:' (streaming multiprocessors)");
}

TEST_CASE("a missing section is one diagnostic, not one for each of its fields") {
  CHECK(only("clock: {boost: 1980 MHz}\n", "").path == "clock");
}

TEST_CASE("a bare number where a unit belongs is an error at the value") {
  const Diagnostic d = only("1980 MHz", "1980");

  CHECK(d.code == "missing-unit");
  CHECK(d.where == SourcePos{"test.yaml", 3, 16});
  CHECK(d.hint.find("1980 MHz") != std::string::npos);
}

TEST_CASE("booleans, and words that some take for booleans, are not numbers") {
  for (const char* word : {"true", "false", "yes", "no", "on", "off", "Y"}) {
    CAPTURE(std::string(word));
    CHECK(only("count: 132", std::string("count: ") + word).code == "bad-type");
    CHECK(only("power: 700 W", std::string("power: ") + word).code == "bad-type");
  }
}

TEST_CASE("a truth is true or false, without quotes") {
  CHECK(read_text<toy::Gpu>(good_gpu + "ecc: true\n")->ecc);
  for (const char* word : {"yes", "1", "\"true\"", "True"}) {
    const Result<toy::Gpu> gpu = read_text<toy::Gpu>(good_gpu + "ecc: " + word + "\n");
    CHECK(codes_of(gpu.diagnostics()) == "bad-type");
  }
}

TEST_CASE("a number in quotes is text, and a list or nothing is no number") {
  CHECK(only("count: 132", "count: \"132\"").hint == "remove the quotes");
  CHECK(only("count: 132", "count: [132]").message == "expected a whole number, not a list");
  CHECK(only("count: 132", "count: ").message == "expected a whole number, not nothing");
}

TEST_CASE("an integer past its type is out of range, not wrapped") {
  CHECK(only("fp32_lanes: 128", "fp32_lanes: 4294967424").code == "out-of-range");
  CHECK(only("count: 132", "count: 1e30").code == "out-of-range");
}

TEST_CASE("a broken rule says what the value must be, with its unit") {
  CHECK(only("count: 132", "count: 0").message == "must be between 1 and 1024, not 0");
  CHECK(only("line: 64 B", "line: 48 B").message == "must be a power of two, not 48 B");
  CHECK(only("256 KiB", "0 KiB").message == "must be more than zero, not 0 KiB");
  CHECK(only("80 GiB", "2 PB").message == "must be between 1 B and 1 PB, not 2 PB");
}

TEST_CASE("a fraction above one is told from a percentage") {
  const Diagnostic d = only("5.2 GT/s", "5.2 GT/s, efficiency: 92");

  CHECK(d.code == "out-of-range");
  CHECK(d.hint == "it is a fraction, not a percentage");
}

TEST_CASE("a wrong word of a choice is reported with the nearest right one") {
  const Diagnostic d = only("kind: HBM", "kind: HBN");

  CHECK(d.code == "unknown-word");
  CHECK(d.message == "'HBN' is not one of GDDR, HBM");
  CHECK(d.hint == "did you mean 'HBM'?");
}

TEST_CASE("a wrong entry of a list is reported by its number") {
  CHECK(only("- {capacity: 2 MiB, ways: 8}", "- {capacity: 2 MiB, ways: 65}").path ==
        "levels.1.ways");
  CHECK(only("[cublas-12, cudnn-8]", "[cublas-12, [x]]").path == "libraries.1");
  CHECK(only("[cublas-12, cudnn-8]", "cublas-12").message == "expected a list, not 'cublas-12'");
}

TEST_CASE("a section that is not a map is reported once") {
  CHECK(only("{boost: 1980 MHz}", "1980 MHz").message ==
        "expected a map of fields, not '1980 MHz'");
}

TEST_CASE("an impossible relation is reported at the field that its check names") {
  const Diagnostic d = only("256 KiB", "256 MiB");

  CHECK(d.code == "too-large");
  CHECK(d.path == "l1.capacity");
  CHECK(d.where == SourcePos{"test.yaml", 4, 16});
  CHECK(d.severity == Severity::error);
}

TEST_CASE(
    "a nested check names its field from the outside, and its parent when it is not written") {
  CHECK(only("227 KiB", "300 KiB").path == "sm.shared_memory_per_block");
}

TEST_CASE("an unusual value is a warning beside the spec") {
  const Result<toy::Gpu> gpu = read_text<toy::Gpu>(replaced(good_gpu, "700 W", "7 kW"));

  CHECK(gpu.ok());
  REQUIRE(gpu.diagnostics().size() == 1);
  CHECK(gpu.diagnostics()[0].severity == Severity::warning);
}

TEST_CASE("in a hypothetical file the impossible is only a warning") {
  ReadContext context;
  context.hypothetical = true;

  CHECK(only("256 KiB", "256 MiB", context).severity == Severity::warning);
  CHECK(only("fp32_lanes: 128", "fp32_lanes: 0", context).severity == Severity::warning);
  CHECK(only("ways: 0x10", "ways: 65", context).severity == Severity::warning);
}

TEST_CASE("what could not run stays an error in a hypothetical file") {
  ReadContext context;
  context.hypothetical = true;

  CHECK(only("fp32_lanes: 128", "fp32_lanes: -1", context).severity == Severity::error);
  CHECK(only("line: 64 B", "line: 0 B", context).severity == Severity::error);
  const auto gpu = read_text<toy::Gpu>(replaced(good_gpu, "count: 132", "count: 0"), context);
  CHECK_FALSE(gpu.ok());
  CHECK(codes_of(gpu.diagnostics()) == "out-of-range no-work");
}

TEST_CASE("checks do not complain about values that could not be read") {
  CHECK(only("50 MiB", "50").code == "missing-unit");  // l2.capacity stays 0, below l1
}

TEST_CASE("ten typos are ten diagnostics, each with line, column, path and a right suggestion") {
  const std::string text =
      "nme: Toy 1\n"
      "sm: {cuont: 132, fp32_lanes: 0128, shared_memory: 228 Kib}\n"
      "clock: {boost: 1980 Mhz}\n"
      "l2: {capacity: 50, line: 64 B, wasy: 16}\n"
      "dram: {kind: HBN, capacity: 80 GiB, bus: 5120 bit, data_rate: 5.2 GT/s, efficiency: 92}\n"
      "power: true\n";

  const Result<toy::Gpu> gpu = read_text<toy::Gpu>(text);

  struct Expected {
    std::string code, path;
    int line, column;
    std::string hint;
  };
  const std::vector<Expected> expected = {
      {"unknown-key", "nme", 1, 1, "'name'"},
      {"unknown-key", "sm.cuont", 2, 6, "'count'"},
      {"bad-number", "sm.fp32_lanes", 2, 30, "leading zeros"},
      {"unknown-unit", "sm.shared_memory", 2, 51, "'KiB'"},
      {"unknown-unit", "clock.boost", 3, 16, "'MHz'"},
      {"missing-unit", "l2.capacity", 4, 16, "KiB"},
      {"unknown-key", "l2.wasy", 4, 32, "'ways'"},
      {"unknown-word", "dram.kind", 5, 14, "'HBM'"},
      {"out-of-range", "dram.efficiency", 5, 85, "percentage"},
      {"bad-type", "power", 6, 8, "not numbers"},
  };
  REQUIRE(gpu.diagnostics().size() ==
          expected.size());  // the misspelt count is not called missing too
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Diagnostic& d = gpu.diagnostics()[i];
    CAPTURE(render(d));
    CHECK(d.code == expected[i].code);
    CHECK(d.path == expected[i].path);
    CHECK(d.where == SourcePos{"test.yaml", expected[i].line, expected[i].column});
    CHECK(d.hint.find(expected[i].hint) != std::string::npos);
  }
}

TEST_CASE(
    "a value seen through an alias is reported at the alias, with the line where it is written") {
  const std::string text = "base: &b\n  ways: 65\n  capacity: 1 MiB\n" +
                           replaced(good_gpu, "{capacity: 50 MiB, line: 64 B, ways: 0x10}", "*b");
  const Result<toy::Gpu> gpu = read_text<toy::Gpu>(text);

  REQUIRE(gpu.diagnostics().size() == 2);  // `base` is no field of a GPU
  CHECK(gpu.diagnostics()[1].where.line == 8);
  CHECK(gpu.diagnostics()[1].message == "must be between 1 and 64, not 65 (written at line 2)");
}

TEST_CASE("paths in messages begin with the context's path") {
  ReadContext context;
  context.path = "gpu0";

  CHECK(only("count: 132", "count: 0", context).path == "gpu0.sm.count");
}

// -------------------------------------------------------------------------------------------------------- provenance

struct Provenance {
  Origins origins;
  Diagnostics diagnostics;
};

Provenance provenance(const std::string& text, const std::string& sources_text) {
  const YamlNode map = parse_yaml(sources_text, "test.yaml")->root;
  const Sources sources = *Sources::from_yaml(map);
  Provenance found;
  ReadContext context;
  context.sources = &sources;
  context.origins = &found.origins;
  found.diagnostics = read_text<toy::Gpu>(text, context).diagnostics();
  return found;
}

TEST_CASE("every field has an origin: its source, a default, or the formula that derives it") {
  const Provenance found = provenance(
      good_gpu,
      "{\"*\": vendor data sheet, sm: capability table, clock.boost: nvidia-smi (measured)}");

  CHECK(found.diagnostics.empty());
  CHECK(to_text(found.origins.at("l2.capacity")) == "data sheet: vendor data sheet");
  CHECK(to_text(found.origins.at("sm.count")) == "data sheet: capability table");
  CHECK(to_text(found.origins.at("clock.boost")) == "measured: nvidia-smi (measured)");
  CHECK(to_text(found.origins.at("l2.hit_latency")) == "default");
  CHECK(to_text(found.origins.at("dram.bandwidth")) == "derived (bus x data_rate)");
}

TEST_CASE("a value that no source covers says so") {
  const Provenance found = provenance(good_gpu, "{sm: capability table}");

  CHECK(to_text(found.origins.at("l2.capacity")) == "no source given");
}

TEST_CASE("a source for a field that does not exist is reported with the nearest field") {
  const Provenance found = provenance(good_gpu, "{dram.bandwith: data sheet}");

  REQUIRE(found.diagnostics.size() == 1);
  CHECK(found.diagnostics[0].code == "unknown-source-path");
  CHECK(found.diagnostics[0].hint == "did you mean 'dram.bandwidth'?");
}

TEST_CASE("a source names a map of a list, or a field in it, by the number of the map") {
  for (const char* path : {"levels", "levels.0", "levels.1.ways"}) {
    CAPTURE(path);
    CHECK(provenance(good_gpu, "{" + std::string(path) + ": data sheet}").diagnostics.empty());
  }
  for (const char* path :
       {"levels.2", "levels.00.ways", "levels.0.wais", "levels.ways", "libraries.0"}) {
    CAPTURE(path);
    const Provenance found = provenance(good_gpu, "{" + std::string(path) + ": data sheet}");
    CHECK(codes_of(found.diagnostics) == "unknown-source-path");
  }
}

TEST_CASE("a spec that is not a map is one diagnostic") {
  CHECK(codes_of(read_text<toy::Gpu>("[1, 2]").diagnostics()) == "bad-type");
}

}  // namespace
}  // namespace tantalus

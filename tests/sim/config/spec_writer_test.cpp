#include "sim/config/spec_writer.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/quantity_text.hpp"
#include "tests/sim/config/texts.hpp"
#include "tests/sim/config/toy_gpu.hpp"

namespace tantalus {
namespace {

const char* const small_gpu =
    "name: \"Toy: 1\"\n"
    "sm: {count: 132, fp32_lanes: 128, shared_memory: 228 KiB}\n"
    "clock: {boost: 1980 MHz}\n"
    "l2: {capacity: 50 MiB}\n"
    "dram: {kind: HBM, capacity: 80 GiB, bus: 5120 bit, data_rate: 5.2 GT/s}\n"
    "libraries: [cublas-12, \"no\"]\n"
    "levels:\n"
    "  - {capacity: 1 MiB}\n"
    "  - {capacity: 2 MiB, ways: 8}\n";

TEST_CASE("a spec is written with defaults and derived values filled in") {
  const std::string written = write_spec(*read_text<toy::Gpu>(small_gpu));

  CHECK(written ==
        "name: \"Toy: 1\"\n"
        "sm:\n"
        "  count: 132\n"
        "  fp32_lanes: 128\n"
        "  shared_memory: 228 KiB\n"
        "  shared_memory_per_block: 228 KiB\n"
        "clock:\n"
        "  boost: 1.98 GHz\n"
        "  ramp: 1 us\n"
        "l2:\n"
        "  capacity: 50 MiB\n"
        "  line: 128 B\n"
        "  ways: 16\n"
        "  hit_latency: 200 clk\n"
        "dram:\n"
        "  kind: HBM\n"
        "  capacity: 80 GiB\n"
        "  bus: 5120 bit\n"
        "  data_rate: 5.2 GT/s\n"
        "  bandwidth: 3328 GB/s\n"
        "  efficiency: 0.9\n"
        "  banks: 16\n"
        "scale: 1.0\n"
        "ecc: false\n"
        "libraries: [cublas-12, \"no\"]\n"
        "levels:\n"
        "  - capacity: 1 MiB\n"
        "    line: 128 B\n"
        "    ways: 16\n"
        "    hit_latency: 200 clk\n"
        "  - capacity: 2 MiB\n"
        "    line: 128 B\n"
        "    ways: 8\n"
        "    hit_latency: 200 clk\n");
}

TEST_CASE("what is written reads back, and is written again as the same text") {
  const std::string once = write_spec(*read_text<toy::Gpu>(small_gpu));
  const Result<toy::Gpu> again = read_text<toy::Gpu>(once);

  REQUIRE(again.ok());
  CHECK(write_spec(*again) == once);
  CHECK(again->name == "Toy: 1");
  CHECK(again->libraries[1] == "no");
  CHECK(again->dram.bandwidth == Bandwidth{3'328'000'000'000});
}

TEST_CASE("each value's origin stands behind it as a comment, and the text still loads") {
  Origins origins;
  ReadContext context;
  context.origins = &origins;
  const toy::Gpu gpu = *read_text<toy::Gpu>(small_gpu, context);
  WriteOptions options;
  options.origins = &origins;

  const std::string written = write_spec(gpu, options);

  CHECK(written.find("  ramp: 1 us") != std::string::npos);
  CHECK(written.find("# default\n") != std::string::npos);
  CHECK(written.find("# derived (bus x data_rate)\n") != std::string::npos);
  CHECK(write_spec(*read_text<toy::Gpu>(written)) == write_spec(gpu));
}

TEST_CASE("text is quoted when a reader could take it for something else") {
  CHECK(yaml_text("plain words") == "plain words");
  CHECK(yaml_text("no") == "\"no\"");
  CHECK(yaml_text("12") == "\"12\"");
  CHECK(yaml_text("") == "\"\"");
  CHECK(yaml_text("a: b") == "\"a: b\"");
  CHECK(yaml_text("a #b") == "\"a #b\"");
  CHECK(yaml_text("say \"hi\"\n") == "\"say \\\"hi\\\"\\n\"");
}

struct Empty {};
template <class Visitor>
void describe(Visitor&, Empty&) {}
struct Around {
  Empty inner;
  std::vector<Empty> many{2};
};
template <class Visitor>
void describe(Visitor& v, Around& s) {
  v.section("inner", s.inner, "nothing");
  v.sections("many", s.many, "nothings");
}

TEST_CASE("an empty section is written as an empty map") {
  CHECK(write_spec(Around{}) == "inner: {}\nmany:\n  - {}\n  - {}\n");
}

}  // namespace
}  // namespace tantalus

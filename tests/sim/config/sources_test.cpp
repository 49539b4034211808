#include "sim/config/sources.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

Sources sources_of(const std::string& text) {
  return *Sources::from_yaml(parse_yaml(text, "test.yaml")->root);
}

TEST_CASE("the longest prefix of a path names its source, and the star all others") {
  const Sources sources = sources_of("\"*\": sheet\ndram: table\ndram.bandwidth: benchmark\n");

  CHECK(sources.of("dram.bandwidth") == "benchmark");
  CHECK(sources.of("dram.capacity") == "table");
  CHECK(sources.of("sm.count") == "sheet");
  CHECK(sources.of("dramatic") == "sheet");
}

TEST_CASE("without a line and without a star there is no source") {
  CHECK(sources_of("dram: table\n").of("sm.count").empty());
  CHECK(Sources{}.of("sm.count").empty());
}

TEST_CASE("the sources of a section are those of its fields, its own line and the star") {
  const Sources inner = sources_of("\"*\": sheet\nhost.a: table\n").below("host");

  CHECK(inner.of("a") == "table");
  CHECK(inner.of("b") == "sheet");
}

TEST_CASE("the paths of the lines are known in their order, and the star is none") {
  const Sources sources = sources_of("\"*\": sheet\nsm.count: a\ndram: b\n");

  CHECK(sources.paths() == std::vector<std::string_view>{"sm.count", "dram"});
}

TEST_CASE("a line for a path that is neither a field nor above one is reported") {
  const std::vector<std::string> fields = {"dram.bandwidth", "sm.count"};
  const Sources sources = sources_of("dram: a\nsm.cuont: b\nsm.count: c\n");

  const Diagnostics found = sources.unknown(fields, "");

  REQUIRE(found.size() == 1);
  CHECK(found[0].where == SourcePos{"test.yaml", 2, 1});
  CHECK(found[0].hint == "did you mean 'sm.count'?");
}

}  // namespace
}  // namespace tantalus

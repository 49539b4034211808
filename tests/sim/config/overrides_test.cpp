#include "sim/config/overrides.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

TEST_CASE("--set is split at its first equals sign, and its value is YAML that stands at --set") {
  const Result<Override> set = parse_override("gpu0.dram.bandwidth=9.6 TB/s");

  REQUIRE(set.ok());
  CHECK(set->path == "gpu0.dram.bandwidth");
  CHECK(set->value.text == "9.6 TB/s");
  CHECK(set->value.where == SourcePos{"--set", 0, 0});
  CHECK(set->value.writer == YamlNode::Writer::override);
  CHECK(parse_override("a=[1, 2]")->value.items.size() == 2);
  CHECK(parse_override("a=b=c")->value.text == "b=c");
}

TEST_CASE("--set without a path, an equals sign or a value says what to write") {
  for (const char* argument : {"sm.count", "=5", "sm.count=", "a=[1"}) {
    CAPTURE(std::string(argument));
    const Result<Override> set = parse_override(argument);
    REQUIRE(set.diagnostics().size() == 1);
    CHECK(set.diagnostics()[0].code == "bad-override");
    CHECK(set.diagnostics()[0].where.file == "--set");
  }
}

TEST_CASE("a block of overrides is a map of paths, and an absent one is empty") {
  const YamlNode block = parse_yaml("clock.boost: 1.9 GHz\nsm.count: 2\n", "test.yaml")->root;

  const auto overrides = overrides_of(block, YamlNode::Writer::calibration, "calibration");

  REQUIRE(overrides.ok());
  REQUIRE(overrides->size() == 2);
  CHECK((*overrides)[0].path == "clock.boost");
  CHECK((*overrides)[0].value.writer == YamlNode::Writer::calibration);
  CHECK(overrides_of({}, YamlNode::Writer::override, "set")->empty());
}

TEST_CASE("a block of overrides that is no map is an error") {
  const YamlNode block = parse_yaml("[1]", "test.yaml")->root;

  const auto overrides = overrides_of(block, YamlNode::Writer::override, "parts.gpu0.set");

  REQUIRE(overrides.diagnostics().size() == 1);
  CHECK(overrides.diagnostics()[0].path == "parts.gpu0.set");
}

TEST_CASE("overrides are applied in turn, so the last one wins") {
  YamlNode body = parse_yaml("sm: {count: 1}\n", "test.yaml")->root;

  CHECK(apply(body, {*parse_override("sm.count=2"), *parse_override("sm.count=3")}, "").empty());

  CHECK(find_path(body, "sm.count")->text == "3");
}

}  // namespace
}  // namespace tantalus

#include "sim/config/yaml_node.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

YamlNode root_of(const std::string& text) { return parse_yaml(text, "test.yaml")->root; }

YamlNode scalar(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  node.where = {"--set", 0, 0};
  return node;
}

TEST_CASE("a dotted path finds values in maps, and in lists by number") {
  const YamlNode root = root_of("a: {b: [x, {c: y}]}\n");

  CHECK(find_path(root, "a.b.0")->text == "x");
  CHECK(find_path(root, "a.b.1.c")->text == "y");
  CHECK(find_path(root, "a.b.2") == nullptr);
  CHECK(find_path(root, "a.x.c") == nullptr);
  CHECK(find_path(root, "") == &root);
}

TEST_CASE("setting a path replaces the value that is there") {
  YamlNode root = root_of("dram: {bandwidth: 3 TB/s, kind: HBM}\n");

  CHECK(set_path(root, "dram.bandwidth", scalar("4 TB/s")).empty());

  CHECK(find_path(root, "dram.bandwidth")->text == "4 TB/s");
  CHECK(find_path(root, "dram.bandwidth")->where.file == "--set");
  CHECK(find_path(root, "dram.kind")->text == "HBM");
}

TEST_CASE("setting a new path makes the maps on the way, at the value's place") {
  YamlNode root = root_of("a: 1\n");

  CHECK(set_path(root, "b.c.d", scalar("2")).empty());

  CHECK(find_path(root, "b.c.d")->text == "2");
  CHECK(root.entries[1].where.file == "--set");
}

TEST_CASE("an entry of a list is set by its number") {
  YamlNode root = root_of("l: [{x: 1}, {x: 2}]\n");

  CHECK(set_path(root, "l.1.x", scalar("3")).empty());

  CHECK(find_path(root, "l.1.x")->text == "3");
}

TEST_CASE("an empty section can be filled") {
  YamlNode root = root_of("dram:\n");

  CHECK(set_path(root, "dram.capacity", scalar("8 GiB")).empty());

  CHECK(find_path(root, "dram.capacity")->text == "8 GiB");
}

TEST_CASE("a path through a single value, past a list's end, or with an empty step is refused") {
  YamlNode root = root_of("a: 1\nl: [1]\n");

  for (const char* path : {"a.b", "l.1", "l.x", "", ".a", "a.", "a..b"}) {
    CAPTURE(std::string(path));
    CHECK(codes_of(set_path(root, path, scalar("2"))) == "bad-path");
  }
}

TEST_CASE("taking a key removes it, and taking what is not there gives an absent value") {
  YamlNode root = root_of("a: 1\nb:\n");

  CHECK(take(root, "a").text == "1");
  CHECK(root.find("a") == nullptr);
  CHECK(is_absent(take(root, "a")));
  CHECK_FALSE(is_absent(take(root, "b")));
}

TEST_CASE("a node is named in messages by what it is") {
  const YamlNode root =
      root_of("s: word\nl: [1]\nm: {a: 1}\nn:\nlong: " + std::string(90, 'x') + "\n");

  CHECK(describe_node(*root.find("s")) == "'word'");
  CHECK(describe_node(*root.find("l")) == "a list");
  CHECK(describe_node(*root.find("m")) == "a map");
  CHECK(describe_node(*root.find("n")) == "nothing");
  CHECK(describe_node(*root.find("long")) == "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace tantalus

#include "sim/config/plain_yaml.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_dir.hpp"
#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

namespace fs = std::filesystem;

std::string place(const SourcePos& where) {
  return where.file.text() + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

// The tree with everything in it, one line a node.
void write_tree(const YamlNode& node, const std::string& indent, std::string& out) {
  out += indent + std::to_string(static_cast<int>(node.kind)) + (node.quoted ? "q" : "") + " " +
         place(node.where) + "+" + std::to_string(node.width) + " " +
         std::to_string(node.written_line) + " '" + node.text + "'\n";
  for (const YamlNode& item : node.items) write_tree(item, indent + "  ", out);
  for (const YamlEntry& entry : node.entries) {
    out += indent + " '" + entry.key + "' " + place(entry.where) + "+" +
           std::to_string(entry.width) + "\n";
    write_tree(entry.value, indent + "  ", out);
  }
}

std::string tree_of(const YamlNode& root) {
  std::string text;
  write_tree(root, "", text);
  return text;
}

bool is_plain(const std::string& text) { return read_plain_yaml(text, "x.yaml").has_value(); }

/// What the whole parser says of a text that the plain reader took, when it is not the same; "" when it is.
std::string difference(const std::string& text) {
  const std::optional<YamlNode> plain = read_plain_yaml(text, "x.yaml");
  if (!plain) return "";
  const Result<YamlDocument> whole = parse_any_yaml(text, "x.yaml");
  if (!whole) return text + "\n" + all_rendered(whole.diagnostics());
  const std::string one = tree_of(*plain);
  const std::string other = tree_of(whole->root);
  return one == other ? "" : text + "\n" + one + "\n" + other;
}

std::vector<std::string> shipped_files() {
  std::vector<std::string> files;
  for (const char* folder : {"hw_configs", "models/networks"}) {
    const fs::path root = fs::path(TANTALUS_SOURCE_DIR) / folder;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    }
  }
  return files;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The same numbers on every machine.
class Dice {
 public:
  std::size_t below(std::size_t end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33U) % end;
  }

 private:
  std::uint64_t state_ = 1;
};

// Every way to write a value that the reader takes, small enough to be spoilt thousands of times.
const std::array<std::string, 6> samples = {
    "# a part\ntantalus: device/1\nsources:\n  \"*\": \"a sheet: page 3\"\n  sm.count: 'b'\n\n"
    "sm:\n  count: 2  # of 3\n  lanes: 64\nclock: {boost: 1 GHz, base: 2 GHz}\n",
    "a:\n- x\n- y z\nb:\n  - {k: 1, l: [2, 3]}\n  - k: 4\n    l:\n      m: 5\n  - \"q\"\nc: []\n",
    "parts:\n  - name: a\n    at: [1, 2,\n         3]\n\n    # between\n  - name: b\nend: -1.5e3\n",
    "t: {fp16: 1024 FLOP/clk, bf16: 2 FLOP/clk,\n    int8: {x: {}}}\nu: a#b\nv: http://x\nw: a [b] "
    "c\n",
    "k1: v\nk2:   v\nk3:\n   k4:\n      k5: [ a , \"b\" , 'c' ]\n   k6: 7\nk8: 9",
    "a: {\"b\": c, d: e}\n\"f g\": h i\nj k: l\n'm': {n: -1}\n",
};

TEST_CASE("every file that is shipped is plain, so that reading it costs little") {
  for (const std::string& path : shipped_files()) {
    CAPTURE(path);
    CHECK(is_plain(text_of_file(path)));
  }
}

TEST_CASE("the plain reader and the whole parser give the same tree of a shipped file") {
  for (const std::string& path : shipped_files()) {
    CAPTURE(path);
    CHECK(difference(text_of_file(path)) == "");
  }
}

TEST_CASE("the plain reader and the whole parser give the same tree of what both read") {
  for (const std::string& sample : samples) {
    CAPTURE(sample);
    CHECK(is_plain(sample));
    CHECK(difference(sample) == "");
  }
}

TEST_CASE("a spoilt text is read as the whole parser reads it, or left to it") {
  const std::string pieces = " \n:#-,[]{}\"'?&*!|>%@`~\\<=.ab1";
  Dice dice;
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = samples.at(dice.below(samples.size()));
    for (std::size_t changes = 1 + dice.below(3); changes > 0; --changes) {
      const std::size_t at = dice.below(text.size());
      const std::string piece = pieces.substr(dice.below(pieces.size()), 1);
      text.replace(at, dice.below(2), dice.below(3) == 0 ? "" : piece);
    }
    taken += is_plain(text) ? 1 : 0;
    const std::string wrong = difference(text);
    if (!wrong.empty()) FAIL_CHECK(wrong);
  }
  CHECK(taken > 2'000);  // the comparison was one
}

TEST_CASE("what the plain reader does not know it leaves to the whole parser") {
  for (const char* text : {"",
                           "a",
                           "[a]",
                           "{a: 1}",
                           "a:\n",
                           "a: ~\n",
                           "a: null\n",
                           "a: &x 1\nb: *x\n",
                           "a: !!int 1\n",
                           "a: |\n  text\n",
                           "a: b\n  c\n",
                           "a: \"b\\n\"\n",
                           "a: 'it''s'\n",
                           "--- a: 1\n",
                           "a: 1\n---\n",
                           "a: 1\na: 2\n",
                           "<<: {a: 1}\n",
                           "? a\n: b\n",
                           "a: [b: 1]\n",
                           "a: {b}\n",
                           "a: [1,]\n",
                           "a: [b\n  c]\n",
                           "- a\n",
                           "a:\n  - - 1\n",
                           "a : 1\n",
                           "a: b: c\n",
                           "a: 1\n  b: 2\n",
                           "é: 1\n",
                           "a: [1\n]\n",
                           "%YAML 1.2\n",
                           "a: [1] b\n",
                           "a: [1]#b\n",
                           "a: 96 KiB\t\nb: 1\n",
                           "a:\t1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(is_plain(text));
  }
}

TEST_CASE("limits that a plain text could pass are the whole parser's to judge") {
  YamlLimits few;
  few.nodes = 8;
  CHECK_FALSE(read_plain_yaml("a: 1\nb: 2\n", "x.yaml", few).has_value());
  YamlLimits flat;
  flat.depth = 2;
  CHECK_FALSE(read_plain_yaml("a: {b: {c: 1}}\n", "x.yaml", flat).has_value());
}

}  // namespace
}  // namespace tantalus

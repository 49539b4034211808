#include "sim/config/yaml_document.hpp"

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

YamlNode parsed(const std::string& text) {
  Result<YamlDocument> document = parse_yaml(text, "test.yaml");
  const std::string printed = all_rendered(document.diagnostics());
  INFO(printed);
  REQUIRE(document.ok());
  return document->root;
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST_CASE("every key and value knows its line and column") {
  const YamlNode root = parsed("sm:\n  count: 132\nlist: [a, bb]\n");

  const YamlNode& count = *find_path(root, "sm.count");
  CHECK(count.text == "132");
  CHECK(count.where == SourcePos{"test.yaml", 2, 10});
  CHECK(count.width == 3);
  CHECK(root.find("sm")->entries[0].where == SourcePos{"test.yaml", 2, 3});
  CHECK(find_path(root, "list.1")->where == SourcePos{"test.yaml", 3, 11});
}

TEST_CASE("a quoted number is text and says so") {
  const YamlNode root = parsed("a: \"1e9\"\nb: 1e9\nc: '1'\nd: |\n  1\n");

  CHECK(root.find("a")->quoted);
  CHECK_FALSE(root.find("b")->quoted);
  CHECK(root.find("c")->quoted);
  CHECK(root.find("d")->quoted);
}

TEST_CASE("a value that is not there stands at its key") {
  const YamlNode root = parsed("a:\nb: 1\n");

  CHECK(root.find("a")->is_null());
  CHECK(root.find("a")->where == SourcePos{"test.yaml", 1, 1});
}

TEST_CASE("a value seen through an alias stands at the alias and says where it is written") {
  const YamlNode root = parsed("base: &b {clock: 2 GHz}\n\ngpu: *b\n");

  const YamlNode& clock = *find_path(root, "gpu.clock");
  CHECK(clock.text == "2 GHz");
  CHECK(clock.where == SourcePos{"test.yaml", 3, 6});
  CHECK(alias_note(clock) == " (written at line 1)");
  CHECK(alias_note(*find_path(root, "base.clock")).empty());
}

TEST_CASE("merge keys are expanded and local keys win") {
  const YamlNode root = parsed(
      "base: &b {clock: 2 GHz, cores: 8}\n"
      "more: &m {cores: 4, ways: 2}\n"
      "cpu: {<<: *b, cores: 16}\n"
      "both: {<<: [*b, *m]}\n");

  CHECK(find_path(root, "cpu.clock")->text == "2 GHz");
  CHECK(find_path(root, "cpu.cores")->text == "16");
  CHECK(root.find("cpu")->entries.size() == 2);
  CHECK(find_path(root, "both.cores")->text == "8");
  CHECK(find_path(root, "both.ways")->text == "2");
}

TEST_CASE("merging anything but maps is an error") {
  CHECK(only_code("a: {<<: 5}\n") == "bad-merge");
  CHECK(only_code("a: {<<: [5]}\n") == "bad-merge");
}

TEST_CASE("a key written twice is an error that cites both lines") {
  const Result<YamlDocument> document = parse_yaml("l2: 1\nl3: 2\nl2: 3\n", "test.yaml");

  REQUIRE(document.diagnostics().size() == 1);
  const Diagnostic& d = document.diagnostics().front();
  CHECK(d.code == "duplicate-key");
  CHECK(d.where == SourcePos{"test.yaml", 3, 1});
  CHECK(d.message == "'l2' is written twice: at line 1 and at line 3");
}

TEST_CASE("all duplicate keys and tags of a file are reported at once") {
  const Result<YamlDocument> document =
      parse_yaml("a: 1\na: 2\nb: {x: 1, x: 2}\nc: !!int 5\n", "test.yaml");

  CHECK(codes_of(document.diagnostics()) == "duplicate-key duplicate-key yaml-tag");
}

TEST_CASE("LF, CRLF and bare CR line ends read the same") {
  for (const char* text : {"gpus:\n- a\n- b\n", "gpus:\r\n- a\r\n- b\r\n", "gpus:\r- a\r- b\r"}) {
    const YamlNode root = parsed(text);
    const YamlNode& gpus = *root.find("gpus");
    REQUIRE(gpus.items.size() == 2);
    CHECK(gpus.items[1].text == "b");
    CHECK(gpus.items[1].where == SourcePos{"test.yaml", 3, 3});
  }
}

TEST_CASE("a UTF-8 byte order mark is skipped, and columns do not count it") {
  const YamlNode root = parsed(
      "\xEF\xBB\xBF"
      "a: 1\n");

  CHECK(root.find("a")->where == SourcePos{"test.yaml", 1, 4});
}

TEST_CASE("text that is not UTF-8 is refused at its first bad byte") {
  const Result<YamlDocument> document = parse_yaml("a: 1\nb: \xC3(\n", "test.yaml");

  REQUIRE(document.diagnostics().size() == 1);
  CHECK(document.diagnostics()[0].code == "bad-encoding");
  CHECK(document.diagnostics()[0].where == SourcePos{"test.yaml", 2, 4});
  CHECK(only_code("\xFF\xFE"
                  "a") == "bad-encoding");                    // UTF-16
  CHECK(only_code("a: \xED\xA0\x80") == "bad-encoding");      // a surrogate
  CHECK(only_code("a: \xC0\xAF") == "bad-encoding");          // overlong
  CHECK(only_code("a: \xF4\x90\x80\x80") == "bad-encoding");  // past U+10FFFF
  CHECK(parsed("a: caf\xC3\xA9\n").find("a")->text == "caf\xC3\xA9");
}

TEST_CASE("control bytes are refused") {
  CHECK(only_code(std::string("a: 1\0\n", 6)) == "bad-character");
  CHECK(only_code("a: \x1B[31m\n") == "bad-character");
}

TEST_CASE("a tab cannot stand before the first word of a line, but behind it") {
  CHECK(only_code("a:\n\tb: 1\n") == "tab-indentation");
  CHECK(only_code("a: 1\n\t\nb: 1\n") == "tab-indentation");
  CHECK(parsed("a: 1\t# note\nb: 2\n").entries.size() == 2);
}

TEST_CASE("a file holds one document") {
  CHECK(only_code("a: 1\n---\nb: 2\n") == "second-document");
  CHECK(parsed("---\na: 1\n...\n").entries.size() == 1);
  CHECK(only_code("{a: 1} b\n") == "yaml-syntax");
}

TEST_CASE("a file without a value is refused") {
  CHECK(only_code("") == "empty-file");
  CHECK(only_code("# only a note\n") == "empty-file");
  CHECK(only_code("\xEF\xBB\xBF") == "empty-file");
}

TEST_CASE("broken YAML is one error with a place inside the file") {
  for (const char* text : {"[[:", "a: b: c\n", "a: [1, 2\nb: 3\n", "a: *nope\n", "a: \"open\n", "]",
                           "a: {b: 1\n", "- a\nb: 1\n", "? [", "&a &b c", "%YAML 9\n--- x"}) {
    const Result<YamlDocument> document = parse_yaml(text, "test.yaml");
    CAPTURE(std::string(text));
    REQUIRE(document.diagnostics().size() == 1);
    CHECK(document.diagnostics()[0].code == "yaml-syntax");
    CHECK(document.diagnostics()[0].where.line >= 1);
    CHECK(document.diagnostics()[0].where.line <= 3);
  }
}

TEST_CASE("a range inside brackets that lacks its quotes is explained") {
  const Result<YamlDocument> document = parse_yaml("join: [cpu, gpu[0-7]]\n", "test.yaml");

  REQUIRE_FALSE(document.ok());
  CHECK(document.diagnostics()[0].hint.find("\"gpu[0-7]\"") != std::string::npos);
}

TEST_CASE("a key must be a word") {
  CHECK(only_code("{[1, 2]: 3}\n") == "bad-key");
  CHECK(only_code("? {a: 1}\n: 2\n") == "bad-key");
}

TEST_CASE("an alias inside the value that it names is refused") {
  CHECK(only_code("a: &a\n  b: *a\n") == "cyclic-alias");
  CHECK(only_code("&a [*a]\n") == "cyclic-alias");
}

TEST_CASE("aliases of aliases are counted as often as they are seen") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
            repeated(", " + before, 9) + "]\n";
  }

  CHECK(only_code(bomb) == "too-many-values");
}

TEST_CASE("nesting is limited, and 100,000 levels are refused without descending them") {
  CHECK(parse_yaml(repeated("[", 60) + repeated("]", 60), "test.yaml").ok());
  for (const char* part : {"[", "{a: ", "- ", "? ", "[\n"}) {
    CAPTURE(std::string(part));
    CHECK(only_code(repeated(part, 100'000)) == "too-deep");
  }
}

TEST_CASE("a file past the size limit is refused before it is parsed, or even read") {
  CHECK(only_code(std::string((4 << 20) + 1, '#')) == "file-too-large");
  CHECK(check_file_size(1'000'000'000, "big.yaml")->code == "file-too-large");
  CHECK_FALSE(check_file_size(4 << 20, "big.yaml"));
}

TEST_CASE("hostile texts end in an error within a second") {
  const auto start = std::chrono::steady_clock::now();

  for (const char* part :
       {"[", "{", "&a ", "!", ":", "\"", "- ", "? ", "*a ", "a: ", "|", "<<: ", "%"}) {
    CHECK_FALSE(parse_yaml(repeated(part, 100'000), "test.yaml").ok());
  }

  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("the kept text has LF line ends and no byte order mark, so that carets stand right") {
  const Result<YamlDocument> document = parse_yaml(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\rc: 3\n",
      "test.yaml");

  CHECK(document->text == "a: 1\nb: 2\nc: 3\n");
}

}  // namespace
}  // namespace tantalus

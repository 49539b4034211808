#include <doctest/doctest.h>

#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

namespace {

// Without the comments that name origins: a value once shown is a written one.
std::string without_comments(const std::string& text) {
  std::string result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    const std::size_t comment = line.find(" # ");
    if (comment != std::string::npos) line.erase(comment);
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
    begin = end + 1;
  }
  return result;
}

std::string shown(const std::string& file) {
  const Answer answer = answer_of({"show", file});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  return answer.out;
}

}  // namespace

TEST_CASE("what show prints loads again and shows the same") {
  for (const char* name : {"a100-80gb-pcie", "xeon-e5-2650-v3", "lenet", "resnet18", "gpt2-small",
                           "cuda-generic", "openblas-avx2-haswell"}) {
    INFO("file: ", name);
    const std::string first = shown(name);
    const TemporaryFile file("again.yaml", first);
    CHECK(answer_of({"check", file.path()}).code == 0);
    CHECK(without_comments(shown(file.path())) == without_comments(first));
  }
}

TEST_CASE("each value says where it came from") {
  const std::string text = shown("a100-80gb-pcie");

  CHECK(contains(text, "# default"));
  CHECK(contains(text, "# derived ("));
  CHECK(contains(text, "kind: gpu"));
}

TEST_CASE("an override is shown as one") {
  const Answer answer = answer_of({"show", "a100-80gb-pcie", "--set", "sm.count=216"});

  CHECK(answer.code == 0);
  CHECK(contains(answer.out, "count: 216"));
  CHECK(contains(answer.out, "# override"));
}

TEST_CASE("a shown network predicts as the file that it came from") {
  const TemporaryFile file("lenet.yaml", shown("lenet"));
  const auto answer_for = [](const std::string& network) {
    return answer_of({"predict", "a100-80gb-pcie", network, "--format", "json"}).out;
  };

  CHECK(answer_for(file.path()) == answer_for("lenet"));
}

TEST_CASE("a wrong override is wrong usage, and a broken file a bad input") {
  CHECK(answer_of({"show", "a100-80gb-pcie", "--set", "sm.cuont=1"}).code == 2);
  const TemporaryFile file("broken.yaml", "tantalus: device/1\nkind: gpu\n");
  CHECK(answer_of({"show", file.path()}).code == 3);
}

}  // namespace tantalus::testing

#include "sim/app/run.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "sim/app/verbs.hpp"
#include "source_dir.hpp"
#include "tests/golden.hpp"
#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

TEST_CASE("without a verb the help goes to standard error and the usage is wrong") {
  const Answer answer = answer_of({});

  CHECK(answer.code == 2);
  CHECK(answer.out.empty());
  CHECK(contains(answer.err, "usage: tantalus VERB"));
}

TEST_CASE("help lists every verb that there is and none that there is not") {
  const Answer answer = answer_of({"--help"});

  CHECK(answer.code == 0);
  for (const VerbInfo& verb : verbs()) CHECK(contains(answer.out, "  " + std::string(verb.name)));
  for (const char* later : {"sweep", "teach", "explain"})
    CHECK_FALSE(contains(answer.out, "  " + std::string(later) + " "));
}

TEST_CASE("the help of each verb shows its options and two examples") {
  for (const VerbInfo& verb : verbs()) {
    const Answer answer = answer_of({std::string(verb.name), "--help"});
    CHECK(answer.code == 0);
    for (const OptionInfo& option : verb.options)
      CHECK(contains(answer.out, "--" + std::string(option.name)));
    for (const std::string_view example : verb.examples)
      CHECK(contains(answer.out, std::string(example)));
  }
}

TEST_CASE("the version names the compiler and the optional parts") {
  const Answer answer = answer_of({"--version"});

  CHECK(answer.code == 0);
  for (const char* line : {"tantalus ", "compiler: ", "CUDA: ", "ONNX: ", "MPI: "})
    CHECK(contains(answer.out, line));
}

TEST_CASE("a verb that does not exist lists those that do") {
  const Answer answer = answer_of({"levitate", "h200-sxm"});

  CHECK(answer.code == 2);
  CHECK(contains(answer.err, "there is no verb 'levitate'"));
  for (const VerbInfo& verb : verbs()) CHECK(contains(answer.err, std::string(verb.name)));
  CHECK(contains(answer_of({"predic"}).err, "did you mean 'predict'?"));
}

TEST_CASE("colour needs a terminal that allows it, or an explicit wish") {
  std::istringstream in;
  std::ostringstream out, err;
  Console console{in, out, err};
  CHECK_FALSE(style_for(console, ColorChoice::automatic).color);

  console.out_is_terminal = true;
  CHECK(style_for(console, ColorChoice::automatic).color);
  CHECK_FALSE(style_for(console, ColorChoice::never).color);

  console.environment_allows_color = false;
  CHECK_FALSE(style_for(console, ColorChoice::automatic).color);
  CHECK(style_for(console, ColorChoice::always).color);
}

TEST_CASE("predict.cpp is the spine and stays under sixty lines") {
  const std::string text = text_of_file(std::string(TANTALUS_SOURCE_DIR) + "/sim/app/predict.cpp");

  REQUIRE_FALSE(text.empty());
  CHECK(std::count(text.begin(), text.end(), '\n') < 60);
}

}  // namespace tantalus::testing

#include "sim/app/options.hpp"

#include <doctest/doctest.h>

#include "sim/app/verbs.hpp"

namespace tantalus::testing {

namespace {

using Words = std::vector<std::string>;

// The one complaint of a line, as "path: message | hint".
template <class Command>
std::string complaint(const Result<Command>& result) {
  REQUIRE(!result.ok());
  REQUIRE(result.diagnostics().size() == 1);
  const Diagnostic& d = result.diagnostics().front();
  CHECK(d.code == "usage");
  return d.path + ": " + d.message + (d.hint.empty() ? "" : " | " + d.hint);
}

}  // namespace

TEST_CASE("a full predict line becomes typed values") {
  const auto command = parse_predict(Words{"dgx-1-v100",
                                           "--batch",
                                           "128",
                                           "alexnet",
                                           "--mode=training",
                                           "--precision",
                                           "bf16",
                                           "--device",
                                           "gpu3",
                                           "--micro-batch",
                                           "32",
                                           "--set",
                                           "gpu0.sm.count=216",
                                           "--set=gpu0.dram.bandwidth=9.6 TB/s",
                                           "--format",
                                           "json",
                                           "--quiet",
                                           "--knowledge",
                                           "datasheet",
                                           "--trace",
                                           "t.json",
                                           "--color",
                                           "never"});

  REQUIRE(command.ok());
  CHECK(command->on.system == "dgx-1-v100");
  CHECK(command->network == "alexnet");
  CHECK(command->on.device == "gpu3");
  CHECK(command->run.batch == 128);
  CHECK(command->run.micro_batch == 32);
  CHECK(command->run.mode == Mode::training);
  CHECK(command->run.precision == DType::bf16);
  CHECK(command->on.overrides == Words{"gpu0.sm.count=216", "gpu0.dram.bandwidth=9.6 TB/s"});
  CHECK(command->on.knowledge == Knowledge::datasheet);
  CHECK(command->trace == "t.json");
  CHECK(command->output.format == Format::json);
  CHECK(command->output.color == ColorChoice::never);
  CHECK(command->output.quiet);
}

TEST_CASE("a line without options has the defaults of the contract") {
  const auto command = parse_predict(Words{"t4", "lenet"});

  REQUIRE(command.ok());
  CHECK(command->run.batch == 1);
  CHECK_FALSE(command->run.micro_batch.has_value());
  CHECK(command->run.mode == Mode::inference);
  CHECK(command->run.precision == DType::fp32);
  CHECK(command->on.stack == "plain");
  CHECK(command->output.format == Format::table);
  CHECK_FALSE(command->output.quiet);
}

TEST_CASE("a negative batch is a sentence and not a large number") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--batch", "-3"})) ==
        "--batch: is -3; a step has at least one sample");
}

TEST_CASE("a batch of zero, of text or beyond 64 bits is refused") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--batch", "0"})) ==
        "--batch: is 0; a step has at least one sample");
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--batch", "many"}).ok());
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--batch", "1.5"}).ok());
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--batch", "99999999999999999999"}).ok());
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--batch="}).ok());
}

TEST_CASE("an option is never guessed from an abbreviation") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--bat", "8"})) ==
        "--bat: predict has no such option | did you mean '--batch'?");
}

TEST_CASE("an unknown option proposes the nearest one") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--formt=json"})) ==
        "--formt: predict has no such option | did you mean '--format'?");
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "-b"})) ==
        "-b: predict has no such option | tantalus predict --help lists the options");
}

TEST_CASE("an option of another verb is unknown here") {
  CHECK_FALSE(parse_profile(Words{"lenet", "--device", "gpu0"}).ok());
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--data", "mnist"}).ok());
}

TEST_CASE("a word outside an option's list proposes the nearest one") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--mode", "train"})) ==
        "--mode: 'train' is not one of inference, training");
  CHECK(
      complaint(parse_predict(Words{"t4", "lenet", "--precision", "fp31"})) ==
      "--precision: 'fp31' is not one of fp32, tf32, fp16, bf16, fp8, int8 | did you mean 'fp32'?");
}

TEST_CASE("an option without its value, or given twice, is refused") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--batch"})) == "--batch: needs a value");
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--batch", "1", "--batch", "2"})) ==
        "--batch: is given 2 times | give it once");
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--quiet=yes"})) == "--quiet: takes no value");
}

TEST_CASE("missing and superfluous arguments are named with the usage line") {
  CHECK(complaint(parse_predict(Words{"t4"})) ==
        "NETWORK: is missing | usage: tantalus predict SYSTEM NETWORK [options]");
  CHECK(complaint(parse_profile(Words{"lenet", "alexnet"})) ==
        ": there is one argument too many: 'alexnet' | usage: tantalus profile NETWORK [options]");
  CHECK(parse_predict(Words{}).diagnostics().size() == 2);
}

TEST_CASE("every mistake of a line is reported at once") {
  const auto command = parse_predict(Words{"t4", "lenet", "--batch", "0", "--mode", "fast", "--set",
                                           "sm.count", "--format", "xml"});

  REQUIRE(!command.ok());
  CHECK(command.diagnostics().size() == 4);
}

TEST_CASE("check knows no csv, and ops answers in csv unless told otherwise") {
  CHECK(complaint(parse_check(Words{"a.yaml", "--format", "csv"})) ==
        "--format: 'csv' is not one of table, json");
  CHECK(parse_ops(Words{"t4", "-"})->output.format == Format::csv);
  CHECK(parse_ops(Words{"t4", "-"})->table == "-");
}

TEST_CASE("help is wanted wherever it stands") {
  CHECK(wants_help(Words{"t4", "--batch", "-h"}));
  CHECK(wants_help(Words{"--help"}));
  CHECK_FALSE(wants_help(Words{"t4", "help"}));
}

TEST_CASE("every verb has a summary, two examples and documented options") {
  for (const VerbInfo& verb : verbs()) {
    INFO("verb: ", verb.name);
    CHECK_FALSE(verb.summary.empty());
    for (const std::string_view example : verb.examples) {
      CHECK(example.find("tantalus " + std::string(verb.name)) != std::string_view::npos);
    }
    for (const OptionInfo& option : verb.options) CHECK_FALSE(option.doc.empty());
  }
}

}  // namespace tantalus::testing

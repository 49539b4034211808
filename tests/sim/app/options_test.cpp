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
        "--batch: is -3, and counts from 1 | write 1 or more");
}

TEST_CASE("a batch of zero, of text or beyond 64 bits is refused") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--batch", "0"})) ==
        "--batch: is 0, and counts from 1 | write 1 or more");
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--batch", "many"}).ok());
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--batch", "1.5"}).ok());
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--batch", "99999999999999999999"}).ok());
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--batch="}).ok());
}

TEST_CASE("a value that is no use comes with one that is") {
  CHECK(complaint(parse_validate(Words{"t4", "--measured", "t.csv", "--tolerance", "-1"})) ==
        "--tolerance: is -1; a share is not negative | write it like 0.12");
  CHECK(complaint(parse_cache(Words{"three-levels", "--pattern", "tiled", "--seed", "0"})) ==
        "--seed: is 0, and counts from 1 | write 1 or more");
  CHECK(complaint(parse_cache(Words{"three-levels", "--pattern", "stream:1B"})) ==
        "--pattern: '1B' is not from 64 B to 16 GiB | write a size, such as --pattern stream:1MiB");
  CHECK(complaint(parse_cache(Words{"three-levels", "--pattern", "tiled:"})) ==
        "--pattern: nothing follows the colon | write a size or a network behind it, or leave the "
        "colon out");
  CHECK(complaint(parse_cache(Words{"three-levels", "--pattern", "tiled", "--batch", "5000"})) ==
        "--batch: is more than 4096 images | write 4096 or less");
  CHECK(
      complaint(parse_cache(Words{"three-levels", "--pattern", "tiled", "--passes", "2000000"})) ==
      "--passes: are more than a million | write 1000000 or less");
  CHECK(complaint(parse_validate(Words{"--device", "cpu", "--library", "mkl"})) ==
        "--library: 'mkl' is not one of onednn, openblas | leave it out to run both");
  CHECK(complaint(parse_validate(Words{"--device", "cpu", "--seconds", "0"})) ==
        "--seconds: '0' is no number above zero | write it like 1.5");
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
  CHECK_FALSE(parse_predict(Words{"t4", "lenet", "--convention", "macs"}).ok());
}

TEST_CASE("how data come in means nothing without data") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--workers", "4"})) ==
        "--workers: says how data come in, and there are none | add --data DATASET");
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--data", "mnist", "--workers", "-1"})) ==
        "--workers: is -1 | write 0 or more");
  const Result<PredictCommand> command =
      parse_predict(Words{"t4", "lenet", "--data", "mnist", "--workers", "0", "--epochs", "9"});
  REQUIRE(command.ok());
  CHECK(command->data.dataset == "mnist");
  CHECK(command->data.workers == 0);
  CHECK(command->data.epochs == 9);
}

TEST_CASE("a word outside an option's list proposes the nearest one") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--mode", "train"})) ==
        "--mode: 'train' is not one of inference, training");
  CHECK(
      complaint(parse_predict(Words{"t4", "lenet", "--precision", "fp31"})) ==
      "--precision: 'fp31' is not one of fp32, tf32, fp16, bf16, fp8, int8 | did you mean 'fp32'?");
}

TEST_CASE("an option without its value, or given twice, is refused") {
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--batch"})) ==
        "--batch: needs a value | tantalus predict --help says which");
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--batch", "1", "--batch", "2"})) ==
        "--batch: is given 2 times | give it once");
  CHECK(complaint(parse_predict(Words{"t4", "lenet", "--quiet=yes"})) ==
        "--quiet: takes no value | write the option alone, or leave it out");
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

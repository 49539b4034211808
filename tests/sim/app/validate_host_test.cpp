// `tantalus validate --device cpu` with a shell script in the place of the program that runs kernels: what is asked of it, what is
// made of its rows, and that nothing measured on layers comes back into their prediction.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "sim/app/csv_table.hpp"
#include "sim/app/files.hpp"
#include "sim/report/csv.hpp"
#include "tests/sim/app/console.hpp"
#include "tests/sim/app/test_machine.hpp"

namespace tantalus::testing {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* network_text =
    "tantalus: network/1\nname: test\nsources: {\"*\": test}\ninput: {image: [64, 56, 56]}\n"
    "classes: 10\nlayers:\n  - {name: conv, kind: conv2d, out: 64, kernel: 3, pad: 1}\n"
    "  - {name: relu, kind: relu}\n  - {name: fc, kind: linear, out: 10}\n";

// Two rounds of conv 5 ms, relu 0.3 ms and fc 0.4 ms, the second 2 % slower; probes that --slow-layers does not touch. Its
// arguments go to a file.
constexpr const char* script = R"(#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/asked"
if [ "$1" = detect ]; then cat "$here/detect.csv"; exit; fi
slow=1; plan=
while [ $# -gt 1 ]; do
  case $1 in --slow-layers) slow=$2;; --plan) plan=$2;; esac
  shift
done
cat "$here/detect.csv"
echo "row,,,1,inference,0,probe,0,fma,0,0.01,1,0,1,0,0,1e11,,"
echo "row,,,1,inference,0,probe,0,memory,0,0.01,1,0,1,0,0,1e10,,"
awk -F, -v slow="$slow" '{
  for (round = 0; round < 2; ++round) {
    head = "row," $1 "," $5 "," $3 "," $4 "," round
    factor = slow * (1 + 0.02 * round)
    printf "%s,step,0,conv,%.6g,0.02,9,2,1,2e8,1e6,0,jit:test,\n", head, 5e6 * factor
    printf "%s,step,1,relu,%.6g,0.02,9,0,1,0,1e6,0,jit:test,\n", head, 3e5 * factor
    printf "%s,step,2,fc,%.6g,0.02,9,0,1,4e6,1e6,0,jit:test,beats-flops\n", head, 4e5 * factor
    printf "%s,pass,0,,%.6g,0.02,9,1,1,0,0,0,,\n", head, 5.7e6 * factor
  }
}' "$plan"
)";

class FakeHost {
 public:
  FakeHost() : program_("host.sh", script) {
    std::filesystem::permissions(program_.path(), std::filesystem::perms::owner_all);
    std::ofstream(folder() + "/net.yaml") << network_text;
    std::ofstream rows(folder() + "/detect.csv");
    for (const auto& row : machine_rows()) rows << csv_line(row);
  }
  std::string folder() const { return folder_of(program_.path()); }

  Answer validate(const Words& more) const {
    Words words = {"validate", "--device", "cpu",    "--network", folder() + "/net.yaml",
                   "--batch",  "1",        "--mode", "inference"};
    words.insert(words.end(), more.begin(), more.end());
    std::istringstream in;
    std::ostringstream out, err;
    Console console{in, out, err};
    console.data_folders = {TANTALUS_SOURCE_DIR};
    console.host_program = program_.path();
    const ExitCode code = run(words, console);
    return {static_cast<int>(code), out.str(), err.str()};
  }
  Json json(Words more) const {
    more.insert(more.end(), {"--format", "json"});
    const Answer answer = validate(more);
    INFO(answer.err);
    REQUIRE(answer.code <= 1);
    return Json::parse(answer.out);
  }
  std::string asked() const {
    std::ifstream file(folder() + "/asked");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  TemporaryFile program_;
};

}  // namespace

TEST_CASE("each layer and each whole pass of each library stands beside its prediction") {
  const FakeHost host;

  const Json document = host.json({});

  CHECK(document["system"] == "this-machine");
  CHECK(document["device"] == "cpu: Test CPU, one thread");
  CHECK(document["machine"]["onednn"] == "oneDNN 2.6.3 AVX2");
  REQUIRE(document["rows"].size() == 8);
  const Json& conv = document["rows"][0];
  CHECK(conv["layer"] == "conv");
  CHECK(conv["library"] == "onednn");
  CHECK(conv["measured_ms"].get<double>() == doctest::Approx(5.0));
  CHECK(conv["repeatability"].get<double>() == doctest::Approx(0.0198).epsilon(0.01));
  CHECK(conv["implementation"] == "jit:test");
  CHECK(conv["source"] == "kernels/cpu/dnn_chain.cpp");
  CHECK(conv["samples"] == 18);
  CHECK(conv["dropped"] == 4);
  CHECK(document["rows"][3]["what"] == "whole");
  CHECK(document["rows"][7]["library"] == "openblas");
}

TEST_CASE("a whole pass is predicted as the sum of its layers") {
  const FakeHost host;

  const Json rows = host.json({})["rows"];

  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += rows[i]["predicted_ms"].get<double>();
  CHECK(rows[3]["predicted_ms"].get<double>() == doctest::Approx(sum).epsilon(1e-4));
}

TEST_CASE("a planted lie shows: layers slowed by 1.3 alone move every error by 23 %") {
  const FakeHost host;

  const Json truth = host.json({})["rows"], lie = host.json({"--slow-layers", "1.3"})["rows"];

  REQUIRE(truth.size() == lie.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    CHECK(lie[i]["predicted_ms"] == truth[i]["predicted_ms"]);
    const double before = 1.0 + truth[i]["error"].get<double>();
    const double after = 1.0 + lie[i]["error"].get<double>();
    CHECK(1.0 - after / before == doctest::Approx(1.0 - 1.0 / 1.3).epsilon(0.01));
  }
}

TEST_CASE("what beats the machine's own peak is flagged and judged by no group") {
  const FakeHost host;

  const Json document = host.json({});

  CHECK(document["rows"][2]["flag"] == "beats-flops");
  for (const Json& group : document["groups"]) {
    if (group["name"] == "forward layers") CHECK(group["count"] == 4);
  }
}

TEST_CASE("the exit code says whether the errors are within validate/tolerances.yaml") {
  const FakeHost host;

  const Answer wrong = host.validate({"--slow-layers", "50"});

  CHECK(wrong.code == 1);
  CHECK(contains(wrong.out, "forward layers"));
}

TEST_CASE("the baseline carries the machine's identity in every row") {
  const FakeHost host;
  const std::string file = host.folder() + "/baseline.csv";

  host.json({"--baseline", file});

  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  const Result<CsvTable> table = parse_csv(text.str(), file);
  REQUIRE(table.ok());
  CHECK(table->rows.size() == 8);
  for (const char* name : {"processor", "onednn", "openblas", "device", "driver", "measured_ms"}) {
    CHECK(table->column(name).has_value());
  }
}

TEST_CASE("the machine is detected afresh unless its file is named") {
  const FakeHost host;

  host.json({});
  CHECK(contains(host.asked(), "detect --folder"));
  CHECK(contains(host.asked(), "--rounds 2"));

  const Answer named = host.validate({"xeon-e5-2650-v3"});
  CHECK(named.code == 3);
  CHECK(contains(named.err, "xeon-e5-2650-v3-onednn"));
}

TEST_CASE("random networks come on top of those that are named") {
  const FakeHost host;

  const Answer answer =
      host.validate({"--random-networks", "1", "--seed", "7", "--library", "onednn"});

  CHECK(answer.code <= 1);
  CHECK(contains(answer.out, "net 1 inference onednn"));
  CHECK(contains(answer.out, "random-7-0 "));
}

TEST_CASE("validate --device cuda without a GPU says so in one line and exits with 4") {
  const Answer answer = answer_of({"validate", "--device", "cuda"});

  CHECK(answer.code == 4);
  CHECK(answer.out.empty());
  CHECK(contains(answer.err, "error[env-no-gpu]: there is no CUDA device here"));
}

TEST_CASE("a build without host kernels cannot validate here, and says so") {
  const Answer answer = answer_of({"validate", "--device", "cpu"});

  CHECK(answer.code == 4);
  CHECK(contains(answer.err, "error[env-no-host-program]: this build cannot run kernels"));
}

TEST_CASE("options of measuring here are refused with their remedy") {
  CHECK(answer_of({"validate", "--device", "cpu", "--batch", "1,x"}).code == 2);
  CHECK(answer_of({"validate", "--device", "cpu", "--library", "mkl"}).code == 2);
  CHECK(answer_of({"validate", "--device", "cpu", "--slow-layers", "fast"}).code == 2);
  CHECK(answer_of({"validate", "--device", "cpu", "here.yaml", "there.yaml"}).code == 2);
}

}  // namespace tantalus::testing

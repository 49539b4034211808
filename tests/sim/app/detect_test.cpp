// The files of `detect` from rows as the host program prints them; no kernel runs here.
#include <doctest/doctest.h>

#include "sim/app/detected_files.hpp"
#include "sim/app/spec_file.hpp"
#include "tests/sim/app/console.hpp"
#include "tests/sim/app/test_machine.hpp"

namespace tantalus::testing {

TEST_CASE("each detected number names its mark, its spread and how it was found") {
  const std::string text = device_text(machine_of(machine_rows()), "here");

  CHECK(contains(text, "sustained: 3.2 GHz"));
  CHECK(contains(text, "clock.sustained: \"measured, spread 2.1 %: a \\\"probe\\\" of it\""));
  CHECK(contains(text, "simd.width: \"inferred: a"));
  CHECK(contains(text, "dram.capacity: \"datasheet: a"));
  CHECK(contains(text, "#   storage.latency: 84 us (measured, spread 2.1 %"));
}

TEST_CASE("the catalogues behind a detected machine follow the instruction set of each library") {
  const DetectedMachine machine = machine_of(machine_rows());

  CHECK(base_catalogue(machine, "onednn") == "onednn-avx2");
  CHECK(base_catalogue(machine, "openblas") == "openblas-avx512");
}

TEST_CASE("the files of a detected machine load and check clean") {
  Files files({TANTALUS_SOURCE_DIR});
  const auto texts = detected_files(files, machine_of(machine_rows()), "here");
  REQUIRE(texts);
  REQUIRE(texts->size() == 3);
  const TemporaryFile device("here.yaml", (*texts)[0].second);
  const std::string folder = folder_of(device.path());
  const TemporaryFile onednn("here-onednn.yaml", (*texts)[1].second);
  CHECK(contains((*texts)[1].second, "loops.simple: \"measured, spread 2.1 %"));
  CHECK(contains((*texts)[1].second, "simple: 2.25"));
  const auto read = files.read(onednn.path());
  REQUIRE(read);
  CHECK(check_spec(files, *read).empty());
  // The device alone, with shipped catalogues in place of the two beside it.
  std::string text = (*texts)[0].second;
  text.replace(text.find("here-onednn"), 11, "onednn-avx2");
  text.replace(text.find("here-openblas"), 13, "openblas-avx2");
  const TemporaryFile alone("alone.yaml", text);
  const auto system = files.read(alone.path());
  REQUIRE(system);
  const Diagnostics found = check_spec(files, *system);
  for (const Diagnostic& d : found) FAIL_CHECK(d.code, " ", d.path, " ", d.message);
}

TEST_CASE("a build without host kernels says so in one line and exits with 4") {
  const Answer answer = answer_of({"detect", "-o", "/nowhere/here.yaml"});

  CHECK(answer.code == 4);
  CHECK(contains(answer.err, "error[env-no-host-program]: this build cannot run kernels"));
}

}  // namespace tantalus::testing

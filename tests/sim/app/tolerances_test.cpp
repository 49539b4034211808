#include "sim/app/tolerances.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

namespace {

// A data folder whose tolerances say this.
class DataFolder {
 public:
  explicit DataFolder(const std::string& text) : inside_("unused", "") {
    std::filesystem::create_directory(path() + "/validate");
    std::ofstream(path() + "/validate/tolerances.yaml") << text;
  }
  std::string path() const { return folder_of(inside_.path()); }

 private:
  TemporaryFile inside_;
};

}  // namespace

TEST_CASE("the shipped limits are those of the accuracy promise") {
  Files files({TANTALUS_SOURCE_DIR});

  const Result<Tolerances> t = load_tolerances(files, {TANTALUS_SOURCE_DIR});

  REQUIRE(t.ok());
  CHECK(t->forward.value() == 0.10);
  CHECK(t->backward.value() == 0.14);
  CHECK(t->small.value() == 0.25);
  CHECK(t->whole.value() == 0.09);
  CHECK(t->most.value() == 0.15);
  CHECK(t->small_below == Duration{20'000'000});
}

TEST_CASE("a user's data folder comes before the shipped one") {
  const DataFolder mine("tantalus: tolerances/1\nforward: 0.05\n");
  Files files({mine.path(), TANTALUS_SOURCE_DIR});

  const Result<Tolerances> t = load_tolerances(files, {mine.path(), TANTALUS_SOURCE_DIR});

  REQUIRE(t.ok());
  CHECK(t->forward.value() == 0.05);
  CHECK(t->whole.value() == 0.09);
}

TEST_CASE("each slip in the limits is reported with its line and the right word") {
  const DataFolder mine("tantalus: tolerances/1\nforwards: 0.05\nwhole: 0\nsmall_below: 20\n");
  Files files({mine.path()});

  const Result<Tolerances> t = load_tolerances(files, {mine.path()});

  REQUIRE_FALSE(t.ok());
  REQUIRE(t.diagnostics().size() == 3);
  std::string all;
  for (const Diagnostic& d : t.diagnostics()) {
    CHECK(d.where.file == mine.path() + "/validate/tolerances.yaml");
    all += std::to_string(d.where.line) + " " + d.path + " " + d.hint + "\n";
  }
  INFO(all);
  CHECK(contains(all, "2 forwards"));
  CHECK(contains(all, "'forward'"));
  CHECK(contains(all, "3 whole"));
  CHECK(contains(all, "4 small_below"));
}

TEST_CASE("limits that are nowhere are a mistake, not a default") {
  Files files({"/nowhere"});

  const Result<Tolerances> t = load_tolerances(files, {"/nowhere"});

  REQUIRE_FALSE(t.ok());
  CHECK(t.diagnostics().front().code == "env-no-file");
}

TEST_CASE("the limits are checked and shown like any other file") {
  const std::string file = std::string(TANTALUS_SOURCE_DIR) + "/validate/tolerances.yaml";

  CHECK(answer_of({"check", file}).code == 0);
  CHECK(contains(answer_of({"show", file}).out, "small_below: 20 us"));
}

}  // namespace tantalus::testing

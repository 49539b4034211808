// Every diagnostic of hardware files as people read it, and the guard over all rooms: each tests/data/bad/hardware/NAME.yaml is
// given to `tantalus check` and what that prints is compared with NAME.expected. Mistakes of networks, runs, tables and the
// command line have their texts beside them and in tests/scenarios. Regenerate with
//
//   TANTALUS_UPDATE_GOLDEN=1 ctest -R "prints its expected text"
//
// and read the difference before committing it.
#include "tests/golden.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "tests/sim/app/console.hpp"

namespace tantalus::testing {
namespace {

namespace fs = std::filesystem;

const fs::path source_dir = TANTALUS_SOURCE_DIR;
const fs::path bad_hardware = source_dir / "tests/data/bad/hardware";

std::vector<fs::path> files_of(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A test that stands elsewhere for a while, so that messages name files without their folder.
class StandingIn {
 public:
  explicit StandingIn(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~StandingIn() { fs::current_path(before_); }
  StandingIn(const StandingIn&) = delete;
  StandingIn& operator=(const StandingIn&) = delete;

 private:
  fs::path before_;
};

TEST_CASE("every bad hardware file prints its expected text") {
  const StandingIn here(bad_hardware);
  const std::vector<fs::path> files = files_of(bad_hardware, ".yaml");
  REQUIRE(files.size() > 60);

  for (const fs::path& path : files) {
    if (path.parent_path() != bad_hardware) continue;  // what the bad ones name
    const Answer answer = answer_of({"check", path.filename().string()});
    CHECK_MESSAGE(!answer.err.empty(), path.filename() << " has no diagnostic");
    check_golden("tests/data/bad/hardware/" + path.stem().string() + ".expected", answer.err);
  }
}

struct Refusal {
  const char* name;
  std::vector<std::string> arguments;
};

const std::string tables = "tests/data/bad/tables/";
const std::string good_gpu = "tests/data/bad/hardware/good/gpu.yaml";
const std::string good_cpu = "tests/data/bad/hardware/good/cpu.yaml";

/// Command lines that are refused, or answered with a warning, for what they ask.
const std::vector<Refusal>& refusals() {
  static const std::vector<Refusal> all = {
      {"bad-batch", {"predict", good_gpu, "lenet", "--batch", "1000000000000000000"}},
      {"no-drive", {"predict", "laptop-cpu", "alexnet", "--data", "imagenet"}},
      {"sample-size", {"predict", "laptop-cpu", "alexnet", "--data", "mnist", "--batch=70000"}},
      {"no-host-for-data", {"predict", good_gpu, "lenet", "--data", "mnist"}},
      {"unused-field", {"check", "tests/data/bad/datasets/unused-field.yaml"}},
      {"too-many-shards", {"check", "tests/data/bad/datasets/too-many-shards.yaml"}},
      {"bad-batch-number", {"predict", good_gpu, "lenet", "--batch", "99999999999999999999"}},
      {"bad-micro-batch", {"predict", good_gpu, "lenet", "--batch=3", "--micro-batch=2"}},
      {"too-long", {"predict", good_gpu, "vgg16", "--batch=1000000", "--set=dram.data_rate=1MT/s"}},
      {"operation-too-large",
       {"ops", good_cpu, tables + "long.csv", "--set=cores=1", "--set=l3.shared_by=1",
        "--set=clock.base=100MHz", "--set=clock.sustained=100MHz", "--set=clock.one_core=100MHz"}},
      {"no-kernel-fits",
       {"predict", good_gpu, "mlp", "--set=sm.shared_memory=1KiB",
        "--set=sm.shared_memory_per_block=1KiB", "--set=sm.max_threads=32"}},
      {"lecture-counts-forward", {"profile", "mlp", "--convention=lecture", "--mode=training"}},
      {"lecture-lacks-kind", {"profile", "mobilenet-v2", "--convention=lecture"}},
      {"env-no-file", {"check", "no-such-file.yaml"}},
      {"env-is-a-folder", {"check", "./tests"}},
      {"env-unreadable", {"check", "/proc/self/mem"}},
      {"env-no-onnx", {"profile", "tests/data/bad/run/network.onnx"}},
      {"cannot-write", {"predict", good_gpu, "lenet", "--trace=no-such-folder/trace.json"}},
      {"unknown-name", {"predict", "a100-80gb-pci", "lennet"}},
      {"measured-missing", {"validate", good_gpu}},
      {"env-no-gpu", {"validate", "--device", "cuda"}},
      {"measured-no-column", {"validate", good_gpu, "--measured", tables + "no-times.csv"}},
      {"measured-bad-times", {"validate", good_gpu, "--measured", tables + "bad-times.csv"}},
      {"cache-layer", {"cache", "three-levels", "--pattern", "im2col:lenet", "--layer", "conv3"}},
      {"cache-pattern", {"cache", "three-levels", "--pattern", "naiv:0", "--stride", "1B"}},
      {"cache-two-programs", {"cache", "three-levels", "--pattern", "naive", "--trace", "a.din"}},
      {"cache-records-much",
       {"cache", "three-levels", "--pattern", "stream:1GiB", "--record", "no-such-folder/a"}},
      {"unsupported-algorithm", {"ops", good_cpu, tables + "algorithm.csv"}}};
  return all;
}

TEST_CASE("every refused command line prints its expected text") {
  const StandingIn here(source_dir);
  for (const Refusal& refusal : refusals()) {
    const Answer answer = answer_of(refusal.arguments);
    CHECK_MESSAGE(!answer.err.empty(), refusal.name << " has no diagnostic");
    check_golden("tests/data/bad/run/" + std::string(refusal.name) + ".expected", answer.err);
  }
}

TEST_CASE("every bad table of operators prints its expected text") {
  // What other verbs and devices are asked, above.
  const std::set<std::string> elsewhere = {"bad-times", "long", "no-times"};
  const StandingIn here(source_dir / tables);
  for (const fs::path& path : files_of(source_dir / tables, ".csv")) {
    if (elsewhere.count(path.stem().string()) == 1) continue;
    const Answer answer = answer_of({"ops", "../hardware/good/gpu.yaml", path.filename().string()});
    CHECK_MESSAGE(!answer.err.empty(), path.filename() << " has no diagnostic");
    check_golden(tables + path.stem().string() + ".expected", answer.err);
  }
}

TEST_CASE("every bad trace prints its expected text") {
  const fs::path traces = source_dir / "tests/data/bad/traces";
  const StandingIn here(traces);
  for (const char* name :
       {"core.trace", "cut.trace", "dinero.din", "empty.trace", "far.trace", "lackey.trace"}) {
    const Answer answer = answer_of({"cache", "three-levels", "--trace", std::string("./") + name});
    CHECK(answer.code == 3);
    check_golden("tests/data/bad/traces/" + fs::path(name).stem().string() + ".expected",
                 answer.err);
  }
}

// --------------------------------------------------------------------------------------------------- nothing forgotten

/// Words of the sources that look like codes and are none: kinds of trace records, options, a file.
const std::set<std::string> no_codes = {
    "cohort-finished", "cohort-started",  "flow-finished", "flow-rate-changed", "flow-started",
    "resource-freed",  "resource-taken",  "task-finished", "task-queued",       "task-started",
    "micro-batch",     "random-networks", "slow-layers",   "this-machine",      "write-backs"};

/// All codes that the program can print: slugs in quotes anywhere in its sources.
std::set<std::string> all_codes() {
  static const std::regex slug("\"([a-z]+(-[a-z]+)+)\"");
  std::set<std::string> codes;
  for (const char* room : {"sim", "models"}) {
    for (const char* extension : {".cpp", ".hpp"}) {
      for (const fs::path& path : files_of(source_dir / room, extension)) {
        const std::string text = text_of_file(path.string());
        for (std::sregex_iterator it(text.begin(), text.end(), slug), end; it != end; ++it) {
          if (no_codes.count((*it)[1]) == 0) codes.insert((*it)[1]);
        }
      }
    }
  }
  return codes;
}

std::vector<fs::path> golden_files() {
  std::vector<fs::path> files = files_of(source_dir / "tests/data/bad", ".expected");
  const std::vector<fs::path> scenarios = files_of(source_dir / "tests/scenarios", ".txt");
  files.insert(files.end(), scenarios.begin(), scenarios.end());
  return files;
}

struct Printed {
  std::string code, first_line;
  bool has_hint = false;
};

/// The diagnostics of all golden texts; scenarios begin each line of standard error with "! ".
std::vector<Printed> all_printed() {
  static const std::regex first("(?:error|warning)\\[([a-z-]+)\\]: ");
  std::vector<Printed> all;
  for (const fs::path& path : golden_files()) {
    std::istringstream lines(text_of_file(path.string()));
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("! ", 0) == 0) line.erase(0, 2);
      std::smatch found;
      if (line.rfind("  hint: ", 0) == 0 && !all.empty()) {
        all.back().has_hint = true;
      } else if (std::regex_search(line, found, first)) {
        all.push_back({found[1], line});
      }
    }
  }
  return all;
}

TEST_CASE("every diagnostic code of the program has a golden text") {
  std::set<std::string> shown;
  for (const Printed& one : all_printed()) shown.insert(one.code);
  const std::set<std::string> codes = all_codes();

  REQUIRE(codes.size() > 100);
  for (const std::string& code : codes) {
    CHECK_MESSAGE(shown.count(code) == 1,
                  "no text in tests/data/bad or tests/scenarios shows " << code);
  }
}

TEST_CASE("docs/diagnostics.md has one row for each code of the program") {
  static const std::regex row("\n\\| `([a-z-]+)` \\|");
  const std::string page = text_of_file((source_dir / "docs/diagnostics.md").string());
  std::map<std::string, int> rows;
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it)
    ++rows[(*it)[1]];

  for (const std::string& code : all_codes())
    CHECK_MESSAGE(rows[code] == 1, code << " has " << rows[code] << " rows");
}

TEST_CASE("every diagnostic says what to do") {
  // The range, or the option's own words, stand in the message already.
  const std::set<std::string> without_hint = {"out-of-range", "usage"};

  for (const Printed& one : all_printed()) {
    CHECK_MESSAGE((one.has_hint || without_hint.count(one.code) == 1),
                  "no hint below: " << one.first_line);
  }
}

}  // namespace
}  // namespace tantalus::testing

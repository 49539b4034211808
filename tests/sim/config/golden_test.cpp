// Every diagnostic that this room can print, as people read it: each tests/data/bad/config/NAME.yaml is loaded as what its
// header says and the report compared with NAME.expected. Regenerate with
//
//   TANTALUS_UPDATE_GOLDEN=1 ctest -R "expected text"
//
// and read the difference before committing it. A first line "# --set: PATH=VALUE" is given as that option.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/config/network_spec.hpp"
#include "sim/config/system_spec.hpp"
#include "source_dir.hpp"
#include "tests/sim/config/texts.hpp"
#include "tests/sim/config/toy_gpu.hpp"

namespace tantalus {
namespace {

namespace fs = std::filesystem;

const fs::path source_dir = TANTALUS_SOURCE_DIR;
const fs::path bad_dir = source_dir / "tests/data/bad/config";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_of(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<DeviceText> toy_device(const std::string& stem) {
  if (stem != "toy") return unknown_device(stem, {"toy"});
  return DeviceText{"toy.yaml",
                    "tantalus: device/1\nkind: gpu\n"
                    "sm: {count: 8, fp32_lanes: 128, shared_memory: 96 KiB}\n"
                    "clock: {boost: 1.5 GHz}\nl2: {capacity: 4 MiB}\n"
                    "dram: {capacity: 8 GiB, bus: 256 bit, data_rate: 10 GT/s}\n"};
}

void append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
}

Diagnostics machine_diagnostics(const std::string& text, const std::string& file) {
  Diagnostics found;
  SystemLoad load;
  load.look_up = toy_device;
  const std::string option = "# --set: ";
  if (text.rfind(option, 0) == 0) {
    const auto set = parse_override(text.substr(option.size(), text.find('\n') - option.size()));
    append(found, set.diagnostics());
    if (set.ok()) load.sets.push_back(*set);
  }
  const Result<SystemSpec> system = load_system_text(text, file, load);
  append(found, system.diagnostics());
  if (!system.ok()) return found;
  for (const PartSpec& part : system->parts) {
    append(found, read_spec<toy::Gpu>(part.body, reading(part)).diagnostics());
  }
  return found;
}

Diagnostics all_diagnostics(const std::string& text, const std::string& file) {
  if (text.rfind("tantalus: network", 0) != 0) return machine_diagnostics(text, file);
  return read_network(text, file).diagnostics();
}

std::string report(const std::string& text, const std::string& file) {
  Diagnostics found = all_diagnostics(text, file);
  sort_by_place(found);
  std::string printed;
  for (const Diagnostic& d : found) printed += render(d, d.where.file == file ? text : "");
  return printed;
}

void compare(const fs::path& expected_path, const std::string& printed) {
  if (std::getenv("TANTALUS_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(expected_path, std::ios::binary) << printed;
  }
  CHECK_MESSAGE(read_file(expected_path) == printed, expected_path.filename() << " differs from\n"
                                                                              << printed);
}

TEST_CASE("every bad file prints its expected text") {
  const std::vector<fs::path> files = files_of(bad_dir, ".yaml");
  REQUIRE(files.size() > 30);

  for (const fs::path& path : files) {
    fs::path expected = path;
    expected.replace_extension(".expected");
    const std::string printed = report(read_file(path), path.filename().string());
    CHECK_MESSAGE(!printed.empty(), path.filename() << " has no diagnostic");
    compare(expected, printed);
  }
}

TEST_CASE("a file that is too large to read prints its expected text") {
  compare(bad_dir / "file-too-large.expected", render(*check_file_size(1'000'000'000, "big.yaml")));
}

// --------------------------------------------------------------------------------------------------- nothing forgotten

/// Slugs in quotes in the sources of a folder: the codes that it can print.
std::set<std::string> slugs_in(const fs::path& folder) {
  std::set<std::string> slugs;
  static const std::regex slug("\"([a-z]+(-[a-z]+)+)\"");
  for (const char* extension : {".cpp", ".hpp"}) {
    for (const fs::path& path : files_of(folder, extension)) {
      const std::string text = read_file(path);
      for (std::sregex_iterator it(text.begin(), text.end(), slug), end; it != end; ++it) {
        slugs.insert((*it)[1]);
      }
    }
  }
  return slugs;
}

std::set<std::string> documented_codes() {
  std::set<std::string> codes;
  static const std::regex row("\n\\| `([a-z-]+)` \\|");
  const std::string page = read_file(source_dir / "docs/diagnostics.md");
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it) {
    codes.insert((*it)[1]);
  }
  return codes;
}

std::string all_expected_texts() {
  std::string text;
  for (const fs::path& path : files_of(bad_dir, ".expected")) text += read_file(path);
  return text;
}

TEST_CASE("every diagnostic code of the base and config rooms has a bad file that prints it") {
  const std::string printed = all_expected_texts();
  std::set<std::string> codes = slugs_in(source_dir / "sim/base");
  codes.merge(slugs_in(source_dir / "sim/config"));

  REQUIRE(codes.size() > 30);
  for (const std::string& code : codes) {
    CHECK_MESSAGE(printed.find("[" + code + "]") != std::string::npos,
                  "no file in tests/data/bad/config prints " << code);
  }
}

TEST_CASE("docs/diagnostics.md explains no code that nothing prints") {
  std::set<std::string> slugs = slugs_in(source_dir / "sim");
  slugs.merge(slugs_in(source_dir / "models"));

  for (const std::string& code : documented_codes()) {
    CHECK_MESSAGE(slugs.count(code) == 1, "nothing prints " << code);
  }
}

}  // namespace
}  // namespace tantalus

// Every diagnostic of networks that read well but do not fit together, as people see it: each tests/data/bad/network/NAME.yaml
// is read and inferred, and the report compared with NAME.expected. Regenerate with
//
//   TANTALUS_UPDATE_GOLDEN=1 ctest -R "network that does not fit"
//
// and read the difference before committing it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "source_dir.hpp"
#include "tests/models/dnn/networks.hpp"

namespace tantalus {
namespace {

namespace fs = std::filesystem;

const fs::path bad_dir = fs::path(TANTALUS_SOURCE_DIR) / "tests/data/bad/network";

std::vector<fs::path> bad_networks() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(bad_dir)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<Network> inferred(const fs::path& path) {
  return network_of(text_of_file(path.string()), path.filename().string());
}

TEST_CASE("every network that does not fit together prints its expected text") {
  REQUIRE(bad_networks().size() >= 17);

  for (const fs::path& path : bad_networks()) {
    fs::path expected = path;
    expected.replace_extension(".expected");
    const std::string printed = rendered(inferred(path).diagnostics(), text_of_file(path.string()));
    if (std::getenv("TANTALUS_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(expected, std::ios::binary) << printed;
    }
    CHECK_MESSAGE(!printed.empty(), path.filename() << " has no diagnostic");
    CHECK_MESSAGE(text_of_file(expected.string()) == printed, expected.filename()
                                                                  << " differs from\n"
                                                                  << printed);
  }
}

/// Codes in quotes in the sources of inference.
std::set<std::string> codes_in(const fs::path& file) {
  const std::string text = text_of_file(file.string());
  const std::regex code("\"([a-z]+(-[a-z]+)+)\"");
  std::set<std::string> codes;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), code); it != std::sregex_iterator();
       ++it) {
    codes.insert((*it)[1]);
  }
  return codes;
}

TEST_CASE("every code of inference has a file that shows it") {
  std::set<std::string> shown{
      "empty-network"};  // only a hand-built network has it: layers_test.cpp
  for (const fs::path& path : bad_networks()) {
    const Result<Network> network = inferred(path);
    for (const Diagnostic& d : network.diagnostics()) shown.insert(d.code);
  }
  const fs::path room = fs::path(TANTALUS_SOURCE_DIR) / "models/dnn";
  for (const char* file : {"layers.cpp", "layer_graph.cpp"}) {
    const std::set<std::string> codes = codes_in(room / file);
    CHECK_FALSE(codes.empty());
    for (const std::string& code : codes) {
      CHECK_MESSAGE(shown.count(code) == 1, "no file in tests/data/bad/network shows " << code);
    }
  }
}

}  // namespace
}  // namespace tantalus

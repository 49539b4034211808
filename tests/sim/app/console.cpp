#include "tests/sim/app/console.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tantalus::testing {

TemporaryFile::TemporaryFile(const std::string& name, const std::string& text) {
  folder_ = (std::filesystem::temp_directory_path() / "tantalus_test_XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = folder_ + "/" + name;
  std::ofstream(path_, std::ios::binary) << text;
}

TemporaryFile::~TemporaryFile() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

}  // namespace tantalus::testing

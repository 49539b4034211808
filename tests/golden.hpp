// Golden files: reviewed text that a test compares with, byte for byte. They are written by the tests themselves and never by
// hand: `TANTALUS_UPDATE_GOLDEN=1 ctest -L golden` (or running one test program with that variable set) rewrites them.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "source_dir.hpp"

namespace tantalus::testing {

inline std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// `path` is relative to the source tree.
inline void check_golden(const std::string& path, const std::string& text) {
  const std::string full = std::string(TANTALUS_SOURCE_DIR) + "/" + path;
  if (std::getenv("TANTALUS_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(full, std::ios::binary) << text;
  }
  INFO("golden file: ", path,
       "; rewrite it with TANTALUS_UPDATE_GOLDEN=1 when the change is meant");
  CHECK(text == text_of_file(full));
}

}  // namespace tantalus::testing

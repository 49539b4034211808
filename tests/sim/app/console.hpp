// Runs whole commands inside the test process: arguments in, exit code and both streams out. Bare names are looked up in the
// source tree, as in a build that was not installed.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "sim/app/run.hpp"
#include "source_dir.hpp"

namespace tantalus::testing {

struct Answer {
  int code = 0;
  std::string out, err;
};

inline Answer answer_of(const std::vector<std::string>& arguments, const std::string& input = {}) {
  std::istringstream in(input);
  std::ostringstream out, err;
  Console console{in, out, err};
  console.data_folders = {TANTALUS_SOURCE_DIR};
  const ExitCode code = run(arguments, console);
  return {static_cast<int>(code), out.str(), err.str()};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A file of its own in the system's folder for temporary files, gone with the object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

}  // namespace tantalus::testing

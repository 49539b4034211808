// The second program, which runs real kernels on this machine (docs/decisions/0008): found beside `tantalus`, started with
// arguments, its rows read back. The predictor links none of its libraries.
#pragma once

#include <string>
#include <vector>

#include "sim/app/csv_table.hpp"
#include "sim/app/session.hpp"
#include "sim/base/result.hpp"

namespace tantalus {

/// What the program prints on standard output, one line a row of comma-separated cells; its progress goes to standard error
/// as it comes. Code: env-no-host-program (this build has none, or it failed and said why itself).
Result<std::vector<std::vector<std::string>>> run_host_program(
    const Console& console, const std::vector<std::string>& arguments);

/// A folder of its own in the system's folder for temporary files, gone with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ScratchFolder(ScratchFolder&&) = delete;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tantalus

// The constants of a CPU catalogue (hw_configs/libraries) that this machine can tell: single layers of fixed, round sizes, none of
// which belongs to a network that is validated, timed alone and turned into cycles. What is not probed stays as the catalogue says.
#pragma once

#include <string>
#include <vector>

#include "validate/measure.hpp"

namespace tantalus::validation {

struct LibraryConstant {
  std::string field, value;
  double spread = 0;
  std::string how;
};

struct LibraryProbes {
  RateProbe& probe;
  StopRule rule;
  double hertz = 0;     // clock under vector load
  double peak = 0;      // FLOP/s of one core
  double memory = 0;    // bytes a second that one core reads from main memory
  bool onednn = false;  // else OpenBLAS and plain loops
  std::int64_t lanes =
      1;  // of a vector as the model counts it: the narrower of machine and library
};

std::vector<LibraryConstant> library_constants(const LibraryProbes& probes);

/// Of several passes, the same fields in the same order each: the middle value of each field (of a list, by its first number).
std::vector<LibraryConstant> middle_of(const std::vector<std::vector<LibraryConstant>>& passes);

}  // namespace tantalus::validation

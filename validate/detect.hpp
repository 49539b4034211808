// This machine's numbers by micro-benchmarks, in a few minutes and without administrator rights: what a device file and the two
// library files of `tantalus detect` are made of. It writes no file; each row names a field of those files, and says how the
// value came about. No network's layer is run.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tantalus::validation {

struct DetectedValue {
  std::string file;   // "device", "onednn", "openblas", "note" (no field of any file)
  std::string field;  // "clock.sustained"
  std::string value;  // with its unit, as the file has it
  double spread = 0;  // relative, of measured ones
  std::string mark;   // "measured", "inferred", "datasheet"
  std::string how;
};

struct DetectOptions {
  std::string folder;     // for the file that is read
  double seconds = 0.25;  // of each micro-benchmark at most
  /// Told what is measured next.
  std::function<void(const std::string&)> progress;
};

std::vector<DetectedValue> detect(const DetectOptions& options);

}  // namespace tantalus::validation

// The files that describe this machine, from the rows that the host program measured: a device file and a catalogue for each
// library, made of a shipped one with the measured constants in place of its own. Every number says in `sources:` whether it
// was measured (with its spread), inferred or listed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/app/files.hpp"
#include "sim/base/result.hpp"

namespace tantalus {

struct DetectedNumber {
  std::string file, field, value;  // "device", "clock.sustained", "3.25 GHz"
  double spread = 0;
  std::string mark, how;
};

struct DetectedMachine {
  std::vector<std::pair<std::string, std::string>> state;  // processor, libraries, governor, ...
  std::vector<DetectedNumber> numbers;

  std::string state_of(const std::string& name) const;
};

/// Rows as the host program prints them; rows of other kinds are left alone.
DetectedMachine machine_of(const std::vector<std::vector<std::string>>& rows);

/// "measured, spread 2.1 %: multiply-add rate of one core".
std::string source_of(const DetectedNumber& number);

/// Which shipped catalogue stands behind a library here: by the instruction set that it chose.
std::string base_catalogue(const DetectedMachine& machine, const std::string& library);

std::string device_text(const DetectedMachine& machine, const std::string& stem);
Result<std::string> library_text(Files& files, const DetectedMachine& machine,
                                 const std::string& library);

/// The three texts by file name, for a device file called `stem`: "stem.yaml", "stem-onednn.yaml", "stem-openblas.yaml".
Result<std::vector<std::pair<std::string, std::string>>> detected_files(
    Files& files, const DetectedMachine& machine, const std::string& stem);

}  // namespace tantalus

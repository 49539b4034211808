// Where the program reads and writes, as values, so that a test runs whole commands without a process. Answers go to `out`,
// diagnostics to `err`. What the environment says about colour and data folders is read once, in main.cpp.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/report/style.hpp"

namespace tantalus {

enum class ColorChoice : std::uint8_t { automatic, always, never };

struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool environment_allows_color = true;  // NO_COLOR is not set and TERM is not "dumb"
  /// Each may hold hw_configs/ and models/networks/; the first match wins.
  std::vector<std::string> data_folders = {};
  /// The program that runs real kernels here; empty when this build has none.
  std::string host_program = {};
};

/// `--color always` overrides the environment; `auto` needs a terminal and an environment that does not object.
Style style_for(const Console& console, ColorChoice choice);

}  // namespace tantalus

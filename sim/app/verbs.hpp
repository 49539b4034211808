// The verbs of the command line and their options as one table: parsing (options.hpp) and help (help.hpp) both read it, so
// that they cannot disagree. A verb that does not work yet is not in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tantalus {

enum class Verb : std::uint8_t {
  predict,
  profile,
  ops,
  validate,
  detect,
  describe,
  cache,
  check,
  show
};

struct OptionInfo {
  std::string_view name;   // without the dashes
  std::string_view value;  // "N", "PATH=VALUE"; empty for a flag
  std::string_view doc;
};

struct VerbInfo {
  Verb verb;
  std::string_view name;
  std::string_view summary;    // one line
  std::string_view arguments;  // "SYSTEM NETWORK"
  std::string_view about;      // what to know about the arguments and the answer
  std::span<const OptionInfo> options;
  std::array<std::string_view, 2> examples;  // each runs as it stands, and the tests run them
};

std::span<const VerbInfo> verbs();
const VerbInfo& info_of(Verb verb);
/// Null when there is no such verb.
const VerbInfo* find_verb(std::string_view name);
std::vector<std::string> verb_names();

}  // namespace tantalus

#include "sim/app/help.hpp"

#include <algorithm>
#include <cstddef>

namespace tantalus {

namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string shown(const OptionInfo& option) {
  std::string text = "--" + std::string(option.name);
  if (!option.value.empty()) text += " " + std::string(option.value);
  return text;
}

// Options of long values put their sentence on the next line.
std::string option_lines(std::span<const OptionInfo> options) {
  constexpr std::size_t column = 26;
  std::string text;
  for (const OptionInfo& option : options) {
    const std::string name = "  " + shown(option);
    text +=
        name.size() + 2 <= column ? padded(name, column) : name + "\n" + std::string(column, ' ');
    text += std::string(option.doc) + "\n";
  }
  return text;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

std::string general_help() {
  std::string text =
      "Tantalus predicts how long a neural network takes on a machine described in YAML, and what "
      "it waits for.\n\n"
      "usage: tantalus VERB ...\n\n";
  for (const VerbInfo& verb : verbs()) {
    text += "  " + padded(std::string(verb.name), 10) + std::string(verb.summary) + "\n";
  }
  text +=
      "\n  tantalus VERB --help     options and examples of a verb\n"
      "  tantalus --version       version, compiler, optional parts\n"
      "\nexit codes: 0 done; 1 the answer is no (does not fit in memory); 2 wrong usage; 3 bad "
      "input file;\n"
      "4 the device or feature is not here; 70 a bug in Tantalus; 74 the answer cannot be written; "
      "130 interrupted.\n"
      "Bare names are looked up in the installed specs, or below the folder that TANTALUS_DATA "
      "names.\n";
  return text;
}

std::string help_of(const VerbInfo& verb) {
  std::string text = "tantalus " + std::string(verb.name) + ": " + std::string(verb.summary) +
                     "\n\nusage: tantalus " + std::string(verb.name) + " " +
                     std::string(verb.arguments) + " [options]\n\n" + std::string(verb.about) +
                     "\n\noptions:\n" + option_lines(verb.options) + "\nexamples:\n";
  for (const std::string_view example : verb.examples) text += "  " + std::string(example) + "\n";
  return text;
}

std::string version_text() {
  return "tantalus " TANTALUS_VERSION "\ncompiler: " + compiler() +
         "\nCUDA: " TANTALUS_CUDA_WORD "\nONNX: no\nMPI: no\n";
}

}  // namespace tantalus

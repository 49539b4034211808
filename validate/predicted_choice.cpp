#include "validate/predicted_choice.hpp"

#include <regex>

namespace tantalus::validation {

std::optional<kernels::ProductChoice> choice_from(const std::vector<std::string>& kernel_names) {
  static const std::regex product("(implicit_)?gemm_fp32_([0-9]+)x([0-9]+)(_split([0-9]+))?");
  std::optional<kernels::ProductChoice> found;
  bool columns = false;
  for (const std::string& name : kernel_names) {
    columns = columns || name == "im2col" || name == "col2im";
    std::smatch words;
    if (!std::regex_match(name, words, product)) continue;
    const int m = std::stoi(words[2]), n = std::stoi(words[3]);
    for (const kernels::TileShape tile : kernels::all_tiles) {
      const kernels::TileFacts facts = kernels::facts_of(tile);
      if (facts.m != m || facts.n != n) continue;
      found = kernels::ProductChoice{tile, words[5].matched ? std::stoi(words[5]) : 1, false};
    }
  }
  if (found) found->columns = columns;
  return found;
}

}  // namespace tantalus::validation

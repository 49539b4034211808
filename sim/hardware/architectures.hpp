// Generations of hardware by the name that compilers give them (sm_80, gfx90a): how a kernel catalogue says which of its
// entries a part can use. Shared by catalogues, aliases and device files. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tantalus {

/// True for `sm_` and digits, or `gfx` and hexadecimal digits.
inline bool is_gpu_architecture(std::string_view word) {
  const auto made_of = [&](std::size_t from, std::string_view digits) {
    return word.size() > from && word.find_first_not_of(digits, from) == std::string_view::npos;
  };
  if (word.substr(0, 3) == "sm_") return made_of(3, "0123456789");
  return word.substr(0, 3) == "gfx" && made_of(3, "0123456789abcdef");
}

/// An empty list is for every part. A part without an architecture matches nothing else.
inline bool is_for(const std::vector<std::string>& architectures, std::string_view architecture) {
  return architectures.empty() ||
         std::find(architectures.begin(), architectures.end(), architecture) != architectures.end();
}

}  // namespace tantalus

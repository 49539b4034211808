// How text may look. Colour is a choice of whoever knows the terminal (sim/app/terminal.hpp); reports only obey it.
#pragma once

#include <string>
#include <string_view>

namespace tantalus {

struct Style {
  bool color = false;
};

/// The text in bold, or as it is.
std::string bold(std::string_view text, const Style& style);

/// Green for good news, red for bad, or as it is.
std::string verdict(std::string_view text, bool good, const Style& style);

}  // namespace tantalus

// What must stand beside a measurement for anyone to repeat or doubt it: processor, system, governor, load, library variants and
// the settings that change them. Words only; nothing is measured here.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tantalus::validation {

/// Name and value, in a fixed order; what the system does not tell is "unknown".
std::vector<std::pair<std::string, std::string>> machine_state();

}  // namespace tantalus::validation

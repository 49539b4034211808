// The texts of `--help` and `--version`.
#pragma once

#include <string>

#include "sim/app/verbs.hpp"

namespace tantalus {

std::string general_help();
std::string help_of(const VerbInfo& verb);
/// Version, compiler, and which optional parts this build has.
std::string version_text();

}  // namespace tantalus

// Diagnostics on their way to a person: in order of place, each with its source line.
#pragma once

#include <iosfwd>

#include "sim/app/files.hpp"
#include "sim/base/diagnostic.hpp"

namespace tantalus {

/// Warnings are left out when `quiet`; errors never are. The same diagnostic twice is printed once.
void print(Diagnostics diagnostics, const Files& files, std::ostream& err, bool quiet);

}  // namespace tantalus

// A spec file of any kind (device, system, network, library, stack) as `check` and `show` treat it: everything that is wrong
// with it, or its text with all defaults and derived values filled in and the origin of each as a comment. The text loads
// again and means the same. Which struct a kind of device is written as: written_kinds.hpp.
#pragma once

#include <string>
#include <vector>

#include "sim/app/files.hpp"
#include "sim/app/options.hpp"
#include "sim/base/diagnostic.hpp"
#include "sim/base/result.hpp"

namespace tantalus {

/// All mistakes and warnings of the file and of the files that it uses.
Diagnostics check_spec(Files& files, const FileText& file);

/// Overrides are "PATH=VALUE" with paths of the file.
Result<std::string> show_spec(Files& files, const FileText& file, Knowledge knowledge,
                              const std::vector<std::string>& overrides);

}  // namespace tantalus

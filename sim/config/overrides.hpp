// Values that replace those of a file: `--set PATH=VALUE` on the command line, and the `set:` and `calibration:` blocks of a
// file. Each keeps its own place (the command line is "--set", line 0) and who wrote it. Whether the path names a field is
// found when the spec is read, with the same hint as for a wrong key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/config/yaml_node.hpp"

namespace tantalus {

struct Override {
  std::string path;
  YamlNode value;
};

/// "dram.bandwidth=3.35 TB/s" as the command line gives it; the value is YAML ("[1, 2]" is a list). Code "bad-override".
Result<Override> parse_override(std::string_view argument);

/// The entries of a `set:` or `calibration:` block: field paths to values. An absent block is none.
Result<std::vector<Override>> overrides_of(const YamlNode& block, YamlNode::Writer writer,
                                           const std::string& shown_path);

/// Applies each in turn; what cannot be applied is reported with `shown_prefix` before its path.
Diagnostics apply(YamlNode& body, const std::vector<Override>& overrides,
                  const std::string& shown_prefix);

}  // namespace tantalus

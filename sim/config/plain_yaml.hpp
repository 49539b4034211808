// Reads the plain part of YAML in which specifications are written: block maps and lists, flow maps and lists, plain and quoted
// scalars of one line, comments. It is fast and judges nothing: at the first thing that is outside that part, or wrong, it
// gives up, and the whole parser (yaml_document.hpp) reads the text and says what is the matter. Where it does not give up, its
// tree is the whole parser's to the last position; a fuzz target and a test hold it to that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/config/yaml_document.hpp"
#include "sim/config/yaml_node.hpp"

namespace tantalus {

/// The tree of a text whose bytes, line ends and tabs parse_yaml() has checked; nothing when the text is not plain.
std::optional<YamlNode> read_plain_yaml(std::string_view text, const std::string& file,
                                        const YamlLimits& limits = {});

}  // namespace tantalus

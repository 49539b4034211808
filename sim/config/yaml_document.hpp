// YAML text to our own tree (yaml_node.hpp). The only module that includes yaml-cpp: it catches that library's exceptions and
// closes its traps. Plain texts without a mistake never reach that library (plain_yaml.hpp). Refused with a Diagnostic: duplicate keys, a second document, tags, cyclic aliases, alias bombs, nesting
// past a limit, texts past a size, quotes left open, invalid UTF-8 and control bytes, tabs before the first word of a line,
// an empty text. Merge keys (`<<`) are expanded (local keys win). LF, CRLF and bare CR line ends read the same, and a UTF-8
// byte order mark is skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/diagnostic.hpp"
#include "sim/base/result.hpp"
#include "sim/config/yaml_node.hpp"

namespace tantalus {

/// Files of people, not data sets: these limits are far above any real one, and keep hostile ones cheap.
struct YamlLimits {
  std::int64_t bytes = 4 << 20;
  std::int64_t nodes = 200'000;  // every visit of an aliased value counts again
  int depth = 64;
};

struct YamlDocument {
  YamlNode root;
  std::string text;  // with LF line ends and without a byte order mark; what carets are drawn under
};

Result<YamlDocument> parse_yaml(std::string_view text, const std::string& file,
                                const YamlLimits& limits = {});

/// The same by the whole parser alone, many times slower: parse_yaml() leaves plain texts to plain_yaml.hpp. For tests, which
/// compare the two.
Result<YamlDocument> parse_any_yaml(std::string_view text, const std::string& file,
                                    const YamlLimits& limits = {});

/// Whoever reads files asks this before reading: a Diagnostic "file-too-large" when `bytes` is past the limit.
std::optional<Diagnostic> check_file_size(std::int64_t bytes, const std::string& file,
                                          const YamlLimits& limits = {});

}  // namespace tantalus

// Our own small YAML tree: scalars, lists and maps as plain values, each with its place in the text. It knows nothing of the
// parser (yaml_document.hpp) nor of types (map_reader.hpp). Map entries keep the order of the file; keys are unique.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/result.hpp"

namespace tantalus {

struct YamlEntry;

/// One value. A copy is deep; nothing is shared.
struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  /// Who put the value here: the text itself, its `calibration:` block, or a `set:` block or `--set`.
  enum class Writer : std::uint8_t { file, calibration, override };

  Kind kind = Kind::null;
  bool quoted = false;  // a scalar in quotes or a block scalar: never a number or a boolean
  Writer writer = Writer::file;
  SourcePos where;  // of the value; of the alias when seen through one; of `<<` for a merged entry
  int width = 1;    // columns to underline
  int written_line = 0;  // the line of the anchor's text when seen through an alias, otherwise 0
  std::string text;      // of a scalar, as written less its quotes
  std::vector<YamlNode> items;     // of a list
  std::vector<YamlEntry> entries;  // of a map

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }

  /// The value under `key`, or null when this is not a map or has no such key.
  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
};

struct YamlEntry {
  std::string key;
  SourcePos where;  // of the key
  int width = 1;
  YamlNode value;
};

/// "a list", "a map", "'abc'", "nothing": what a message calls the node.
std::string describe_node(const YamlNode& node);

/// What take() returns when there was nothing: no value, and no place either.
bool is_absent(const YamlNode& node);

/// " (written at line 3)" for a value seen through an alias, otherwise "".
std::string alias_note(const YamlNode& node);

/// An error at the node's place, underlined, with the alias note added to the message.
Diagnostic error_at(const YamlNode& node, std::string code, std::string path, std::string message,
                    std::string hint = {});

/// Removes and returns the value under `key`; a null node with line 0 when there is none.
YamlNode take(YamlNode& map, std::string_view key);

/// The node at a dotted path ("dram.bandwidth"; a number indexes a list), or null.
const YamlNode* find_path(const YamlNode& root, std::string_view path);

/// Sets the value at a dotted path, making maps on the way; the new keys take the value's place. A path through a single
/// value or past the end of a list is a Diagnostic (code "bad-path"); a path that no spec knows is found by the reader.
Diagnostics set_path(YamlNode& root, std::string_view path, YamlNode value);

/// Marks the node and everything below as put there by `writer`.
void mark_writer(YamlNode& node, YamlNode::Writer writer);

}  // namespace tantalus

#include "sim/config/yaml_node.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace tantalus {

namespace {

constexpr std::size_t longest_quote = 40;

// A long or many-line scalar is cut, so that a message stays one line.
std::string shortened(const std::string& text) {
  const std::size_t end = std::min({text.find('\n'), longest_quote, text.size()});
  return end == text.size() ? text : text.substr(0, end) + "...";
}

std::string_view first_step(std::string_view path) { return path.substr(0, path.find('.')); }

std::string_view after_first_step(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
}

std::optional<std::size_t> as_index(std::string_view step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc{} || end != step.data() + step.size()) return std::nullopt;
  return index;
}

const YamlNode* child(const YamlNode& node, std::string_view step) {
  if (!node.is_list()) return node.find(step);
  const auto index = as_index(step);
  return index && *index < node.items.size() ? &node.items[*index] : nullptr;
}

Diagnostic bad_path(const YamlNode& value, std::string_view path, std::string message,
                    std::string hint) {
  return error_at(value, "bad-path", std::string(path), std::move(message), std::move(hint));
}

// The child to descend into, made as an empty map when the path is new.
YamlNode& child_or_new(YamlNode& map, std::string_view step, const YamlNode& value) {
  if (YamlNode* found = map.find(step)) return *found;
  YamlNode made;
  made.kind = YamlNode::Kind::map;
  made.where = value.where;
  made.width = value.width;
  made.writer = value.writer;
  map.entries.push_back({std::string(step), value.where, value.width, std::move(made)});
  return map.entries.back().value;
}

bool has_empty_step(std::string_view path) {
  return path.empty() || path.front() == '.' || path.back() == '.' ||
         path.find("..") != std::string_view::npos;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto it = std::find_if(entries.begin(), entries.end(),
                               [key](const YamlEntry& entry) { return entry.key == key; });
  return it == entries.end() ? nullptr : &it->value;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

std::string describe_node(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
    case YamlNode::Kind::scalar:
      break;
  }
  return "'" + shortened(node.text) + "'";
}

bool is_absent(const YamlNode& node) { return node.is_null() && node.where == SourcePos{}; }

std::string alias_note(const YamlNode& node) {
  return node.written_line == 0 ? ""
                                : " (written at line " + std::to_string(node.written_line) + ")";
}

Diagnostic error_at(const YamlNode& node, std::string code, std::string path, std::string message,
                    std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.where = node.where;
  diagnostic.path = std::move(path);
  diagnostic.message = std::move(message) + alias_note(node);
  diagnostic.hint = std::move(hint);
  diagnostic.width = node.width;
  return diagnostic;
}

YamlNode take(YamlNode& map, std::string_view key) {
  const auto it = std::find_if(map.entries.begin(), map.entries.end(),
                               [key](const YamlEntry& entry) { return entry.key == key; });
  if (it == map.entries.end()) return {};
  YamlNode value = std::move(it->value);
  map.entries.erase(it);
  return value;
}

const YamlNode* find_path(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  for (; node != nullptr && !path.empty(); path = after_first_step(path)) {
    node = child(*node, first_step(path));
  }
  return node;
}

Diagnostics set_path(YamlNode& root, std::string_view path, YamlNode value) {
  if (has_empty_step(path)) {
    return {bad_path(value, path, "not a field path",
                     "write field names with single dots between them, such as dram.bandwidth")};
  }
  YamlNode* node = &root;
  for (std::string_view rest = path; !rest.empty(); rest = after_first_step(rest)) {
    const std::string step(first_step(rest));
    if (node->is_null() && node != &root) node->kind = YamlNode::Kind::map;
    if (node->is_list()) {
      const YamlNode* item = child(*node, step);
      if (item == nullptr) {
        return {bad_path(value, path,
                         "the list has " + std::to_string(node->items.size()) +
                             " entries and none called '" + step + "'",
                         "entries are numbered from 0")};
      }
      node = const_cast<YamlNode*>(item);
    } else if (node->is_map()) {
      node = &child_or_new(*node, step, value);
    } else {
      return {bad_path(value, path,
                       "leads through a single value, which has no field '" + step + "'",
                       "end the path at the field before it")};
    }
  }
  *node = std::move(value);
  return {};
}

void mark_writer(YamlNode& node, YamlNode::Writer writer) {
  node.writer = writer;
  for (YamlNode& item : node.items) mark_writer(item, writer);
  for (YamlEntry& entry : node.entries) mark_writer(entry.value, writer);
}

}  // namespace tantalus

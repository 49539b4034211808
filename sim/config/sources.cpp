#include "sim/config/sources.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/text.hpp"

namespace tantalus {

namespace {

// "dram" and "dram.bandwidth" are prefixes of "dram.bandwidth"; "dr" is not.
bool is_prefix(std::string_view prefix, std::string_view path) {
  return path.substr(0, prefix.size()) == prefix &&
         (path.size() == prefix.size() || path[prefix.size()] == '.');
}

}  // namespace

Result<Sources> Sources::from_yaml(const YamlNode& map) {
  Sources sources;
  if (is_absent(map)) return sources;
  if (!map.is_map()) {
    return error_at(map, "bad-type", "sources",
                    "expected a map of field paths, not " + describe_node(map),
                    "write '\"*\": vendor data sheet' below it");
  }
  Diagnostics errors;
  for (const YamlEntry& entry : map.entries) {
    if (entry.value.is_scalar()) {
      sources.lines_.push_back({entry.key, entry.value.text, entry.where, entry.width});
    } else {
      errors.push_back(error_at(entry.value, "bad-type", "sources." + entry.key,
                                "expected the text of a source, not " + describe_node(entry.value),
                                "write where the number comes from, such as vendor data sheet"));
    }
  }
  if (!errors.empty()) return errors;
  return sources;
}

std::string Sources::of(std::string_view path) const {
  const Line* best = nullptr;
  for (const Line& line : lines_) {
    if (line.path == "*" ? best == nullptr
                         : is_prefix(line.path, path) && (best == nullptr || best->path == "*" ||
                                                          line.path.size() > best->path.size())) {
      best = &line;
    }
  }
  return best == nullptr ? "" : best->text;
}

std::vector<std::string_view> Sources::paths() const {
  std::vector<std::string_view> paths;
  for (const Line& line : lines_) {
    if (line.path != "*") paths.emplace_back(line.path);
  }
  return paths;
}

Diagnostic Sources::unknown_path(const Line& line, std::span<const std::string> paths,
                                 const std::string& shown_prefix) {
  Diagnostic diagnostic;
  diagnostic.code = "unknown-source-path";
  diagnostic.where = line.where;
  diagnostic.width = line.width;
  diagnostic.path = shown_prefix + "sources";
  diagnostic.message = "names a source for '" + line.path + "', which is no field";
  const std::string near = closest_word(line.path, paths);
  diagnostic.hint = near.empty() ? "write a field path, such as dram.bandwidth, or \"*\" for all"
                                 : "did you mean '" + near + "'?";
  return diagnostic;
}

Diagnostics Sources::unknown(std::span<const std::string> paths,
                             const std::string& shown_prefix) const {
  Diagnostics found;
  for (const Line& line : lines_) {
    const bool known = line.path == "*" ||
                       std::any_of(paths.begin(), paths.end(), [&line](const std::string& path) {
                         return is_prefix(line.path, path);
                       });
    if (!known) found.push_back(unknown_path(line, paths, shown_prefix));
  }
  return found;
}

Diagnostics Sources::unknown_first_steps(std::span<const std::string> words) const {
  Diagnostics found;
  for (const Line& line : lines_) {
    const std::string first = line.path.substr(0, line.path.find('.'));
    const bool known = first == "*" || std::find(words.begin(), words.end(), first) != words.end();
    if (!known) found.push_back(unknown_path(line, words, {}));
  }
  return found;
}

Sources Sources::below(std::string_view path) const {
  Sources inner;
  for (const Line& line : lines_) {
    if (line.path.size() <= path.size() || !is_prefix(path, line.path)) continue;
    inner.lines_.push_back({line.path.substr(path.size() + 1), line.text, line.where, line.width});
  }
  const std::string whole = of(path);
  if (!whole.empty()) inner.lines_.push_back({"*", whole, {}, 1});
  return inner;
}

}  // namespace tantalus

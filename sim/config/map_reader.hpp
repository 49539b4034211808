// The describe() visitor that reads: a YAML map into a typed spec, with a Diagnostic for every mistake (it never stops at
// the first): unknown keys with the nearest word, missing fields at the enclosing map, wrong types and units, broken rules.
// It reads no files and knows no spec. To read one (describe.hpp says how to write one):
//
//   Origins origins;
//   ReadContext context;
//   context.path = "gpu0";        // what field paths in messages begin with
//   context.origins = &origins;   // optional: where each value came from
//   Result<GpuSpec> spec = read_spec<GpuSpec>(body, context);
//
// `derive(GpuSpec&)` and `check(const GpuSpec&, SpecChecker&)` are found by argument-dependent look-up and must be declared
// before read_spec<GpuSpec> is first used. A section is derived before the spec around it; checks run when all is derived.
// Both are skipped when a field of the spec could not be read (their complaints would be noise). In a hypothetical file a
// derive() or check() may meet zeros that a rule forbids elsewhere: they must not divide by them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/base/units_text.hpp"
#include "sim/config/describe.hpp"
#include "sim/config/field_rules.hpp"
#include "sim/config/origin.hpp"
#include "sim/config/sources.hpp"
#include "sim/config/yaml_node.hpp"

namespace tantalus {

struct ReadContext {
  std::string path;           // prefix of every field path in messages; may be empty
  bool hypothetical = false;  // impossible values are warnings
  const Sources* sources = nullptr;
  Origins* origins = nullptr;  // filled with the origin of every field, keyed without `path`
};

template <class Spec>
concept HasDerive = requires(Spec& spec) {
  derive(spec);
};
template <class Spec>
concept HasCheck = requires(const Spec& spec, SpecChecker& checker) {
  check(spec, checker);
};

class MapReader {
 public:
  MapReader(const YamlNode& map, ReadContext context);

  // The visitor contract of describe.hpp.
  void text(std::string_view key, std::string& value, std::string_view doc);
  template <class T>
  void required(std::string_view key, T& value, Rule rule, std::string_view doc);
  template <class T>
  void defaulted(std::string_view key, T& value, Rule rule, std::string_view doc);
  template <class T>
  void derived(std::string_view key, std::optional<T>& value, Rule rule, std::string_view formula,
               std::string_view doc);
  template <class T>
  void optional(std::string_view key, std::optional<T>& value, Rule rule, std::string_view doc);
  template <class Spec>
  void section(std::string_view key, Spec& spec, std::string_view doc);
  template <class Spec>
  void defaulted_section(std::string_view key, Spec& spec, std::string_view doc);
  template <class Spec>
  void optional_section(std::string_view key, std::optional<Spec>& spec, std::string_view doc);
  /// The member's initialiser is the default.
  template <class E, class Names>
  void choice(std::string_view key, E& value, const Names& names, std::string_view doc);
  /// Must be written.
  template <class E, class Names>
  void required_choice(std::string_view key, E& value, const Names& names, std::string_view doc);
  template <class T>
  void list(std::string_view key, std::vector<T>& values, Rule rule, std::string_view doc);
  template <class Spec>
  void sections(std::string_view key, std::vector<Spec>& specs, std::string_view doc);

  /// Reads the map as one spec: describe, derive, check, unknown keys, unknown sources.
  template <class Spec>
  void read(Spec& spec);

  /// Everything found, in order of place.
  Diagnostics finish();

 private:
  /// One map on the way down. `keys` are those that the spec knows.
  struct Level {
    const YamlNode* map = nullptr;  // null when a defaulted section is not written
    std::string path;               // relative to the spec; "" at the root
    std::vector<std::string> keys;
    std::size_t bad_before = 0;  // fields that could not be read before this level was entered
  };

  const YamlNode* look_up(std::string_view key);
  const YamlNode* look_up_required(std::string_view key, std::string_view doc);
  std::string path_of(std::string_view key) const;  // relative to the spec
  std::string shown(std::string_view path) const;   // with the context's prefix
  const YamlNode& place_of(std::string_view path) const;

  // Each says what is wrong with the node and returns false, or sets the value.
  bool read_value(const YamlNode& node, const std::string& path, bool& value);
  bool read_value(const YamlNode& node, const std::string& path, int& value);
  bool read_value(const YamlNode& node, const std::string& path, std::int64_t& value);
  bool read_value(const YamlNode& node, const std::string& path, double& value);
  bool read_value(const YamlNode& node, const std::string& path, Fraction& value);
  bool read_value(const YamlNode& node, const std::string& path, std::string& value);
  template <class Tag>
  bool read_value(const YamlNode& node, const std::string& path, Quantity<Tag>& value);
  template <class T>
  bool read_ruled(const YamlNode& node, const std::string& path, T& value, const Rule& rule);

  bool plain_scalar(const YamlNode& node, const std::string& path, std::string_view wanted);
  bool no_boolean(const YamlNode& node, const std::string& path, std::string_view wanted);
  bool accept_parsed(const YamlNode& node, const std::string& path, bool has_value,
                     std::string code, std::string message, std::string hint);
  bool unquoted(const YamlNode& node, const std::string& path);
  bool excuse(const YamlNode& node, const std::string& path, double count, const Rule& rule,
              const std::string& rule_words);
  std::optional<std::size_t> pick_word(const YamlNode& node, const std::string& path,
                                       std::span<const std::string> words);
  bool want_map(const YamlNode& node, const std::string& path);
  bool want_list(const YamlNode& node, const std::string& path);

  void enter(const YamlNode* map, std::string path);
  void leave();
  bool level_is_clean() const { return bad_ == levels_.back().bad_before; }
  void report_unknown_keys(const Level& level);
  void forget_missing(std::string_view key);
  void report(Diagnostic diagnostic);
  void bad(Diagnostic diagnostic);  // a field that could not be read
  void note_written(const YamlNode& node, const std::string& path);
  void note(const std::string& path, Origin::Kind kind, std::string_view detail = {});
  void run_check(const std::string& path, const std::function<void(SpecChecker&)>& check_spec);

  template <class Spec>
  void read_level(const YamlNode* map, const std::string& path, Spec& spec);

  class Checker;

  const YamlNode& root_;
  ReadContext context_;
  std::vector<Level> levels_;
  std::vector<std::string> known_paths_;
  std::vector<std::function<void()>> checks_;
  Diagnostics diagnostics_;
  std::size_t bad_ = 0;
};

/// A typed spec from a map, or everything that is wrong with it.
template <class Spec>
Result<Spec> read_spec(const YamlNode& body, const ReadContext& context = {}) {
  Spec spec{};
  MapReader reader(body, context);
  reader.read(spec);
  Diagnostics found = reader.finish();
  if (has_errors(found)) return found;
  return {std::move(spec), std::move(found)};
}

// ---------------------------------------------------------------------------------------------- templates, in full

namespace config_detail {

template <class Names>
std::vector<std::string> words_of(const Names& names) {
  std::vector<std::string> words;
  for (const auto& name : names) words.emplace_back(name.name);
  return words;
}

}  // namespace config_detail

template <class Tag>
bool MapReader::read_value(const YamlNode& node, const std::string& path, Quantity<Tag>& value) {
  if (!no_boolean(node, path, "a quantity with its unit")) return false;
  Parsed<Quantity<Tag>> parsed = parse_quantity<Quantity<Tag>>(node.text);
  if (!accept_parsed(node, path, parsed.value.has_value(), std::move(parsed.code),
                     std::move(parsed.message), std::move(parsed.hint))) {
    return false;
  }
  value = *parsed.value;
  return true;
}

template <class T>
bool MapReader::read_ruled(const YamlNode& node, const std::string& path, T& value,
                           const Rule& rule) {
  if (!read_value(node, path, value)) return false;
  if constexpr (has_count<T>) {
    const double count = rule_count(value);
    if (!obeys(rule, count)) return excuse(node, path, count, rule, rule_text<T>(rule));
  }
  return true;
}

template <class T>
void MapReader::required(std::string_view key, T& value, Rule rule, std::string_view doc) {
  const std::string path = path_of(key);
  const YamlNode* node = look_up_required(key, doc);
  if (node != nullptr && read_ruled(*node, path, value, rule)) note_written(*node, path);
}

template <class T>
void MapReader::defaulted(std::string_view key, T& value, Rule rule, std::string_view) {
  const std::string path = path_of(key);
  const YamlNode* node = look_up(key);
  if (node == nullptr) return note(path, Origin::Kind::defaulted);
  if (read_ruled(*node, path, value, rule)) note_written(*node, path);
}

template <class T>
void MapReader::derived(std::string_view key, std::optional<T>& value, Rule rule,
                        std::string_view formula, std::string_view) {
  const std::string path = path_of(key);
  const YamlNode* node = look_up(key);
  if (node == nullptr) return note(path, Origin::Kind::derived, formula);
  T written{};
  if (!read_ruled(*node, path, written, rule)) return;
  value = std::move(written);
  note_written(*node, path);
}

template <class T>
void MapReader::optional(std::string_view key, std::optional<T>& value, Rule rule,
                         std::string_view) {
  const std::string path = path_of(key);
  const YamlNode* node = look_up(key);
  if (node == nullptr) return;
  T written{};
  if (!read_ruled(*node, path, written, rule)) return;
  value = std::move(written);
  note_written(*node, path);
}

template <class Spec>
void MapReader::section(std::string_view key, Spec& spec, std::string_view doc) {
  const YamlNode* node = look_up_required(key, doc);
  if (node != nullptr && want_map(*node, path_of(key))) read_level(node, path_of(key), spec);
}

template <class Spec>
void MapReader::defaulted_section(std::string_view key, Spec& spec, std::string_view) {
  const YamlNode* node = look_up(key);
  if (node != nullptr && !want_map(*node, path_of(key))) return;
  read_level(node, path_of(key), spec);
}

template <class Spec>
void MapReader::optional_section(std::string_view key, std::optional<Spec>& spec,
                                 std::string_view) {
  const YamlNode* node = look_up(key);
  if (node == nullptr || !want_map(*node, path_of(key))) return;
  spec.emplace();
  read_level(node, path_of(key), *spec);
}

template <class E, class Names>
void MapReader::choice(std::string_view key, E& value, const Names& names, std::string_view) {
  const std::string path = path_of(key);
  const YamlNode* node = look_up(key);
  if (node == nullptr) return note(path, Origin::Kind::defaulted);
  const auto index = pick_word(*node, path, config_detail::words_of(names));
  if (!index) return;
  value = std::data(names)[*index].value;
  note_written(*node, path);
}

template <class E, class Names>
void MapReader::required_choice(std::string_view key, E& value, const Names& names,
                                std::string_view doc) {
  if (look_up_required(key, doc) != nullptr) choice(key, value, names, doc);
}

template <class T>
void MapReader::list(std::string_view key, std::vector<T>& values, Rule rule, std::string_view) {
  const std::string path = path_of(key);
  const YamlNode* node = look_up(key);
  if (node == nullptr) return note(path, Origin::Kind::defaulted);
  if (!want_list(*node, path)) return;
  values.clear();
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    T value{};
    if (read_ruled(node->items[i], path + "." + std::to_string(i), value, rule)) {
      values.push_back(std::move(value));
    }
  }
  note_written(*node, path);
}

template <class Spec>
void MapReader::sections(std::string_view key, std::vector<Spec>& specs, std::string_view) {
  const std::string path = path_of(key);
  const YamlNode* node = look_up(key);
  if (node == nullptr || !want_list(*node, path)) return;
  specs.assign(node->items.size(), Spec{});  // all at once: checks keep references
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string item = path + "." + std::to_string(i);
    if (want_map(node->items[i], item)) read_level(&node->items[i], item, specs[i]);
  }
}

template <class Spec>
void MapReader::read_level(const YamlNode* map, const std::string& path, Spec& spec) {
  enter(map, path);
  describe(*this, spec);
  report_unknown_keys(levels_.back());
  if (level_is_clean()) {
    if constexpr (HasDerive<Spec>) derive(spec);
    if constexpr (HasCheck<Spec>) {
      checks_.emplace_back([this, path, &spec] {
        run_check(path, [&spec](SpecChecker& checker) { check(spec, checker); });
      });
    }
  }
  leave();
}

template <class Spec>
void MapReader::read(Spec& spec) {
  if (!want_map(root_, {})) return;
  read_level(&root_, {}, spec);
  for (const auto& run : checks_) run();
}

}  // namespace tantalus

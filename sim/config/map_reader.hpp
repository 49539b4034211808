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

#include <algorithm>
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
  /// A field that was asked for, or a map of a list, as a step from the section around it. Those below it follow it directly and
  /// end before `end`, so that no path is spelt out before somebody must read it.
  struct Step {
    std::size_t below = 0;
    std::size_t end = 0;
    std::string_view key;             // of the spec's describe(); empty for a map of a list ...
    std::optional<std::size_t> item;  // ... which is this one
  };
  /// What is being read: a step, or a single value of the list that stands there.
  struct Field {
    std::size_t step = 0;
    std::optional<std::size_t> item = {};
  };
  struct Asked {
    const YamlNode* node = nullptr;  // null when it is not written
    Field field;
  };
  /// One map on the way down.
  struct Level {
    const YamlNode* map = nullptr;  // null when a defaulted section is not written
    std::size_t step = 0;
    std::size_t bad_before = 0;  // fields that could not be read before this level was entered
  };

  Asked look_up(std::string_view key);
  Asked look_up_required(std::string_view key, std::string_view doc);
  std::size_t add_step(std::size_t below, std::string_view key, std::optional<std::size_t> item);
  std::string path_of(std::size_t step) const;  // relative to the spec; "" is the spec itself
  std::string path_of(const Field& field) const;
  std::string path_below(std::size_t step, std::string_view key) const;
  std::string shown(std::string_view path) const;  // with the context's prefix
  std::string shown(const Field& field) const { return shown(path_of(field)); }
  const YamlNode& place_of(std::string_view path) const;
  std::vector<std::string> keys_of(const Level& level) const;
  bool is_key_of(const Level& level, std::string_view key) const;
  bool is_known(std::string_view path) const;
  std::vector<std::string> known_paths() const;

  // Each says what is wrong with the node and returns false, or sets the value.
  bool read_value(const YamlNode& node, const Field& field, bool& value);
  bool read_value(const YamlNode& node, const Field& field, int& value);
  bool read_value(const YamlNode& node, const Field& field, std::int64_t& value);
  bool read_value(const YamlNode& node, const Field& field, double& value);
  bool read_value(const YamlNode& node, const Field& field, Fraction& value);
  bool read_value(const YamlNode& node, const Field& field, std::string& value);
  template <class Tag>
  bool read_value(const YamlNode& node, const Field& field, Quantity<Tag>& value);
  template <class T>
  bool read_ruled(const YamlNode& node, const Field& field, T& value, const Rule& rule);

  bool plain_scalar(const YamlNode& node, const Field& field, std::string_view wanted);
  bool no_boolean(const YamlNode& node, const Field& field, std::string_view wanted);
  bool accept_parsed(const YamlNode& node, const Field& field, bool has_value, std::string code,
                     std::string message, std::string hint);
  bool unquoted(const YamlNode& node, const Field& field);
  bool excuse(const YamlNode& node, const Field& field, double count, const Rule& rule,
              const std::string& rule_words);
  void wrong_word(const YamlNode& node, const Field& field, std::span<const std::string> words);
  bool want_map(const YamlNode& node, const Field& field);
  bool want_list(const YamlNode& node, const Field& field);

  void enter(const YamlNode* map, std::size_t step);
  void leave();
  bool level_is_clean() const { return bad_ == levels_.back().bad_before; }
  void report_unknown_keys(const Level& level);
  void report_unknown_sources();
  void forget_missing(std::string_view key);
  void report(Diagnostic diagnostic);
  void bad(Diagnostic diagnostic);  // a field that could not be read
  void note_written(const YamlNode& node, const Field& field);
  void note(const Field& field, Origin::Kind kind, std::string_view detail = {});
  void run_check(const std::string& path, const std::function<void(SpecChecker&)>& check_spec);

  template <class E, class Names>
  void read_choice(const Asked& asked, E& value, const Names& names);
  template <class Spec>
  void read_level(const YamlNode* map, std::size_t step, Spec& spec);

  class Checker;

  const YamlNode& root_;
  ReadContext context_;
  std::vector<Step> steps_ = {{}};  // the spec itself, then every field in the order of describe()
  std::vector<Level> levels_;
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
bool MapReader::read_value(const YamlNode& node, const Field& field, Quantity<Tag>& value) {
  if (!no_boolean(node, field, "a quantity with its unit")) return false;
  Parsed<Quantity<Tag>> parsed = parse_quantity<Quantity<Tag>>(node.text);
  if (!accept_parsed(node, field, parsed.value.has_value(), std::move(parsed.code),
                     std::move(parsed.message), std::move(parsed.hint))) {
    return false;
  }
  value = *parsed.value;
  return true;
}

template <class T>
bool MapReader::read_ruled(const YamlNode& node, const Field& field, T& value, const Rule& rule) {
  if (!read_value(node, field, value)) return false;
  if constexpr (has_count<T>) {
    const double count = rule_count(value);
    if (!obeys(rule, count)) return excuse(node, field, count, rule, rule_text<T>(rule));
  }
  return true;
}

template <class T>
void MapReader::required(std::string_view key, T& value, Rule rule, std::string_view doc) {
  const auto [node, field] = look_up_required(key, doc);
  if (node != nullptr && read_ruled(*node, field, value, rule)) note_written(*node, field);
}

template <class T>
void MapReader::defaulted(std::string_view key, T& value, Rule rule, std::string_view) {
  const auto [node, field] = look_up(key);
  if (node == nullptr) return note(field, Origin::Kind::defaulted);
  if (read_ruled(*node, field, value, rule)) note_written(*node, field);
}

template <class T>
void MapReader::derived(std::string_view key, std::optional<T>& value, Rule rule,
                        std::string_view formula, std::string_view) {
  const auto [node, field] = look_up(key);
  if (node == nullptr) return note(field, Origin::Kind::derived, formula);
  T written{};
  if (!read_ruled(*node, field, written, rule)) return;
  value = std::move(written);
  note_written(*node, field);
}

template <class T>
void MapReader::optional(std::string_view key, std::optional<T>& value, Rule rule,
                         std::string_view) {
  const auto [node, field] = look_up(key);
  if (node == nullptr) return;
  T written{};
  if (!read_ruled(*node, field, written, rule)) return;
  value = std::move(written);
  note_written(*node, field);
}

template <class Spec>
void MapReader::section(std::string_view key, Spec& spec, std::string_view doc) {
  const auto [node, field] = look_up_required(key, doc);
  if (node != nullptr && want_map(*node, field)) read_level(node, field.step, spec);
}

template <class Spec>
void MapReader::defaulted_section(std::string_view key, Spec& spec, std::string_view) {
  const auto [node, field] = look_up(key);
  if (node != nullptr && !want_map(*node, field)) return;
  read_level(node, field.step, spec);
}

template <class Spec>
void MapReader::optional_section(std::string_view key, std::optional<Spec>& spec,
                                 std::string_view) {
  const auto [node, field] = look_up(key);
  if (node == nullptr || !want_map(*node, field)) return;
  spec.emplace();
  read_level(node, field.step, *spec);
}

template <class E, class Names>
void MapReader::read_choice(const Asked& asked, E& value, const Names& names) {
  const YamlNode& node = *asked.node;
  const auto name = std::find_if(std::begin(names), std::end(names), [&](const auto& candidate) {
    return node.is_scalar() && candidate.name == node.text;
  });
  if (name == std::end(names)) return wrong_word(node, asked.field, config_detail::words_of(names));
  value = name->value;
  note_written(node, asked.field);
}

template <class E, class Names>
void MapReader::choice(std::string_view key, E& value, const Names& names, std::string_view) {
  const Asked asked = look_up(key);
  if (asked.node == nullptr) return note(asked.field, Origin::Kind::defaulted);
  read_choice(asked, value, names);
}

template <class E, class Names>
void MapReader::required_choice(std::string_view key, E& value, const Names& names,
                                std::string_view doc) {
  const Asked asked = look_up_required(key, doc);
  if (asked.node != nullptr) read_choice(asked, value, names);
}

template <class T>
void MapReader::list(std::string_view key, std::vector<T>& values, Rule rule, std::string_view) {
  const auto [node, field] = look_up(key);
  if (node == nullptr) return note(field, Origin::Kind::defaulted);
  if (!want_list(*node, field)) return;
  values.clear();
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    T value{};
    if (read_ruled(node->items[i], {field.step, i}, value, rule)) {
      values.push_back(std::move(value));
    }
  }
  note_written(*node, field);
}

template <class Spec>
void MapReader::sections(std::string_view key, std::vector<Spec>& specs, std::string_view) {
  const auto [node, field] = look_up(key);
  if (node == nullptr || !want_list(*node, field)) return;
  specs.assign(node->items.size(), Spec{});  // all at once: checks keep references
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!want_map(node->items[i], {field.step, i})) continue;
    read_level(&node->items[i], add_step(field.step, {}, i), specs[i]);
  }
  steps_[field.step].end = steps_.size();
}

template <class Spec>
void MapReader::read_level(const YamlNode* map, std::size_t step, Spec& spec) {
  enter(map, step);
  describe(*this, spec);
  report_unknown_keys(levels_.back());
  if (level_is_clean()) {
    if constexpr (HasDerive<Spec>) derive(spec);
    if constexpr (HasCheck<Spec>) {
      checks_.emplace_back([this, path = path_of(step), &spec] {
        run_check(path, [&spec](SpecChecker& checker) { check(spec, checker); });
      });
    }
  }
  leave();
}

template <class Spec>
void MapReader::read(Spec& spec) {
  if (!want_map(root_, {})) return;
  read_level(&root_, 0, spec);
  for (const auto& run : checks_) run();
}

}  // namespace tantalus

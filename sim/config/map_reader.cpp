#include "sim/config/map_reader.hpp"

#include <algorithm>
#include <limits>

#include "sim/base/text.hpp"

namespace tantalus {

namespace {

bool is_truth_word(const YamlNode& node) {
  return !node.quoted && (node.text == "true" || node.text == "false");
}

// Words that other YAML readers take for booleans. Here they are text, and errors where a number belongs.
bool is_boolean_like(const YamlNode& node) {
  static const char* const words[] = {"true", "false", "yes", "no", "on", "off", "y", "n"};
  if (node.text.size() > std::string_view("false").size()) return false;
  std::string lower = node.text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return !node.quoted &&
         std::any_of(std::begin(words), std::end(words), [&](const char* w) { return lower == w; });
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string_view parent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

}  // namespace

// What a spec's check() reports to: paths are relative to that spec.
class MapReader::Checker final : public SpecChecker {
 public:
  Checker(MapReader& reader, const std::string& section) : reader_(reader), section_(section) {}

  void impossible(std::string_view path, std::string code, std::string message,
                  std::string hint) override {
    const auto severity = reader_.context_.hypothetical ? Severity::warning : Severity::error;
    add(severity, path, std::move(code), std::move(message), std::move(hint));
  }
  void unusual(std::string_view path, std::string code, std::string message,
               std::string hint) override {
    add(Severity::warning, path, std::move(code), std::move(message), std::move(hint));
  }
  void contradictory(std::string_view path, std::string code, std::string message,
                     std::string hint) override {
    add(Severity::error, path, std::move(code), std::move(message), std::move(hint));
  }

 private:
  void add(Severity severity, std::string_view path, std::string code, std::string message,
           std::string hint) {
    const std::string full = section_.empty() || path.empty() ? section_ + std::string(path)
                                                              : section_ + "." + std::string(path);
    Diagnostic diagnostic = error_at(reader_.place_of(full), std::move(code), reader_.shown(full),
                                     std::move(message), std::move(hint));
    diagnostic.severity = severity;
    reader_.report(std::move(diagnostic));
  }

  MapReader& reader_;
  const std::string& section_;
};

MapReader::MapReader(const YamlNode& map, ReadContext context)
    : root_(map), context_(std::move(context)) {}

void MapReader::text(std::string_view key, std::string& value, std::string_view doc) {
  defaulted(key, value, any_value, doc);
}

Diagnostics MapReader::finish() {
  report_unknown_sources();
  sort_by_place(diagnostics_);
  return std::move(diagnostics_);
}

void MapReader::report_unknown_sources() {
  if (context_.sources == nullptr) return;
  const std::vector<std::string_view> named = context_.sources->paths();
  const auto known = [this](std::string_view path) { return is_known(path); };
  if (std::all_of(named.begin(), named.end(), known)) return;
  const std::string prefix = context_.path.empty() ? "" : context_.path + ".";
  for (Diagnostic& d : context_.sources->unknown(known_paths(), prefix)) report(std::move(d));
}

// ------------------------------------------------------------------------------------------------- walking the map

void MapReader::enter(const YamlNode* map, std::size_t step) {
  levels_.push_back({map, step, bad_});
}

void MapReader::leave() {
  steps_[levels_.back().step].end = steps_.size();
  levels_.pop_back();
}

void MapReader::report_unknown_keys(const Level& level) {
  if (level.map == nullptr) return;
  for (const YamlEntry& entry : level.map->entries) {
    if (is_key_of(level, entry.key)) continue;
    const std::vector<std::string> keys = keys_of(level);
    Diagnostic d = error_at(entry.value, "unknown-key", shown(path_below(level.step, entry.key)),
                            "no such field");
    d.where = entry.where;
    d.width = entry.width;
    const std::string near = closest_word(entry.key, keys);
    d.hint = near.empty() ? "the fields here are " + joined(keys) : "did you mean '" + near + "'?";
    report(std::move(d));
    if (!near.empty() && level.map->find(near) == nullptr) forget_missing(near);
  }
}

// A misspelt field is one mistake, not an unknown key, a missing field and whatever a check makes of its absence.
void MapReader::forget_missing(std::string_view key) {
  const std::string path = shown(path_below(levels_.back().step, key));
  const auto is_missing = [&](const Diagnostic& d) {
    return d.code == "missing-field" && d.path == path;
  };
  diagnostics_.erase(std::remove_if(diagnostics_.begin(), diagnostics_.end(), is_missing),
                     diagnostics_.end());
  ++bad_;  // the level is not clean: its derive() and check() are skipped
}

MapReader::Asked MapReader::look_up(std::string_view key) {
  const Level& level = levels_.back();
  const std::size_t step = add_step(level.step, key, std::nullopt);
  return {level.map == nullptr ? nullptr : level.map->find(key), {step}};
}

MapReader::Asked MapReader::look_up_required(std::string_view key, std::string_view doc) {
  const Asked asked = look_up(key);
  if (asked.node == nullptr) {
    const std::string path = path_of(asked.field);
    bad(error_at(place_of(path), "missing-field", shown(path), "must be written",
                 "add '" + std::string(key) + ":' (" + std::string(doc) + ")"));
  }
  return asked;
}

// ------------------------------------------------------------------------------------------------- fields and their paths

std::size_t MapReader::add_step(std::size_t below, std::string_view key,
                                std::optional<std::size_t> item) {
  const std::size_t step = steps_.size();
  steps_.push_back({below, step + 1, key, item});
  return step;
}

std::string MapReader::path_of(std::size_t step) const {
  if (step == 0) return {};
  const Step& last = steps_[step];
  return path_below(last.below, last.item ? std::to_string(*last.item) : last.key);
}

std::string MapReader::path_of(const Field& field) const {
  return field.item ? path_below(field.step, std::to_string(*field.item)) : path_of(field.step);
}

std::string MapReader::path_below(std::size_t step, std::string_view key) const {
  std::string path = path_of(step);
  if (!path.empty()) path += '.';
  return path.append(key);
}

// While the level is being read its own step has no end yet: its fields are the last ones.
bool MapReader::is_key_of(const Level& level, std::string_view key) const {
  for (std::size_t at = level.step + 1; at < steps_.size(); at = steps_[at].end) {
    if (steps_[at].key == key) return true;
  }
  return false;
}

std::vector<std::string> MapReader::keys_of(const Level& level) const {
  std::vector<std::string> keys;
  for (std::size_t at = level.step + 1; at < steps_.size(); at = steps_[at].end) {
    keys.emplace_back(steps_[at].key);
  }
  return keys;
}

bool MapReader::is_known(std::string_view path) const {
  std::size_t above = 0;
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view word = path.substr(0, dot);
    const auto is_called = [&](const Step& step) {
      return step.item ? std::to_string(*step.item) == word : step.key == word;
    };
    std::size_t at = above + 1;
    while (at < steps_[above].end && !is_called(steps_[at])) at = steps_[at].end;
    if (at >= steps_[above].end) return false;
    if (dot == std::string_view::npos) return true;
    path.remove_prefix(dot + 1);
    above = at;
  }
}

std::vector<std::string> MapReader::known_paths() const {
  std::vector<std::string> paths;
  for (std::size_t at = 1; at < steps_.size(); ++at) {
    if (!steps_[at].item) paths.push_back(path_of(at));
  }
  return paths;
}

std::string MapReader::shown(std::string_view path) const {
  if (context_.path.empty() || path.empty()) return context_.path + std::string(path);
  return context_.path + "." + std::string(path);
}

const YamlNode& MapReader::place_of(std::string_view path) const {
  for (std::string_view at = path; !at.empty(); at = parent(at)) {
    if (const YamlNode* node = find_path(root_, at)) return *node;
  }
  return root_;
}

bool MapReader::want_map(const YamlNode& node, const Field& field) {
  if (node.is_map()) return true;
  bad(error_at(node, "bad-type", shown(field),
               "expected a map of fields, not " + describe_node(node),
               "write its fields below it, indented, or in {braces}"));
  return false;
}

bool MapReader::want_list(const YamlNode& node, const Field& field) {
  if (node.is_list()) return true;
  bad(error_at(node, "bad-type", shown(field), "expected a list, not " + describe_node(node),
               "write it in [brackets] with commas, or one '- ' line an entry"));
  return false;
}

// -------------------------------------------------------------------------------------------------- reading values

bool MapReader::plain_scalar(const YamlNode& node, const Field& field, std::string_view wanted) {
  if (node.is_scalar()) return true;
  bad(error_at(node, "bad-type", shown(field),
               "expected " + std::string(wanted) + ", not " + describe_node(node),
               "write one value, without brackets or braces"));
  return false;
}

bool MapReader::no_boolean(const YamlNode& node, const Field& field, std::string_view wanted) {
  if (!plain_scalar(node, field, wanted)) return false;
  if (!is_boolean_like(node)) return true;
  bad(error_at(node, "bad-type", shown(field),
               "expected " + std::string(wanted) + ", not " + describe_node(node),
               "yes, no, on, off, true and false are not numbers"));
  return false;
}

// Passes a parser's word on: an error without a value, a warning beside one (an ambiguous unit).
bool MapReader::accept_parsed(const YamlNode& node, const Field& field, bool has_value,
                              std::string code, std::string message, std::string hint) {
  if (has_value && code.empty()) return true;
  Diagnostic diagnostic =
      error_at(node, std::move(code), shown(field), std::move(message), std::move(hint));
  if (!has_value) {
    bad(std::move(diagnostic));
    return false;
  }
  diagnostic.severity = Severity::warning;
  report(std::move(diagnostic));
  return true;
}

bool MapReader::read_value(const YamlNode& node, const Field& field, bool& value) {
  if (!plain_scalar(node, field, "true or false")) return false;
  if (!is_truth_word(node)) {
    bad(error_at(node, "bad-type", shown(field),
                 "expected true or false, not " + describe_node(node),
                 "write true or false, without quotes"));
    return false;
  }
  value = node.text == "true";
  return true;
}

bool MapReader::read_value(const YamlNode& node, const Field& field, std::int64_t& value) {
  if (!no_boolean(node, field, "a whole number") || !unquoted(node, field)) return false;
  Parsed<std::int64_t> parsed = parse_integer(node.text);
  if (!accept_parsed(node, field, parsed.value.has_value(), std::move(parsed.code),
                     std::move(parsed.message), std::move(parsed.hint))) {
    return false;
  }
  value = *parsed.value;
  return true;
}

// Read wide, then checked: narrow types never see the text.
bool MapReader::read_value(const YamlNode& node, const Field& field, int& value) {
  std::int64_t wide = 0;
  if (!read_value(node, field, wide)) return false;
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    bad(error_at(node, "out-of-range", shown(field),
                 "must be between -2147483648 and 2147483647, not " + node.text));
    return false;
  }
  value = static_cast<int>(wide);
  return true;
}

bool MapReader::read_value(const YamlNode& node, const Field& field, double& value) {
  if (!no_boolean(node, field, "a number") || !unquoted(node, field)) return false;
  Parsed<double> parsed = parse_number(node.text);
  if (!accept_parsed(node, field, parsed.value.has_value(), std::move(parsed.code),
                     std::move(parsed.message), std::move(parsed.hint))) {
    return false;
  }
  value = *parsed.value;
  return true;
}

bool MapReader::read_value(const YamlNode& node, const Field& field, Fraction& value) {
  double number = 0.0;
  if (!read_value(node, field, number)) return false;
  if (!(number >= 0.0 && number <= 1.0)) {
    bad(error_at(node, "out-of-range", shown(field), "must be between 0 and 1, not " + node.text,
                 number <= 100.0 && number > 1.0 ? "it is a fraction, not a percentage" : ""));
    return false;
  }
  value = Fraction{number};
  return true;
}

bool MapReader::read_value(const YamlNode& node, const Field& field, std::string& value) {
  if (!plain_scalar(node, field, "text")) return false;
  value = node.text;
  return true;
}

bool MapReader::unquoted(const YamlNode& node, const Field& field) {
  if (!node.quoted) return true;
  bad(error_at(node, "bad-type", shown(field),
               "expected a number, but " + describe_node(node) + " is in quotes, so it is text",
               "remove the quotes"));
  return false;
}

// A broken rule. A hypothetical file may say zero, or more than anyone has built; below zero nothing makes sense, and a
// size of zero that must be a power of two would be divided by.
bool MapReader::excuse(const YamlNode& node, const Field& field, double count, const Rule& rule,
                       const std::string& rule_words) {
  Diagnostic diagnostic =
      error_at(node, "out-of-range", shown(field), "must be " + rule_words + ", not " + node.text);
  const double least = rule.kind == Rule::Kind::power_of_two ? 1.0 : 0.0;
  if (!context_.hypothetical || count < least) {
    bad(std::move(diagnostic));
    return false;
  }
  diagnostic.severity = Severity::warning;
  report(std::move(diagnostic));
  return true;
}

void MapReader::wrong_word(const YamlNode& node, const Field& field,
                           std::span<const std::string> words) {
  if (!plain_scalar(node, field, "one of " + joined(words))) return;
  const std::string near = closest_word(node.text, words);
  bad(error_at(node, "unknown-word", shown(field),
               describe_node(node) + " is not one of " + joined(words),
               near.empty() ? "" : "did you mean '" + near + "'?"));
}

// ------------------------------------------------------------------------------------------------------- reporting

void MapReader::report(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }

void MapReader::bad(Diagnostic diagnostic) {
  ++bad_;
  report(std::move(diagnostic));
}

void MapReader::note(const Field& field, Origin::Kind kind, std::string_view detail) {
  if (context_.origins != nullptr)
    (*context_.origins)[path_of(field)] = {kind, std::string(detail)};
}

void MapReader::note_written(const YamlNode& node, const Field& field) {
  if (context_.origins == nullptr) return;
  if (node.writer == YamlNode::Writer::override) return note(field, Origin::Kind::overridden);
  const std::string source =
      context_.sources == nullptr ? "" : context_.sources->of(path_of(field));
  if (source.find("measured") != std::string::npos) {
    return note(field, Origin::Kind::measured, source);
  }
  if (node.writer == YamlNode::Writer::calibration) return note(field, Origin::Kind::measured);
  note(field, source.empty() ? Origin::Kind::unsourced : Origin::Kind::data_sheet, source);
}

void MapReader::run_check(const std::string& path,
                          const std::function<void(SpecChecker&)>& check_spec) {
  Checker checker(*this, path);
  check_spec(checker);
}

}  // namespace tantalus

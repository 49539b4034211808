// The describe() visitor that documents: one Markdown table a spec, a row a field, with the words for its type and unit, its
// rule, whether it must be written (or its default, or the formula it is derived by) and its meaning. The reference page of
// the project is made of these, so that it cannot say anything else than the reader does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/describe.hpp"
#include "sim/config/field_rules.hpp"

namespace tantalus {

class ReferencePage {
 public:
  // The visitor contract of describe.hpp.
  void text(std::string_view key, std::string&, std::string_view doc) {
    row(key, "text", "", "optional", doc);
  }
  template <class T>
  void required(std::string_view key, T&, const Rule& rule, std::string_view doc) {
    row(key, type_text<T>(), rule_words<T>(rule), "**required**", doc);
  }
  template <class T>
  void defaulted(std::string_view key, T& value, const Rule& rule, std::string_view doc) {
    row(key, type_text<T>(), rule_words<T>(rule), "default " + code(value_text(value)), doc);
  }
  template <class T>
  void derived(std::string_view key, std::optional<T>&, const Rule& rule, std::string_view formula,
               std::string_view doc) {
    row(key, type_text<T>(), rule_words<T>(rule), "derived: " + std::string(formula), doc);
  }
  template <class T>
  void optional(std::string_view key, std::optional<T>&, const Rule& rule, std::string_view doc) {
    row(key, type_text<T>(), rule_words<T>(rule), "optional", doc);
  }
  template <class Spec>
  void section(std::string_view key, Spec& spec, std::string_view doc) {
    nested(key, "a map", "**required**", doc, spec, "");
  }
  template <class Spec>
  void defaulted_section(std::string_view key, Spec& spec, std::string_view doc) {
    nested(key, "a map", "all fields have defaults", doc, spec, "");
  }
  template <class Spec>
  void optional_section(std::string_view key, std::optional<Spec>&, std::string_view doc) {
    Spec inner{};
    nested(key, "a map", "optional", doc, inner, "");
  }
  template <class E, class Names>
  void choice(std::string_view key, E& value, const Names& names, std::string_view doc) {
    std::string standard;
    for (const auto& name : names) {
      if (name.value == value) standard = name.name;
    }
    row(key, "a word", one_of(names), "default " + code(standard), doc);
  }
  template <class E, class Names>
  void required_choice(std::string_view key, E&, const Names& names, std::string_view doc) {
    row(key, "a word", one_of(names), "**required**", doc);
  }
  template <class T>
  void list(std::string_view key, std::vector<T>&, const Rule& rule, std::string_view doc) {
    row(key, "a list; each " + type_text<T>(), rule_words<T>(rule), "default `[]`", doc);
  }
  template <class Spec>
  void sections(std::string_view key, std::vector<Spec>&, std::string_view doc) {
    Spec inner{};
    nested(key, "a list of maps", "default `[]`", doc, inner, "[]");
  }

  /// The table; pipes inside cells are escaped.
  std::string finish() const;

 private:
  struct Row {
    std::string field, type, rule, when, doc;
  };

  static std::string code(const std::string& words) {
    return "`" + (words.empty() ? "\"\"" : words) + "`";
  }
  template <class T>
  static std::string rule_words(const Rule& rule) {
    return rule.kind == Rule::Kind::any ? "" : rule_text<T>(rule);
  }
  template <class Names>
  static std::string one_of(const Names& names) {
    std::string words;
    for (const auto& name : names)
      words += (words.empty() ? "" : ", ") + code(std::string(name.name));
    return words;
  }
  template <class Spec>
  void nested(std::string_view key, std::string_view type, std::string_view when,
              std::string_view doc, Spec& spec, std::string_view mark) {
    row(key, std::string(type), "", std::string(when), doc);
    const std::string around = prefix_;
    prefix_ += std::string(key) + std::string(mark) + ".";
    describe(*this, spec);
    prefix_ = around;
  }
  void row(std::string_view key, std::string type, std::string rule, std::string when,
           std::string_view doc);

  std::string prefix_;
  std::vector<Row> rows_;
};

/// The table of one spec.
template <class Spec>
std::string reference_table() {
  ReferencePage page;
  Spec spec{};
  describe(page, spec);
  return page.finish();
}

/// "## title", an introduction and the table.
template <class Spec>
std::string reference_section(std::string_view title, std::string_view introduction) {
  return "## " + std::string(title) + "\n\n" + std::string(introduction) + "\n\n" +
         reference_table<Spec>();
}

}  // namespace tantalus

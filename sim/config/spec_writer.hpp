// The describe() visitor that writes: a spec back as YAML that loads again, with defaults and derived values filled in and,
// when asked, each value's origin as a comment behind it (for `tantalus show`). What is written, read and written again is
// the same text. It writes bodies only; the header lines (`tantalus:`, `kind:`) are the caller's first words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/describe.hpp"
#include "sim/config/field_rules.hpp"
#include "sim/config/origin.hpp"

namespace tantalus {

/// A scalar as YAML text: plain where every reader takes it for the same words, in double quotes otherwise.
std::string yaml_text(std::string_view words);

struct WriteOptions {
  int indent = 0;                    // columns before the outermost keys
  const Origins* origins = nullptr;  // comments when given
};

class SpecWriter {
 public:
  explicit SpecWriter(const WriteOptions& options) : options_(options), indent_(options.indent) {}

  // The visitor contract of describe.hpp.
  void text(std::string_view key, std::string& value, std::string_view) {
    if (!value.empty()) line(key, yaml_text(value));
  }
  template <class T>
  void required(std::string_view key, T& value, Rule, std::string_view) {
    line(key, scalar(value));
  }
  template <class T>
  void defaulted(std::string_view key, T& value, Rule, std::string_view) {
    line(key, scalar(value));
  }
  template <class T>
  void derived(std::string_view key, std::optional<T>& value, Rule, std::string_view,
               std::string_view) {
    if (value) line(key, scalar(*value));
  }
  template <class T>
  void optional(std::string_view key, std::optional<T>& value, Rule, std::string_view) {
    if (value) line(key, scalar(*value));
  }
  template <class Spec>
  void section(std::string_view key, Spec& spec, std::string_view) {
    open(key);
    describe(*this, spec);
    close();
  }
  template <class Spec>
  void defaulted_section(std::string_view key, Spec& spec, std::string_view doc) {
    section(key, spec, doc);
  }
  template <class Spec>
  void optional_section(std::string_view key, std::optional<Spec>& spec, std::string_view doc) {
    if (spec) section(key, *spec, doc);
  }
  template <class E, class Names>
  void choice(std::string_view key, E& value, const Names& names, std::string_view) {
    for (const auto& name : names) {
      if (name.value == value) return line(key, yaml_text(name.name));
    }
  }
  template <class E, class Names>
  void required_choice(std::string_view key, E& value, const Names& names, std::string_view doc) {
    choice(key, value, names, doc);
  }
  template <class T>
  void list(std::string_view key, std::vector<T>& values, Rule, std::string_view) {
    std::string text;
    for (const T& value : values) text += (text.empty() ? "" : ", ") + scalar(value);
    line(key, "[" + text + "]");
  }
  template <class Spec>
  void sections(std::string_view key, std::vector<Spec>& specs, std::string_view) {
    if (specs.empty()) return line(key, "[]");
    open(key);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      open_item(i);
      describe(*this, specs[i]);
      close_item();
    }
    close();
  }

  std::string finish();

 private:
  template <class T>
  static std::string scalar(const T& value) {
    if constexpr (std::is_same_v<T, std::string>) return yaml_text(value);
    return value_text(value);
  }

  void line(std::string_view key, const std::string& value);
  void open(std::string_view key);
  void close();
  void open_item(std::size_t index);
  void close_item();

  const WriteOptions options_;
  int indent_ = 0;
  std::string path_;  // of the open section, with a dot at its end
  bool first_of_item_ = false;
  std::vector<std::size_t> empty_marks_;  // where each open section's heading ends
  struct Line {
    std::string text;
    std::string comment;
  };
  std::vector<Line> lines_;
};

template <class Spec>
std::string write_spec(Spec spec, const WriteOptions& options = {}) {
  SpecWriter writer(options);
  describe(writer, spec);
  return writer.finish();
}

}  // namespace tantalus

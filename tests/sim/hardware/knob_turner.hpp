// Walks a spec through its own describe(), to show that no field of it is decoration: lists the paths of all fields that can
// change an answer, and turns the field of one path to another value, in every entry of a list at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus::test {

/// Another value of the same kind; `turn` counts the ways to differ. A zero becomes something that must be noticed.
inline bool turned(bool value, int) { return !value; }
inline std::string turned(const std::string&, int) { return "none-such"; }
inline Fraction turned(Fraction value, int turn) {
  if (value.value() == 0.0) return Fraction{0.9};
  return Fraction{turn == 0 ? value.value() / 2 : std::min(1.0, value.value() * 1.5)};
}
inline std::int64_t turned_count(std::int64_t value, std::int64_t from_zero, int turn) {
  if (value == 0) return from_zero;
  if (turn == 0) return value * 2;
  if (turn == 1) return std::max<std::int64_t>(1, value / 2);
  return turn == 2 ? value * 1024 : std::max<std::int64_t>(1, value / 4096);
}
inline std::int64_t turned(std::int64_t value, int turn) { return turned_count(value, 4096, turn); }
inline int turned(int value, int turn) {
  return static_cast<int>(turned_count(value, 4, std::min(turn, 1)));
}
inline double turned(double value, int turn) {
  if (value == 0.0) return turn == 0 ? 100.0 : 0.01;
  return turn == 0 ? value * 2 : turn == 1 ? value / 2 : value * 100;
}
template <class Tag>
Quantity<Tag> turned(Quantity<Tag> value, int turn) {
  return Quantity<Tag>{turned_count(value.count(), 1'000'000, turn)};
}

class KnobTurner {
 public:
  static constexpr int turns = 4;

  /// Lists paths.
  KnobTurner() = default;
  /// Turns the field at `path`, in the `turn`th of `turns` ways.
  KnobTurner(std::string path, int turn) : wanted_(std::move(path)), turn_(turn) {}

  const std::vector<std::string>& paths() const { return paths_; }

  void text(std::string_view, std::string&, std::string_view) {}
  template <class T>
  void required(std::string_view key, T& value, Rule, std::string_view) {
    turn_value(key, value);
  }
  template <class T>
  void defaulted(std::string_view key, T& value, Rule, std::string_view) {
    turn_value(key, value);
  }
  template <class T>
  void derived(std::string_view key, std::optional<T>& value, Rule, std::string_view,
               std::string_view) {
    turn_optional(key, value);
  }
  template <class T>
  void optional(std::string_view key, std::optional<T>& value, Rule, std::string_view) {
    turn_optional(key, value);
  }
  template <class E, class Names>
  void choice(std::string_view key, E& value, const Names& names, std::string_view) {
    if (!here(key)) return;
    const std::span<const EnumName<E>> all(names);
    const auto now = std::find_if(all.begin(), all.end(),
                                  [&](const EnumName<E>& name) { return name.value == value; });
    const auto at = static_cast<std::size_t>(now - all.begin());
    value = all[(at + 1 + static_cast<std::size_t>(turn_)) % all.size()].value;
  }
  template <class E, class Names>
  void required_choice(std::string_view key, E& value, const Names& names, std::string_view doc) {
    choice(key, value, names, doc);
  }
  template <class T>
  void list(std::string_view key, std::vector<T>& values, Rule, std::string_view) {
    if (!here(key)) return;
    if constexpr (std::is_same_v<T, std::string>) {
      values = {"none-such"};
    } else if (values.empty()) {
      values = {turned(T{}, 0)};
    } else if (turn_ == 2) {
      values.clear();
    } else {
      for (T& value : values) value = turned(value, turn_);
    }
  }
  template <class Spec>
  void section(std::string_view key, Spec& spec, std::string_view) {
    const std::string outer = prefix_;
    prefix_ += std::string(key) + ".";
    describe(*this, spec);
    prefix_ = outer;
  }
  template <class Spec>
  void defaulted_section(std::string_view key, Spec& spec, std::string_view doc) {
    section(key, spec, doc);
  }
  template <class Spec>
  void optional_section(std::string_view key, std::optional<Spec>& spec, std::string_view doc) {
    Spec absent;
    section(key, spec ? *spec : absent, doc);
  }
  template <class Spec>
  void sections(std::string_view key, std::vector<Spec>& specs, std::string_view doc) {
    Spec absent;
    if (wanted_.empty()) section(key, absent, doc);
    for (Spec& spec : specs) section(key, spec, doc);
  }

 private:
  bool here(std::string_view key) {
    const std::string path = prefix_ + std::string(key);
    if (wanted_.empty() && std::find(paths_.begin(), paths_.end(), path) == paths_.end()) {
      paths_.push_back(path);
    }
    return path == wanted_;
  }
  template <class T>
  void turn_value(std::string_view key, T& value) {
    if (here(key)) value = turned(value, turn_);
  }
  template <class T>
  void turn_optional(std::string_view key, std::optional<T>& value) {
    if (here(key)) value = turned(value.value_or(T{}), turn_);
  }

  std::string wanted_, prefix_;
  int turn_ = 0;
  std::vector<std::string> paths_;
};

}  // namespace tantalus::test

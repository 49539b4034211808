// What the Rule of a field (describe.hpp) means: whether a count obeys it, and how a person says it. Shared by the reader,
// which refuses, and the reference page, which documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/base/units_text.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

bool obeys(const Rule& rule, double count);

/// "more than zero", "a power of two"; `low` and `high` are the limits of `within`, as text with their unit.
std::string rule_text(const Rule& rule, const std::string& low, const std::string& high);

/// Values that a rule can judge: all but words and booleans.
template <class T>
inline constexpr bool has_count = !std::is_same_v<T, bool> && !std::is_same_v<T, std::string>;

template <class T>
inline constexpr bool is_quantity = false;
template <class Tag>
inline constexpr bool is_quantity<Quantity<Tag>> = true;

/// The number that a rule judges: of a quantity, the count of its base unit.
template <class T>
double rule_count(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_same_v<T, Fraction>) {
    return value.value();
  } else {
    return static_cast<double>(value.count());
  }
}

/// A value as a spec file would write it.
template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, Fraction>) {
    return to_text(value.value());
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else {
    return to_text(value);
  }
}

/// A limit of `within` as a person writes it for fields of type T: a whole number, a number, a quantity.
template <class T>
std::string limit_text(double limit) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(static_cast<std::int64_t>(limit));
  } else if constexpr (is_quantity<T>) {
    return to_text(T{static_cast<std::int64_t>(limit)});
  } else {
    return to_text(limit);
  }
}

template <class T>
std::string rule_text(const Rule& rule) {
  if (rule.kind != Rule::Kind::within) return rule_text(rule, {}, {});
  return rule_text(rule, limit_text<T>(rule.low), limit_text<T>(rule.high));
}

/// What a reference page calls the type: "a whole number", "a quantity with its unit (B, kB, ...)".
template <class T>
std::string type_text() {
  if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_integral_v<T>) {
    return "a whole number";
  } else if constexpr (std::is_same_v<T, double>) {
    return "a number";
  } else if constexpr (std::is_same_v<T, Fraction>) {
    return "a fraction from 0 to 1";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "text";
  } else {
    return "a quantity with its unit (" + unit_words<T>() + ")";
  }
}

}  // namespace tantalus

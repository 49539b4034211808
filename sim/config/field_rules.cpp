#include "sim/config/field_rules.hpp"

#include <cmath>

namespace tantalus {

namespace {

bool is_power_of_two(double count) {
  int exponent = 0;
  return count >= 1.0 && std::frexp(count, &exponent) == 0.5;
}

}  // namespace

bool obeys(const Rule& rule, double count) {
  switch (rule.kind) {
    case Rule::Kind::any:
      return true;
    case Rule::Kind::positive:
      return count > 0.0;
    case Rule::Kind::not_negative:
      return count >= 0.0;
    case Rule::Kind::power_of_two:
      return is_power_of_two(count);
    case Rule::Kind::within:
      return count >= rule.low && count <= rule.high;
  }
  return true;
}

std::string rule_text(const Rule& rule, const std::string& low, const std::string& high) {
  switch (rule.kind) {
    case Rule::Kind::any:
      return "anything";
    case Rule::Kind::positive:
      return "more than zero";
    case Rule::Kind::not_negative:
      return "zero or more";
    case Rule::Kind::power_of_two:
      return "a power of two";
    case Rule::Kind::within:
      return "between " + low + " and " + high;
  }
  return "anything";
}

}  // namespace tantalus

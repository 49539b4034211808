// The contract between a spec and everyone who walks it. A spec is a plain struct with one function
//
//   template <class Visitor> void describe(Visitor& v, CacheSpec& s) {
//     v.required("capacity", s.capacity, positive, "data the cache can hold");
//     v.defaulted("line",    s.line,     power_of_two, "bytes fetched on a miss");
//     v.derived("bandwidth", s.bandwidth, positive, "width x data rate", "peak rate of the level");
//   }
//
// and optionally, found by argument-dependent look-up:
//   void derive(CacheSpec&)                          fills every `derived` field that the file left out
//   void check(const CacheSpec&, SpecChecker&)       truths across fields; reports by field path
//
// The same describe() loads (map_reader.hpp), writes back with origins (spec_writer.hpp), documents (reference_page.hpp).
// A visitor offers, for a key, a member and one line of documentation:
//   text(key, string&, doc)                      words for people; never changes a result
//   required(key, value&, rule, doc)             must be written
//   defaulted(key, value&, rule, doc)            the member's initialiser is the default
//   derived(key, optional<value>&, rule, formula, doc)   computed by derive() when not written
//   optional(key, optional<value>&, rule, doc)   absent means "the machine does not have it"
//   section(key, spec&, doc)                     a nested map that must be written
//   defaulted_section(key, spec&, doc)           a nested map whose fields all have defaults or derivations
//   optional_section(key, optional<spec>&, doc)  a nested map that may be missing
//   choice(key, enum&, names, doc)               one of a fixed set of words; names is span<const EnumName<E>>; the
//                                                member's initialiser is the default
//   required_choice(key, enum&, names, doc)      the same, but must be written
//   list(key, vector<value>&, rule, doc)         a sequence of scalars (defaulted: empty)
//   sections(key, vector<spec>&, doc)            a sequence of nested maps (defaulted: empty)
// Values are: every Quantity of units.hpp, std::int64_t, int, double, Fraction, bool, std::string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tantalus {

/// What a single number must satisfy by itself. Limits are inclusive and in the count of the quantity's base unit.
struct Rule {
  enum class Kind : std::uint8_t { any, positive, not_negative, power_of_two, within };
  Kind kind = Kind::any;
  double low = 0.0;
  double high = 0.0;
};

inline constexpr Rule any_value{Rule::Kind::any, 0, 0};
inline constexpr Rule positive{Rule::Kind::positive, 0, 0};
inline constexpr Rule not_negative{Rule::Kind::not_negative, 0, 0};
inline constexpr Rule power_of_two{Rule::Kind::power_of_two, 0, 0};
constexpr Rule within(double low, double high) { return {Rule::Kind::within, low, high}; }

/// One word of a `choice` and the value it stands for.
template <class E>
struct EnumName {
  std::string_view name;
  E value;
};

/// How a broken truth across fields is reported: `impossible` is an error, which a file that says `hypothetical: true`
/// turns into a warning; `unusual` is always a warning; `contradictory` stays an error even in a hypothetical file
/// (the simulator could not run it: zero SMs, a link to nowhere).
class SpecChecker {
 public:
  virtual ~SpecChecker() = default;
  virtual void impossible(std::string_view path, std::string code, std::string message,
                          std::string hint) = 0;
  virtual void unusual(std::string_view path, std::string code, std::string message,
                       std::string hint) = 0;
  virtual void contradictory(std::string_view path, std::string code, std::string message,
                             std::string hint) = 0;
};

}  // namespace tantalus

// Short ways to read a text in the tests of this room.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/diagnostic.hpp"
#include "sim/config/map_reader.hpp"
#include "sim/config/yaml_document.hpp"

namespace tantalus {

/// The only spec of most of these tests: a map with a few fields.
template <class Spec>
Result<Spec> read_text(std::string_view text, const ReadContext& context = {}) {
  Result<YamlDocument> document = parse_yaml(text, "test.yaml");
  if (!document.ok()) return document.diagnostics();
  return read_spec<Spec>(document->root, context);
}

/// "bad-type unknown-key": the codes in order, for one comparison.
inline std::string codes_of(const Diagnostics& diagnostics) {
  std::string codes;
  for (const Diagnostic& d : diagnostics) codes += (codes.empty() ? "" : " ") + d.code;
  return codes;
}

inline std::string all_rendered(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += render(d);
  return text;
}

/// The code of the only diagnostic of a text that is not valid, or what there was instead.
inline std::string only_code(std::string_view text) {
  const Result<YamlDocument> document = parse_yaml(text, "test.yaml");
  if (document.diagnostics().size() != 1) return "not one diagnostic";
  return document.diagnostics().front().code;
}

}  // namespace tantalus

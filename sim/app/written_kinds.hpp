// How specs become text: which struct each `kind:` of device or library is written and documented as, and the writing itself.
// The one table that `show` and the reference page share; adding a kind of device adds a row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sim/base/result.hpp"
#include "sim/config/map_reader.hpp"
#include "sim/config/reference_page.hpp"
#include "sim/config/spec_writer.hpp"

namespace tantalus {

/// How one `kind:` of device or library is written and documented.
struct WrittenKind {
  std::string_view kind;
  Result<std::string> (*show)(const YamlNode& body, ReadContext context, int indent);
  std::string (*document)();
};

std::span<const WrittenKind> written_devices();
std::span<const WrittenKind> written_libraries();

/// Null when there is no such kind.
const WrittenKind* find_kind(std::span<const WrittenKind> kinds, std::string_view kind);

/// The `sources:` section that lets a second reading know no less than the first; "" when nothing has a source. A derived or
/// default value gets no line: nobody printed it.
std::string sources_text(const Origins& origins, int indent);

/// Reads a body as one spec and writes it with its sources before it.
template <class Spec>
Result<std::string> shown_body(const YamlNode& body, ReadContext context, int indent) {
  Origins origins;
  context.origins = &origins;
  Result<Spec> spec = read_spec<Spec>(body, context);
  if (!spec) return spec.diagnostics();
  Diagnostics warnings = spec.diagnostics();
  std::string text =
      sources_text(origins, indent) + write_spec(std::move(spec).value(), {indent, &origins});
  return {std::move(text), std::move(warnings)};
}

}  // namespace tantalus

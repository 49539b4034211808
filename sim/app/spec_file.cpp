#include "sim/app/spec_file.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/app/loading.hpp"
#include "sim/base/text.hpp"
#include "sim/config/document_header.hpp"
#include "sim/config/network_spec.hpp"
#include "sim/config/overrides.hpp"
#include "sim/config/reference_page.hpp"
#include "sim/config/spec_writer.hpp"
#include "sim/config/system_spec.hpp"
#include "sim/hardware/cpu_library.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/gpu_library.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/hardware/stack_spec.hpp"

namespace tantalus {

namespace {

constexpr std::array<std::string_view, 5> every_schema = {"device", "system", "network", "library",
                                                          "stack"};

void append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string spaces(int count) { return std::string(static_cast<std::size_t>(count), ' '); }

// ---- One spec as text ------------------------------------------------------------------------------------------------

// What `sources:` must say so that a second reading knows no less. A derived or default value gets no line: nobody printed it.
std::string source_of(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::data_sheet:
      return origin.detail;
    case Origin::Kind::measured:
      if (origin.detail.empty()) return "measured";
      return origin.detail +
             (origin.detail.find("measured") == std::string::npos ? " (measured)" : "");
    case Origin::Kind::overridden:
      return "override";
    case Origin::Kind::unsourced:
    case Origin::Kind::derived:
    case Origin::Kind::defaulted:
      break;
  }
  return {};
}

std::string sources_text(const Origins& origins, int indent) {
  std::string lines;
  for (const auto& [path, origin] : origins) {
    const std::string source = source_of(origin);
    if (!source.empty()) lines += spaces(indent + 2) + path + ": " + yaml_text(source) + "\n";
  }
  return lines.empty() ? "" : spaces(indent) + "sources:\n" + lines;
}

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

// ---- The tables of kinds ---------------------------------------------------------------------------------------------

/// How one `kind:` of device or library is written and documented.
struct WrittenKind {
  std::string_view kind;
  Result<std::string> (*show)(const YamlNode& body, ReadContext context, int indent);
  std::string (*document)();
};

constexpr std::array<WrittenKind, 2> device_specs = {
    {{"cpu", &shown_body<CpuSpec>, &reference_table<CpuSpec>},
     {"gpu", &shown_body<GpuSpec>, &reference_table<GpuSpec>}}};
constexpr std::array<WrittenKind, 2> library_specs = {
    {{"cpu", &shown_body<CpuLibrary>, &reference_table<CpuLibrary>},
     {"gpu", &shown_body<GpuLibrary>, &reference_table<GpuLibrary>}}};

const WrittenKind* find_kind(std::span<const WrittenKind> kinds, std::string_view kind) {
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const WrittenKind& one) { return one.kind == kind; });
  return found == kinds.end() ? nullptr : &*found;
}

Diagnostic unknown_kind(const YamlNode& at, const std::string& path,
                        std::span<const WrittenKind> kinds) {
  std::vector<std::string> words;
  std::string list;
  for (const WrittenKind& kind : kinds) {
    words.emplace_back(kind.kind);
    list += (list.empty() ? "" : ", ") + words.back();
  }
  const std::string near = closest_word(at.text, words);
  return error_at(at, "unknown-kind", path, "there is no kind '" + at.text + "'",
                  near.empty() ? "the kinds are " + list : "did you mean '" + near + "'?");
}

// ---- Documents by schema ---------------------------------------------------------------------------------------------

// The word before the slash; anything odd is left to read_document, which says what is wrong.
std::string schema_of(const FileText& file) {
  const Result<YamlDocument> document = parse_yaml(file.text, file.file);
  const YamlNode* schema = document ? document->root.find("tantalus") : nullptr;
  return schema == nullptr ? "" : schema->text.substr(0, schema->text.find('/'));
}

std::string first_words(std::string_view schema, bool hypothetical) {
  return "tantalus: " + std::string(schema) + "/1\n" + (hypothetical ? "hypothetical: true\n" : "");
}

Result<Document> overridden_document(const FileText& file, std::string_view schema,
                                     const std::vector<std::string>& overrides) {
  Result<std::vector<Override>> sets = read_overrides(overrides);
  if (!sets) return sets.diagnostics();
  Result<Document> document = read_document(file.text, file.file, schema);
  if (!document) return document.diagnostics();
  Diagnostics wrong = apply(document.value().body, *sets, "");
  if (has_errors(wrong)) return wrong;
  return document;
}

Result<std::string> shown_library(const FileText& file, const std::vector<std::string>& overrides) {
  Result<Document> document = overridden_document(file, "library", overrides);
  if (!document) return document.diagnostics();
  const YamlNode kind = take(document.value().body, "kind");
  const WrittenKind* written = find_kind(library_specs, kind.text);
  if (written == nullptr)
    return unknown_kind(kind.where.line == 0 ? document->body : kind, "kind", library_specs);
  Result<std::string> body = written->show(document->body, reading(*document), 0);
  if (!body) return body.diagnostics();
  return {first_words("library", document->hypothetical) + "kind: " + kind.text + "\n" + *body,
          body.diagnostics()};
}

Result<std::string> shown_stack(const FileText& file, const std::vector<std::string>& overrides) {
  const Result<Document> document = overridden_document(file, "stack", overrides);
  if (!document) return document.diagnostics();
  Result<std::string> body = shown_body<StackSpec>(document->body, reading(*document), 0);
  if (!body) return body.diagnostics();
  return {first_words("stack", document->hypothetical) + *body, body.diagnostics()};
}

// ---- Networks --------------------------------------------------------------------------------------------------------

// "  - name: conv1" and the other fields below it.
std::string shown_layer(const LayerSpec& layer) {
  std::string text = std::visit(
      [&](auto body) {
        LayerText<decltype(body)> written{layer.name, std::string(name_of(layer.kind)), layer.from,
                                          body};
        return write_spec(written, {4, nullptr});
      },
      layer.body);
  text.replace(2, 2, "- ");
  return text;
}

Result<std::string> shown_network(const FileText& file, const std::vector<std::string>& overrides) {
  const Result<Document> document = overridden_document(file, "network", overrides);
  if (!document) return document.diagnostics();
  const Result<NetworkSpec> network = network_from(*document);
  if (!network) return network.diagnostics();
  std::string text = first_words("network", document->hypothetical);
  if (!network->name.empty()) text += "name: " + yaml_text(network->name) + "\n";
  if (!network->source.empty()) text += "sources:\n  \"*\": " + yaml_text(network->source) + "\n";
  text += "input:\n" + write_spec(network->input, {2, nullptr});
  if (network->classes) text += "classes: " + std::to_string(*network->classes) + "\n";
  text += "layers:\n";
  for (const LayerSpec& layer : network->layers) text += shown_layer(layer);
  return {std::move(text), network.diagnostics()};
}

// ---- Devices and systems ---------------------------------------------------------------------------------------------

Result<std::string> shown_part(const PartSpec& part, int indent) {
  const WrittenKind* written = find_kind(device_specs, part.kind);
  if (written == nullptr) {
    YamlNode at;
    at.text = part.kind;
    at.where = part.kind_where;
    return unknown_kind(at, part.id + ".kind", device_specs);
  }
  Result<std::string> body = written->show(part.body, reading(part), indent);
  if (!body) return body.diagnostics();
  return {spaces(indent) + "kind: " + part.kind + "\n" + *body, body.diagnostics()};
}

std::string shown_link(const SystemSpec& system, const LinkPlan& link) {
  std::string text = "  - join: [" + yaml_text(system.parts[link.a].id) + ", " +
                     yaml_text(system.parts[link.b].id) + "]\n";
  if (link.pcie) text += "    pcie:\n" + write_spec(*link.pcie, {6, nullptr});
  if (link.nvlink) text += "    nvlink:\n" + write_spec(*link.nvlink, {6, nullptr});
  return text;
}

Result<std::string> shown_whole_system(const SystemSpec& system) {
  Diagnostics found;
  std::string text = first_words("system", system.hypothetical);
  if (!system.name.empty()) text += "name: " + yaml_text(system.name) + "\n";
  text += "parts:\n";
  for (const PartSpec& part : system.parts) {
    const Result<std::string> body = shown_part(part, 4);
    append(found, body.diagnostics());
    if (body) text += "  " + part.id + ":\n" + *body;
  }
  if (has_errors(found)) return found;
  if (!system.links.empty()) text += "links:\n";
  for (const LinkPlan& link : system.links) text += shown_link(system, link);
  if (!system.host.is_null()) {
    ReadContext context;
    context.path = "host";
    const Result<std::string> host = shown_body<HostSpec>(system.host, context, 2);
    append(found, host.diagnostics());
    if (!host) return found;
    text += "host:\n" + *host;
  }
  return {std::move(text), std::move(found)};
}

Result<std::string> shown_system(Files& files, const FileText& file, bool is_device,
                                 Knowledge knowledge, const std::vector<std::string>& overrides) {
  const Result<SystemSpec> system = system_of(files, file, knowledge, overrides);
  if (!system) return system.diagnostics();
  if (!is_device) return shown_whole_system(*system);
  const Result<std::string> body = shown_part(system->parts.front(), 0);
  if (!body) return body.diagnostics();
  return {first_words("device", system->hypothetical || system->parts.front().hypothetical) + *body,
          body.diagnostics()};
}

// ---- The reference page ----------------------------------------------------------------------------------------------

std::string layer_tables() {
  std::string text;
  for_each_layer_kind([&](LayerKind kind, auto& layer) {
    ReferencePage page;
    describe(page, layer);
    text += "### `kind: " + std::string(name_of(kind)) + "`\n\n" + page.finish() + "\n";
  });
  return text;
}

template <class Spec>
std::string chapter(std::string_view heading) {
  return std::string(heading) + "\n\n" + reference_table<Spec>() + "\n";
}

}  // namespace

Diagnostics check_spec(Files& files, const FileText& file) {
  const std::string schema = schema_of(file);
  if (schema == "device" || schema == "system") {
    return plan_of(files, file, system_of(files, file, Knowledge::all, {})).diagnostics();
  }
  if (schema == "network" || file.file.find(".onnx") != std::string::npos)
    return network_of(file).diagnostics();
  if (schema == "library" || schema == "stack")
    return show_spec(files, file, Knowledge::all, {}).diagnostics();
  return read_document(file.text, file.file, every_schema).diagnostics();
}

Result<std::string> show_spec(Files& files, const FileText& file, Knowledge knowledge,
                              const std::vector<std::string>& overrides) {
  const std::string schema = schema_of(file);
  if (schema == "device" || schema == "system")
    return shown_system(files, file, schema == "device", knowledge, overrides);
  if (schema == "network") return shown_network(file, overrides);
  if (schema == "library") return shown_library(file, overrides);
  if (schema == "stack") return shown_stack(file, overrides);
  const Result<Document> document = read_document(file.text, file.file, every_schema);
  TANTALUS_CHECK(!document, "every schema is shown by one of the functions above");
  return document.diagnostics();
}

std::string reference_page() {
  std::string page =
      "# Every field of every file\n\n"
      "Generated from the specs themselves (a test fails when this page is stale; "
      "`TANTALUS_UPDATE_GOLDEN=1` rewrites it).\n"
      "Quantities carry their unit; decimal and binary sizes are different words. A field that is "
      "*derived* is computed by the\n"
      "formula shown when the file leaves it out. The paths here are those of `set:`, `--set` and "
      "of every message.\n\n"
      "Every file begins with `tantalus: KIND/1` and may say `hypothetical: true` (impossible "
      "values become warnings),\n"
      "`sources:` (a map from field paths or their prefixes, or `\"*\"`, to where the number comes "
      "from) and, in device files,\n"
      "`calibration:` (a map from field paths to what was measured on a real part).\n\n";
  page += "# Devices: `tantalus: device/1`\n\n";
  for (const WrittenKind& kind : device_specs)
    page += "## `kind: " + std::string(kind.kind) + "`\n\n" + kind.document() + "\n";
  page +=
      "# Systems: `tantalus: system/1`\n\n"
      "`parts:` is a map from ids (or ranges such as `gpu[0-7]`) to `{use: DEVICE, set: {PATH: "
      "VALUE}}` or to a device written\n"
      "in place. `links:` is a list of entries as below; `host:` is optional.\n\n";
  page += chapter<LinkEntrySpec>("## An entry of `links:`") + chapter<HostSpec>("## `host:`");
  page += "# Networks: `tantalus: network/1`\n\n" + chapter<NetworkText>("## The file") +
          chapter<BlockText>("## A block of layers") + "## Layers\n\n" + layer_tables();
  page += "# Libraries: `tantalus: library/1`\n\n";
  for (const WrittenKind& kind : library_specs)
    page += "## `kind: " + std::string(kind.kind) + "`\n\n" + kind.document() + "\n";
  page += chapter<StackSpec>("# Stacks: `tantalus: stack/1`");
  page.pop_back();
  return page;
}

}  // namespace tantalus

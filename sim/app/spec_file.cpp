#include "sim/app/spec_file.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/app/loading.hpp"
#include "sim/app/tolerances.hpp"
#include "sim/app/written_kinds.hpp"
#include "sim/base/text.hpp"
#include "sim/config/document_header.hpp"
#include "sim/config/network_spec.hpp"
#include "sim/config/system_spec.hpp"
#include "sim/hardware/cache/cache_shape.hpp"
#include "sim/hardware/library_alias.hpp"
#include "sim/hardware/stack_spec.hpp"
#include "sim/pipeline/dataset_spec.hpp"
#include "sim/pipeline/loader_spec.hpp"

namespace tantalus {

namespace {

constexpr std::array<std::string_view, 9> every_schema = {
    "device", "system", "network", "library", "stack", "cache", "tolerances", "dataset", "loader"};

void append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
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

std::string first_words(std::string_view schema, bool hypothetical) {
  return "tantalus: " + std::string(schema) + "/1\n" + (hypothetical ? "hypothetical: true\n" : "");
}

Result<std::string> shown_library(const FileText& file, const std::vector<std::string>& overrides) {
  Result<Document> document = overridden_document(file, "library", overrides);
  if (!document) return document.diagnostics();
  const YamlNode kind = take(document.value().body, "kind");
  const WrittenKind* written = find_kind(written_libraries(), kind.text);
  if (written == nullptr)
    return unknown_kind(kind.where.line == 0 ? document->body : kind, "kind", written_libraries());
  Result<std::string> body = written->show(document->body, reading(*document), 0);
  if (!body) return body.diagnostics();
  return {first_words("library", document->hypothetical) + "kind: " + kind.text + "\n" + *body,
          body.diagnostics()};
}

/// Where an alias leads; nothing for a catalogue with kernels.
Diagnostics mistakes_of_targets(Files& files, const FileText& file) {
  Result<Document> document = read_document(file.text, file.file, "library");
  if (!document || take(document.value().body, "kind").text != "alias") return {};
  return mistakes_of_alias(*document, stem_of(file.file), library_look_up(files, file.file));
}

// A file of one spec and nothing else.
template <class Spec>
Result<std::string> shown_plain(const FileText& file, std::string_view schema,
                                const std::vector<std::string>& overrides) {
  const Result<Document> document = overridden_document(file, schema, overrides);
  if (!document) return document.diagnostics();
  Result<std::string> body = shown_body<Spec>(document->body, reading(*document), 0);
  if (!body) return body.diagnostics();
  return {first_words(schema, document->hypothetical) + *body, body.diagnostics()};
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
  const WrittenKind* written = find_kind(written_devices(), part.kind);
  if (written == nullptr) {
    YamlNode at;
    at.text = part.kind;
    at.where = part.kind_where;
    return unknown_kind(at, part.id + ".kind", written_devices());
  }
  Result<std::string> body = written->show(part.body, reading(part), indent);
  if (!body) return body.diagnostics();
  return {std::string(static_cast<std::size_t>(indent), ' ') + "kind: " + part.kind + "\n" + *body,
          body.diagnostics()};
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

}  // namespace

Diagnostics check_spec(Files& files, const FileText& file) {
  const std::string schema = schema_of(file);
  if (schema == "device" || schema == "system") {
    return plan_of(files, file, system_of(files, file, Knowledge::all, {})).diagnostics();
  }
  if (schema == "network" || file.file.find(".onnx") != std::string::npos)
    return network_of(file).diagnostics();
  if (std::find(every_schema.begin(), every_schema.end(), schema) != every_schema.end()) {
    Diagnostics found = show_spec(files, file, Knowledge::all, {}).diagnostics();
    if (schema == "library") append(found, mistakes_of_targets(files, file));
    return found;
  }
  return read_document(file.text, file.file, every_schema).diagnostics();
}

Result<std::string> show_spec(Files& files, const FileText& file, Knowledge knowledge,
                              const std::vector<std::string>& overrides) {
  const std::string schema = schema_of(file);
  if (schema == "device" || schema == "system")
    return shown_system(files, file, schema == "device", knowledge, overrides);
  if (schema == "network") return shown_network(file, overrides);
  if (schema == "library") return shown_library(file, overrides);
  if (schema == "stack") return shown_plain<StackSpec>(file, schema, overrides);
  if (schema == "cache") return shown_plain<HierarchyShape>(file, schema, overrides);
  if (schema == "dataset") return shown_plain<DatasetSpec>(file, schema, overrides);
  if (schema == "loader") return shown_plain<LoaderSpec>(file, schema, overrides);
  if (schema == "tolerances") return shown_plain<Tolerances>(file, schema, overrides);
  const Result<Document> document = read_document(file.text, file.file, every_schema);
  TANTALUS_CHECK(!document, "every schema is shown by one of the functions above");
  return document.diagnostics();
}

}  // namespace tantalus

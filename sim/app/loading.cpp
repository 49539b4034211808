#include "sim/app/loading.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "sim/config/map_reader.hpp"
#include "sim/config/network_spec.hpp"
#include "sim/config/overrides.hpp"
#include "sim/config/yaml_document.hpp"
#include "sim/hardware/device_table.hpp"

namespace tantalus {

namespace {

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

void append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// A broken system cannot be planned, but each of its parts can be read: all mistakes of a file come together.
Diagnostics mistakes_of_parts(Files& files, const FileText& file, const SystemSpec& spec) {
  Diagnostics found;
  const LibraryLookup libraries = library_look_up(files, file.file);
  for (const PartSpec& part : spec.parts) {
    for (const DeviceKind& kind : device_kinds()) {
      if (kind.key == part.kind)
        append(found, kind.read({part.body, reading(part), libraries}).diagnostics());
    }
  }
  return found;
}

// A file of the current folder has neighbours too.
std::string folder_beside(const std::string& file) {
  const std::string folder = folder_of(file);
  return folder.empty() ? "." : folder;
}

}  // namespace

DeviceLookUp device_look_up(Files& files, const std::string& file) {
  return [&files, beside = folder_beside(file)](const std::string& stem) -> Result<DeviceText> {
    Result<FileText> found = files.find(stem, device_places(), beside);
    if (!found && found.diagnostics().front().code == "unknown-name") {
      return unknown_device(stem, files.names(device_places()));
    }
    if (!found) return found.diagnostics();
    return DeviceText{found->file, found->text};
  };
}

LibraryLookup library_look_up(Files& files, const std::string& file) {
  return [&files, beside = folder_beside(file)](const std::string& name) -> Result<DeviceText> {
    Result<FileText> found = files.find(name, library_places(), beside);
    if (!found) return found.diagnostics();
    return DeviceText{found->file, found->text};
  };
}

Result<std::vector<Override>> read_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  Diagnostics wrong;
  for (const std::string& text : texts) {
    Result<Override> parsed = parse_override(text);
    append(wrong, parsed.diagnostics());
    if (parsed) overrides.push_back(std::move(parsed).value());
  }
  if (!wrong.empty()) return wrong;
  return overrides;
}

std::string schema_of(const FileText& file) {
  const Result<YamlDocument> document = parse_yaml(file.text, file.file);
  const YamlNode* schema = document ? document->root.find("tantalus") : nullptr;
  // Anything odd is left to read_document, which says what is wrong.
  return schema == nullptr ? "" : schema->text.substr(0, schema->text.find('/'));
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

Result<SystemSpec> system_of(Files& files, const FileText& file, Knowledge knowledge,
                             const std::vector<std::string>& overrides) {
  Result<std::vector<Override>> sets = read_overrides(overrides);
  if (!sets) return sets.diagnostics();
  const SystemLoad load{device_look_up(files, file.file), std::move(sets).value(),
                        knowledge == Knowledge::all};
  SystemReading reading = read_system_text(file.text, file.file, load);
  if (!has_errors(reading.found)) return {std::move(reading.spec), std::move(reading.found)};
  append(reading.found, mistakes_of_parts(files, file, reading.spec));
  return reading.found;
}

Result<SystemPlan> plan_of(Files& files, const FileText& file, const Result<SystemSpec>& spec,
                           const std::vector<std::string>& preferred) {
  if (!spec) return spec.diagnostics();
  Diagnostics found = spec.diagnostics();
  Result<SystemPlan> plan =
      plan_system(*spec, device_kinds(), library_look_up(files, file.file), preferred);
  append(found, plan.diagnostics());
  if (!plan) return found;
  return {std::move(plan).value(), std::move(found)};
}

Result<SystemPlan> load_system(Files& files, const SystemOptions& options,
                               const Result<StackSpec>& stack) {
  const Result<FileText> file = files.find(options.system, system_places());
  if (!file) return file.diagnostics();
  return plan_of(files, *file, system_of(files, *file, options.knowledge, options.overrides),
                 stack ? stack->libraries : std::vector<std::string>());
}

Result<StackSpec> load_stack(Files& files, const std::string& name) {
  const Result<FileText> file = files.find(name, stack_places());
  if (file) {
    Result<StackSpec> stack = load_stack(file->text, file->file);
    if (stack) stack.value().name = stem_of(file->file);  // scripts want the word that chose it
    return stack;
  }
  // The plain stack is the one that the spec's own defaults describe.
  if (name == StackSpec{}.name) return StackSpec{};
  return file.diagnostics();
}

Result<DatasetSpec> load_dataset(Files& files, const std::string& name) {
  const Result<FileText> file = files.find(name, dataset_places());
  if (!file) return file.diagnostics();
  Result<DatasetSpec> spec = load_dataset(file->text, file->file);
  if (spec) spec.value().name = stem_of(file->file);
  return spec;
}

Result<LoaderSpec> load_loader(Files& files, const std::string& name) {
  const Result<FileText> file = files.find(name, loader_places());
  if (!file) return file.diagnostics();
  Result<LoaderSpec> spec = load_loader(file->text, file->file);
  if (spec) spec.value().name = stem_of(file->file);
  return spec;
}

namespace {

Result<Stairs> stairs_of_part(const PartSpec& part, Bytes shared) {
  if (part.kind == "gpu") {
    Result<GpuSpec> spec = read_spec<GpuSpec>(part.body, reading(part));
    if (!spec) return spec.diagnostics();
    return {stairs_of(*spec, shared), spec.diagnostics()};
  }
  Result<CpuSpec> spec = read_spec<CpuSpec>(part.body, reading(part));
  if (!spec) return spec.diagnostics();
  return {stairs_of(*spec), spec.diagnostics()};
}

Result<std::size_t> part_with_caches(const SystemSpec& system, const std::string& wanted) {
  std::vector<std::string> names;
  std::optional<std::size_t> processor, accelerator;
  for (std::size_t i = 0; i < system.parts.size(); ++i) {
    const PartSpec& part = system.parts[i];
    if (part.kind != "cpu" && part.kind != "gpu") continue;
    if (part.id == wanted) return i;
    names.push_back(part.id);
    std::optional<std::size_t>& first = part.kind == "gpu" ? accelerator : processor;
    if (!first) first = i;
  }
  if (!wanted.empty() || names.empty()) return unknown_run_device(wanted, names);
  return accelerator ? *accelerator : *processor;
}

}  // namespace

Result<HierarchyShape> load_caches(Files& files, const CacheCommand& command) {
  Result<Stairs> stairs = load_stairs(files, command);
  if (!stairs) return stairs.diagnostics();
  return {std::move(stairs.value().caches), stairs.diagnostics()};
}

Result<Stairs> load_stairs(Files& files, const CacheCommand& command) {
  const Result<FileText> file = files.find(command.caches, cache_places());
  if (!file) return file.diagnostics();
  if (schema_of(*file) == "cache") {
    const Result<Document> document = overridden_document(*file, "cache", command.overrides);
    if (!document) return document.diagnostics();
    const Result<HierarchyShape> caches =
        read_spec<HierarchyShape>(document->body, reading(*document));
    if (!caches) return caches.diagnostics();
    return {stairs_of(*caches), caches.diagnostics()};
  }
  const Result<SystemSpec> system = system_of(files, *file, command.knowledge, command.overrides);
  if (!system) return system.diagnostics();
  const Result<std::size_t> part = part_with_caches(*system, command.device);
  if (!part) return part.diagnostics();
  return stairs_of_part(system->parts[*part], command.shared);
}

Result<Network> load_network(Files& files, const std::string& name) {
  const Result<FileText> file = files.find(name, network_places());
  if (!file) return file.diagnostics();
  return network_of(*file);
}

Result<Network> network_of(const FileText& file) {
  if (ends_with(file.file, ".onnx")) {
    return Diagnostic{Severity::error,
                      "env-no-onnx",
                      {file.file, 0, 0},
                      "",
                      "this build does not read ONNX files",
                      "write the network as YAML, as in models/networks",
                      1};
  }
  const Result<NetworkSpec> spec = read_network(file.text, file.file);
  if (!spec) return spec.diagnostics();
  Result<Network> network = infer(*spec);
  Diagnostics found = spec.diagnostics();
  append(found, network.diagnostics());
  if (!network) return found;
  return {std::move(network).value(), std::move(found)};
}

}  // namespace tantalus

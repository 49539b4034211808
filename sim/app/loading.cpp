#include "sim/app/loading.hpp"

#include <utility>

#include "sim/config/network_spec.hpp"
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

// The first arrows of the spine with their files: names on the command line become typed plans. Everything wrong with a file
// comes back at once; nothing is printed here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/layers.hpp"
#include "sim/app/files.hpp"
#include "sim/app/options.hpp"
#include "sim/base/result.hpp"
#include "sim/config/document_header.hpp"
#include "sim/config/system_spec.hpp"
#include "sim/hardware/cache/cache_shape.hpp"
#include "sim/hardware/cache/staircase.hpp"
#include "sim/hardware/device_kind.hpp"
#include "sim/hardware/stack_spec.hpp"
#include "sim/hardware/system_plan.hpp"
#include "sim/pipeline/dataset_spec.hpp"
#include "sim/pipeline/loader_spec.hpp"

namespace tantalus {

/// How the core asks for other files while it reads `file`: devices beside it, then in hw_configs/devices; libraries likewise.
/// Both keep a reference to `files`.
DeviceLookUp device_look_up(Files& files, const std::string& file);
LibraryLookup library_look_up(Files& files, const std::string& file);

/// Overrides from the command line ("PATH=VALUE"), or every one that is not.
Result<std::vector<Override>> read_overrides(const std::vector<std::string>& texts);

/// What a file calls itself: "device", "cache"; "" for a text that says nothing of the kind.
std::string schema_of(const FileText& file);

/// A file of one schema with overrides in it.
Result<Document> overridden_document(const FileText& file, std::string_view schema,
                                     const std::vector<std::string>& overrides);

/// The parts and links of a system or device file that was read already.
Result<SystemSpec> system_of(Files& files, const FileText& file, Knowledge knowledge,
                             const std::vector<std::string>& overrides);

/// The same read by its devices; warnings of the spec are among those of the plan.
Result<SystemPlan> plan_of(Files& files, const FileText& file, const Result<SystemSpec>& spec,
                           const std::vector<std::string>& preferred = {});

/// With the stack's catalogues before those of each part; a stack that could not be read brings none.
Result<SystemPlan> load_system(Files& files, const SystemOptions& options,
                               const Result<StackSpec>& stack);
Result<StackSpec> load_stack(Files& files, const std::string& name);
/// The caches that a file describes, or those of a part of a system: `device`, or the first accelerator, or the first processor.
Result<HierarchyShape> load_caches(Files& files, const CacheCommand& command);
/// The same with what each level costs, where the file says it.
Result<Stairs> load_stairs(Files& files, const CacheCommand& command);
Result<DatasetSpec> load_dataset(Files& files, const std::string& name);
Result<LoaderSpec> load_loader(Files& files, const std::string& name);
Result<Network> load_network(Files& files, const std::string& name);
Result<Network> network_of(const FileText& file);

}  // namespace tantalus

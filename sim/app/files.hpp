// The only door to the file system: reads texts with a size limit, finds bare names ("lenet", "h200-sxm") in the data folders,
// and remembers every text so that a diagnostic can show the line it means. Failures are Diagnostics with codes env-no-file,
// env-is-a-folder, env-unreadable, file-too-large and unknown-name; the hint of the last proposes the nearest name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/result.hpp"

namespace tantalus {

/// A text and the name by which messages call its file: as given, or relative to the current folder where it lies below it.
struct FileText {
  std::string file;
  std::string text;
};

/// Where bare names of one sort lie, relative to a data folder, and what to call one.
struct NamePlaces {
  std::string_view word;  // "system"
  std::vector<std::string_view> folders;
  std::string_view schema =
      {};  // when the folder holds other sorts too: how the file's first line begins
};
NamePlaces system_places();   // hw_configs/systems, then hw_configs/devices
NamePlaces device_places();   // hw_configs/devices
NamePlaces network_places();  // models/networks
NamePlaces library_places();  // hw_configs/libraries
NamePlaces stack_places();    // those of hw_configs/libraries that are stacks
NamePlaces dataset_places();  // models/datasets
NamePlaces loader_places();   // hw_configs/loaders
NamePlaces cache_places();    // hw_configs/caches, then those of systems
NamePlaces spec_places();     // all of them

/// Spec files of people are small; tables of measurements are larger.
inline constexpr std::int64_t largest_spec = 4 << 20;
inline constexpr std::int64_t largest_table = 256 << 20;

/// A Diagnostic when a text of `bytes` is past the limit.
std::optional<Diagnostic> too_large_for(std::int64_t bytes, const std::string& file,
                                        std::int64_t limit);

class Files {
 public:
  explicit Files(std::vector<std::string> data_folders);

  /// The file at a path.
  Result<FileText> read(const std::string& path, std::int64_t limit = largest_spec);

  /// What the user calls by a path (it has a folder or an ending) or by a bare name. A name is looked for in `beside` first
  /// when that is not empty (the folder of the file that mentions it).
  Result<FileText> find(const std::string& name, const NamePlaces& places,
                        const std::string& beside = {});

  /// Every bare name of the sort, sorted.
  std::vector<std::string> names(const NamePlaces& places) const;

  /// The text of a file that was read, or "".
  std::string_view text_of(const std::string& file) const;

  /// Keeps a text that did not come from a file, such as a command line, for carets.
  void remember(std::string file, std::string text);

 private:
  std::vector<std::string> data_folders_;
  std::map<std::string, std::string> texts_;
};

/// "hw_configs/devices/t4.yaml" to "t4".
std::string stem_of(const std::string& path);
/// Its folder, or "" for a file of the current folder.
std::string folder_of(const std::string& path);

}  // namespace tantalus

// Reads the kernel catalogues that a device names: each is a file of its own, found by the caller's look-up. A missing file is
// reported at the name in the device file, mistakes inside a catalogue at their own place. Knows no device.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/config/document_header.hpp"
#include "sim/hardware/device_kind.hpp"

namespace tantalus {

/// `tantalus: library/1` with `kind: <kind>`; the kind is taken out of the body.
Result<Document> read_library_document(const DeviceSource& source, const std::string& name,
                                       std::size_t index, std::string_view kind);

/// All of them, or everything that is wrong with any of them. No name at all is an error too: code no-library.
template <class Library>
Result<std::vector<Library>> read_libraries(const DeviceSource& source,
                                            const std::vector<std::string>& names,
                                            std::string_view kind);

Diagnostic no_library(const DeviceSource& source);

template <class Library>
Result<std::vector<Library>> read_libraries(const DeviceSource& source,
                                            const std::vector<std::string>& names,
                                            std::string_view kind) {
  if (names.empty()) return no_library(source);
  std::vector<Library> libraries;
  Diagnostics found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Result<Document> document = read_library_document(source, names[i], i, kind);
    found.insert(found.end(), document.diagnostics().begin(), document.diagnostics().end());
    if (!document) continue;
    Result<Library> library = read_spec<Library>(document->body, reading(*document));
    found.insert(found.end(), library.diagnostics().begin(), library.diagnostics().end());
    if (!library) continue;
    libraries.push_back(std::move(library).value());
    libraries.back().name = names[i];  // reports name the file that was chosen
  }
  if (has_errors(found)) return found;
  return {std::move(libraries), std::move(found)};
}

}  // namespace tantalus

// Reads the kernel catalogues that a device names: each is a file of its own, found by the caller's look-up. A missing file is
// reported at the name in the device file or alias, mistakes inside a catalogue at their own place. An alias is followed to the
// catalogue that answers for the part. Knows no device.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/config/document_header.hpp"
#include "sim/hardware/device_kind.hpp"
#include "sim/hardware/library_alias.hpp"

namespace tantalus {

struct LibraryDocument {
  Document document;  // without its kind
  std::string name;   // of the catalogue that answers: not the alias's
};

/// `tantalus: library/1` with the user's kind, or an alias that leads to one. Code no-library-for-part: the alias has no line
/// for this part.
Result<LibraryDocument> read_library_document(const DeviceSource& source, const std::string& name,
                                              std::size_t index, const LibraryUser& user);

/// All of them, or everything that is wrong with any of them. No name at all is an error too: code no-library.
template <class Library>
Result<std::vector<Library>> read_libraries(const DeviceSource& source,
                                            const std::vector<std::string>& names,
                                            const LibraryUser& user);

Diagnostic no_library(const DeviceSource& source);

template <class Library>
Result<std::vector<Library>> read_libraries(const DeviceSource& source,
                                            const std::vector<std::string>& names,
                                            const LibraryUser& user) {
  if (names.empty()) return no_library(source);
  std::vector<Library> libraries;
  Diagnostics found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Result<LibraryDocument> read = read_library_document(source, names[i], i, user);
    found.insert(found.end(), read.diagnostics().begin(), read.diagnostics().end());
    if (!read) continue;
    Result<Library> library = read_spec<Library>(read->document.body, reading(read->document));
    found.insert(found.end(), library.diagnostics().begin(), library.diagnostics().end());
    if (!library) continue;
    libraries.push_back(std::move(library).value());
    libraries.back().name = read->name;  // reports name the file that answered
  }
  if (has_errors(found)) return found;
  return {std::move(libraries), std::move(found)};
}

}  // namespace tantalus

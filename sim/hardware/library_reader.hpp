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

/// Those of the software's catalogues that are for the user: others, and aliases without an answer for it, are passed over.
std::vector<std::string> usable_preferred(const DeviceSource& source, const LibraryUser& user);

/// All of them, or everything that is wrong with any of them, the software's first. No name at all is an error too: code
/// no-library.
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
  std::vector<std::string> all = usable_preferred(source, user);
  const std::size_t before = all.size();
  all.insert(all.end(), names.begin(), names.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t place =
        i < before ? names.size() : i - before;  // of a name in the device file
    Result<LibraryDocument> read = read_library_document(source, all[i], place, user);
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

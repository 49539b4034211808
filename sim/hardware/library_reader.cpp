#include "sim/hardware/library_reader.hpp"

namespace tantalus {

namespace {

/// The name's own place in the device file; the whole body when it came from elsewhere.
const YamlNode& place_of_name(const YamlNode& body, std::size_t index) {
  const YamlNode* list = body.find("libraries");
  return list != nullptr && index < list->items.size() ? list->items[index] : body;
}

std::string path_of_name(const DeviceSource& source, std::size_t index) {
  const std::string prefix = source.context.path.empty() ? "" : source.context.path + ".";
  return prefix + "libraries." + std::to_string(index);
}

}  // namespace

Diagnostic no_library(const DeviceSource& source) {
  const std::string prefix = source.context.path.empty() ? "" : source.context.path + ".";
  return error_at(source.body, "no-library", prefix + "libraries",
                  "no kernel catalogue is named, so no kernel can be chosen",
                  "add 'libraries:' with the name of a file of hw_configs/libraries");
}

Result<Document> read_library_document(const DeviceSource& source, const std::string& name,
                                       std::size_t index, std::string_view kind) {
  const YamlNode& place = place_of_name(source.body, index);
  const std::string path = path_of_name(source, index);
  Result<DeviceText> text = source.libraries(name);
  if (!text) {
    Diagnostics missing = text.diagnostics();
    for (Diagnostic& one : missing) {
      if (one.where.line != 0) continue;  // the look-up knows the name, we know where it stands
      one.where = place.where;
      one.width = place.width;
      one.path = path;
    }
    return missing;
  }
  Result<Document> document = read_document(text->text, text->file, "library");
  if (!document) return document;
  const YamlNode found = take(document.value().body, "kind");
  if (found.text != kind) {
    return error_at(place, "wrong-library-kind", path,
                    "'" + name + "' is a catalogue for '" + found.text + "', not for '" +
                        std::string(kind) + "'",
                    "name a catalogue with 'kind: " + std::string(kind) + "'");
  }
  return document;
}

}  // namespace tantalus

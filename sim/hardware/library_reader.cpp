#include "sim/hardware/library_reader.hpp"

#include <algorithm>
#include <cstdint>

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

/// The document of a name that stands at `place`.
Result<Document> read_at(const DeviceSource& source, const std::string& name, const YamlNode& place,
                         const std::string& path) {
  Result<DeviceText> text = source.libraries(name);
  if (text) return read_document(text->text, text->file, "library");
  Diagnostics missing = text.diagnostics();
  for (Diagnostic& one : missing) {
    if (one.where.line != 0) continue;  // the look-up knows the name, we know where it stands
    one.where = place.where;
    one.width = place.width;
    one.path = path;
  }
  return missing;
}

Diagnostic wrong_kind(const YamlNode& place, const std::string& path, const std::string& name,
                      const std::string& kind, const LibraryUser& user) {
  const std::string wanted(user.kind);
  return error_at(place, "wrong-library-kind", path,
                  "'" + name + "' is a catalogue for '" + kind + "', not for '" + wanted + "'",
                  "name a catalogue with 'kind: " + wanted + "'");
}

Diagnostic no_answer(const YamlNode& place, const std::string& path, const std::string& name,
                     const LibraryUser& user) {
  const std::string part = user.architecture.empty()
                               ? std::string(user.kind) + " without an architecture"
                               : std::string(user.kind) + " of " + std::string(user.architecture);
  return error_at(place, "no-library-for-part", path,
                  "the alias '" + name + "' names no catalogue for a " + part,
                  "add a line for it to the alias, or name a catalogue");
}

}  // namespace

Diagnostic no_library(const DeviceSource& source) {
  const std::string prefix = source.context.path.empty() ? "" : source.context.path + ".";
  return error_at(source.body, "no-library", prefix + "libraries",
                  "no kernel catalogue is named, so no kernel can be chosen",
                  "add 'libraries:' with the name of a file of hw_configs/libraries");
}

std::vector<std::string> usable_preferred(const DeviceSource& source, const LibraryUser& user) {
  std::vector<std::string> usable;
  for (const std::string& name : source.preferred) {
    const Result<LibraryDocument> read = read_library_document(source, name, SIZE_MAX, user);
    const bool other_part = !read && (read.diagnostics().front().code == "wrong-library-kind" ||
                                      read.diagnostics().front().code == "no-library-for-part");
    if (!other_part) usable.push_back(name);
  }
  return usable;
}

Result<LibraryDocument> read_library_document(const DeviceSource& source, const std::string& name,
                                              std::size_t index, const LibraryUser& user) {
  YamlNode place = place_of_name(source.body, index);
  std::string path = path_of_name(source, index);
  std::vector<std::string> chain = {name};
  while (true) {
    Result<Document> document = read_at(source, chain.back(), place, path);
    if (!document) return document.diagnostics();
    const YamlNode kind = take(document.value().body, "kind");
    if (kind.text == user.kind) return LibraryDocument{std::move(document).value(), chain.back()};
    if (kind.text != "alias") return wrong_kind(place, path, chain.back(), kind.text, user);
    const Result<LibraryAlias> alias = read_spec<LibraryAlias>(document->body, reading(*document));
    if (!alias) return alias.diagnostics();
    const std::size_t line = answer_for(*alias, user);
    if (line == alias->answers.size()) return no_answer(place, path, chain.back(), user);
    place = place_of_answer(document->body, line);
    path = "answers." + std::to_string(line) + ".library";
    const std::string& next = alias->answers[line].library;
    if (std::find(chain.begin(), chain.end(), next) != chain.end())
      return alias_cycle(place, line, chain, next);
    chain.push_back(next);
  }
}

}  // namespace tantalus

// What every file says of itself before its body: `tantalus: device/1` (what it is, and the schema's version),
// `hypothetical:`, `sources:` and `calibration:`. Reading a document takes these four away, so that the body holds the
// fields of a spec and nothing else:
//
//   Result<Document> document = read_document(text, "models/networks/lenet.yaml", "network");
//   Result<NetworkSpec> spec = read_spec<NetworkSpec>(document->body, reading(*document));
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/base/result.hpp"
#include "sim/config/map_reader.hpp"
#include "sim/config/sources.hpp"
#include "sim/config/yaml_document.hpp"

namespace tantalus {

struct Document {
  std::string
      schema;  // "device", "system", "network", "library", "stack", "cache", "tolerances", ...
  bool hypothetical = false;  // impossible values are warnings
  Sources sources;
  YamlNode calibration;  // a map of field paths to measured values, or null
  YamlNode body;         // the root map without the header
  std::string text;      // for carets
};

/// Parses a text and checks its header; `schemas` are the ones welcome here. All versions are 1 today; another version, an
/// unknown schema or none is an error that says what to write.
Result<Document> read_document(std::string_view text, const std::string& file,
                               std::span<const std::string_view> schemas);
Result<Document> read_document(std::string_view text, const std::string& file,
                               std::string_view schema);

/// The same for a tree that is parsed already; `text` is kept for carets.
Result<Document> read_header(YamlNode root, std::string text,
                             std::span<const std::string_view> schemas);

/// How to read the document's body: its hypothetical flag and its sources. The document must outlive the context.
ReadContext reading(const Document& document);

}  // namespace tantalus

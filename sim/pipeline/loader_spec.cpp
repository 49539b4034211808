#include "sim/pipeline/loader_spec.hpp"

#include <utility>

#include "sim/config/document_header.hpp"
#include "sim/config/map_reader.hpp"

namespace tantalus {

Result<LoaderSpec> load_loader(std::string_view text, const std::string& file) {
  Result<Document> document = read_document(text, file, "loader");
  if (!document) return document.diagnostics();
  Result<LoaderSpec> spec = read_spec<LoaderSpec>(document->body, reading(*document));
  if (!spec) return spec.diagnostics();
  Diagnostics warnings = document.diagnostics();
  warnings.insert(warnings.end(), spec.diagnostics().begin(), spec.diagnostics().end());
  return {std::move(spec).value(), std::move(warnings)};
}

}  // namespace tantalus

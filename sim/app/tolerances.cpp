#include "sim/app/tolerances.hpp"

#include <algorithm>

#include "sim/config/document_header.hpp"

namespace tantalus {

namespace {

bool is_missing(const Diagnostics& found) {
  return std::any_of(found.begin(), found.end(),
                     [](const Diagnostic& d) { return d.code == "env-no-file"; });
}

}  // namespace

Result<Tolerances> load_tolerances(Files& files, const std::vector<std::string>& data_folders) {
  for (const std::string& folder : data_folders) {
    const Result<FileText> file = files.read(folder + "/validate/tolerances.yaml");
    if (!file && is_missing(file.diagnostics())) continue;
    if (!file) return file.diagnostics();
    const Result<Document> document = read_document(file->text, file->file, "tolerances");
    if (!document) return document.diagnostics();
    return read_spec<Tolerances>(document->body, reading(*document));
  }
  return Diagnostic{Severity::error,
                    "env-no-file",
                    {},
                    "validate/tolerances.yaml",
                    "no data folder has this file",
                    "name one that has it in TANTALUS_DATA",
                    1};
}

}  // namespace tantalus

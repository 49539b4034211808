#include "sim/config/document_header.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/base/text.hpp"

namespace tantalus {

namespace {

constexpr std::string_view all_schemas[] = {"device", "system",     "network", "library", "stack",
                                            "cache",  "tolerances", "dataset", "loader"};
constexpr std::string_view version = "1";

std::string first_lines(std::span<const std::string_view> schemas) {
  std::string text;
  for (const std::string_view schema : schemas) {
    text += (text.empty() ? "'tantalus: " : " or 'tantalus: ") + std::string(schema) + "/1'";
  }
  return text;
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Diagnostic bad_schema(const YamlNode& node, std::string message,
                      std::span<const std::string_view> schemas) {
  return error_at(node, "bad-schema", "tantalus", std::move(message),
                  "write " + first_lines(schemas));
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> schemas) {
  const std::vector<std::string> words(schemas.begin(), schemas.end());
  const std::string near = closest_word(word, words);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

// What a file says it is: a known word, one that is welcome here, in a version that we read.
Result<std::string> read_schema(const YamlNode& root, std::span<const std::string_view> schemas) {
  const YamlNode* node = root.find("tantalus");
  if (node == nullptr) return bad_schema(root, "the file does not say what it is", schemas);
  if (!node->is_scalar())
    return bad_schema(*node, "expected a word, not " + describe_node(*node), schemas);
  const std::size_t slash = node->text.find('/');
  const std::string word = node->text.substr(0, slash);
  if (!contains(all_schemas, word)) {
    return bad_schema(
        *node, describe_node(*node) + " is no kind of file" + did_you_mean(word, all_schemas),
        schemas);
  }
  if (!contains(schemas, word)) {
    return bad_schema(*node, "this is a " + word + " file, which does not belong here", schemas);
  }
  if (slash == std::string::npos || node->text.substr(slash + 1) != version) {
    return bad_schema(*node, describe_node(*node) + " is not a version that this program reads",
                      schemas);
  }
  return word;
}

void append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
}

bool read_hypothetical(const YamlNode& node, Diagnostics& errors) {
  if (is_absent(node)) return false;
  const bool is_word = node.is_scalar() && !node.quoted;
  if (is_word && node.text == "true") return true;
  if (!is_word || node.text != "false") {
    errors.push_back(error_at(node, "bad-type", "hypothetical",
                              "expected true or false, not " + describe_node(node),
                              "write true or false, without quotes"));
  }
  return false;
}

}  // namespace

Result<Document> read_header(YamlNode root, std::string text,
                             std::span<const std::string_view> schemas) {
  if (!root.is_map()) {
    return error_at(root, "bad-type", "", "expected a map of fields, not " + describe_node(root),
                    "begin with " + first_lines(schemas));
  }
  Diagnostics errors;
  Document document;
  Result<std::string> schema = read_schema(root, schemas);
  if (schema.ok()) {
    document.schema = *schema;
  } else {
    append(errors, schema.diagnostics());
  }
  take(root, "tantalus");
  document.hypothetical = read_hypothetical(take(root, "hypothetical"), errors);
  Result<Sources> sources = Sources::from_yaml(take(root, "sources"));
  if (sources.ok()) {
    document.sources = *sources;
  } else {
    append(errors, sources.diagnostics());
  }
  document.calibration = take(root, "calibration");
  document.body = std::move(root);
  document.text = std::move(text);
  if (!errors.empty()) return errors;
  return document;
}

Result<Document> read_document(std::string_view text, const std::string& file,
                               std::span<const std::string_view> schemas) {
  Result<YamlDocument> yaml = parse_yaml(text, file);
  if (!yaml.ok()) return yaml.diagnostics();
  YamlDocument parsed = std::move(yaml).value();
  return read_header(std::move(parsed.root), std::move(parsed.text), schemas);
}

Result<Document> read_document(std::string_view text, const std::string& file,
                               std::string_view schema) {
  return read_document(text, file, std::span(&schema, 1));
}

ReadContext reading(const Document& document) {
  ReadContext context;
  context.hypothetical = document.hypothetical;
  context.sources = &document.sources;
  return context;
}

}  // namespace tantalus

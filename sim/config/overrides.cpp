#include "sim/config/overrides.hpp"

#include <utility>

#include "sim/config/yaml_document.hpp"

namespace tantalus {

namespace {

const SourcePos command_line{"--set", 0, 0};

Diagnostic bad_override(std::string_view argument, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = "bad-override";
  diagnostic.where = command_line;
  diagnostic.message = "'" + std::string(argument) + "' " + std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

// The command line has no lines: everything in the value stands at "--set".
void stand_at_command_line(YamlNode& node) {
  node.where = command_line;
  for (YamlNode& item : node.items) stand_at_command_line(item);
  for (YamlEntry& entry : node.entries) {
    entry.where = command_line;
    stand_at_command_line(entry.value);
  }
}

}  // namespace

Result<Override> parse_override(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return bad_override(argument, "is not PATH=VALUE", "write --set gpu0.sm.count=264");
  }
  Override parsed;
  parsed.path = std::string(argument.substr(0, equals));
  Result<YamlDocument> value = parse_yaml(argument.substr(equals + 1), "--set");
  if (!value.ok()) {
    const Diagnostic& why = value.diagnostics().front();
    const bool empty = why.code == "empty-file";
    return bad_override(argument, empty ? "has no value" : "has a value that is " + why.message,
                        "write --set gpu0.sm.count=264");
  }
  parsed.value = std::move(value).value().root;
  stand_at_command_line(parsed.value);
  mark_writer(parsed.value, YamlNode::Writer::override);
  return parsed;
}

Result<std::vector<Override>> overrides_of(const YamlNode& block, YamlNode::Writer writer,
                                           const std::string& shown_path) {
  std::vector<Override> overrides;
  if (is_absent(block)) return overrides;
  if (!block.is_map()) {
    return error_at(block, "bad-type", shown_path,
                    "expected a map of field paths to values, not " + describe_node(block),
                    "write lines such as 'clock.boost: 1.9 GHz' below it");
  }
  for (const YamlEntry& entry : block.entries) {
    Override next{entry.key, entry.value};
    mark_writer(next.value, writer);
    overrides.push_back(std::move(next));
  }
  return overrides;
}

Diagnostics apply(YamlNode& body, const std::vector<Override>& overrides,
                  const std::string& shown_prefix) {
  Diagnostics errors;
  for (const Override& next : overrides) {
    for (Diagnostic& error : set_path(body, next.path, next.value)) {
      error.path = shown_prefix + error.path;
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

}  // namespace tantalus

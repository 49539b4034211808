// Any text as YAML and as a machine: no crash, no hang, and every complaint has a place inside the text. A part that says
// `use:` gets a small device, so that overrides and calibrations are reached too.
#include <algorithm>

#include "sim/config/document_header.hpp"
#include "sim/config/system_spec.hpp"
#include "sim/config/yaml_document.hpp"
#include "tests/fuzz/laws.hpp"

namespace {

using tantalus::Diagnostics;

const std::string fuzz_file = "fuzz.yaml";

Diagnostics placed_in_the_text(const Diagnostics& all) {
  Diagnostics mine;
  for (const tantalus::Diagnostic& diagnostic : all) {
    if (diagnostic.where.file == fuzz_file) {
      mine.push_back(diagnostic);
    }
  }
  return mine;
}

bool alike(const tantalus::YamlNode& one, const tantalus::YamlNode& other);

bool alike(const tantalus::YamlEntry& one, const tantalus::YamlEntry& other) {
  return one.key == other.key && one.where == other.where && one.width == other.width &&
         alike(one.value, other.value);
}

bool alike(const tantalus::YamlNode& one, const tantalus::YamlNode& other) {
  const auto same = [](const auto& a, const auto& b) { return alike(a, b); };
  return one.kind == other.kind && one.quoted == other.quoted && one.where == other.where &&
         one.width == other.width && one.written_line == other.written_line &&
         one.text == other.text && std::ranges::equal(one.items, other.items, same) &&
         std::ranges::equal(one.entries, other.entries, same);
}

// The quick reader of plain texts is no other language.
void require_read_alike(const tantalus::Result<tantalus::YamlDocument>& quick,
                        const tantalus::Result<tantalus::YamlDocument>& whole) {
  tantalus::fuzz::require(quick.ok() == whole.ok() && quick.diagnostics() == whole.diagnostics() &&
                              (!quick.ok() || alike(quick->root, whole->root)),
                          "the plain reader and the whole parser agree");
}

tantalus::Result<tantalus::DeviceText> small_device(const std::string& stem) {
  return tantalus::DeviceText{
      stem + ".yaml",
      "tantalus: device/1\nkind: gpu\nname: small\nsources: {\"*\": made up}\n"
      "sm: {count: 2}\nclock: {boost: 1 GHz}\n"
      "calibration: {clock.sustained: 900 MHz}\n"};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text = tantalus::fuzz::text_of(data, size);

  const auto document = tantalus::parse_yaml(text, fuzz_file);
  tantalus::fuzz::require_placed(document.diagnostics(), text);
  require_read_alike(document, tantalus::parse_any_yaml(text, fuzz_file));

  tantalus::SystemLoad load;
  load.look_up = small_device;
  const auto system = tantalus::load_system_text(text, fuzz_file, load);
  tantalus::fuzz::require(document.ok() || !system.ok(), "bad YAML is no machine");
  tantalus::fuzz::require_placed(placed_in_the_text(system.diagnostics()), text);
  return 0;
}

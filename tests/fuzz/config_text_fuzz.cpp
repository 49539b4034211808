// Any text as YAML and as a machine: no crash, no hang, and every complaint has a place inside the text. A part that says
// `use:` gets a small device, so that overrides and calibrations are reached too.
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

  tantalus::SystemLoad load;
  load.look_up = small_device;
  const auto system = tantalus::load_system_text(text, fuzz_file, load);
  tantalus::fuzz::require(document.ok() || !system.ok(), "bad YAML is no machine");
  tantalus::fuzz::require_placed(placed_in_the_text(system.diagnostics()), text);
  return 0;
}

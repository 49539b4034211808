#include "sim/app/detected_files.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "sim/app/spec_file.hpp"
#include "sim/base/units_text.hpp"
#include "sim/report/numbers.hpp"

namespace tantalus {

namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return result + "\"";
}

// A field "l3.latency" stands in section "l3"; fields without a section come first.
using Sections = std::map<std::string, std::vector<const DetectedNumber*>>;

Sections sections_of(const DetectedMachine& machine) {
  Sections sections;
  for (const DetectedNumber& n : machine.numbers) {
    if (n.file != "device") continue;
    const std::size_t dot = n.field.find('.');
    sections[dot == std::string::npos ? "" : n.field.substr(0, dot)].push_back(&n);
  }
  return sections;
}

std::string key_of(const DetectedNumber& n) { return n.field.substr(n.field.find('.') + 1); }

std::string value_of(const DetectedNumber& n) {
  return n.field == "name" ? quoted(n.value) : n.value;
}

std::string note(const std::string& name, const std::string& value) {
  return "#   " + name + ": " + value + "\n";
}

std::string notes_of(const DetectedMachine& machine) {
  std::string text;
  for (const auto& [name, value] : machine.state) text += note(name, value);
  for (const DetectedNumber& n : machine.numbers) {
    if (n.file == "note") text += note(n.field, n.value + " (" + source_of(n) + ")");
  }
  return text;
}

// "  loops.simple: override" becomes the measured source; the catalogue's own ones stay.
std::string with_sources(std::string text, const DetectedMachine& machine,
                         const std::string& library) {
  for (const DetectedNumber& n : machine.numbers) {
    if (n.file != library) continue;
    const std::string line = "\n  " + n.field + ": override\n";
    const std::size_t at = text.find(line);
    if (at == std::string::npos) continue;
    text.replace(at, line.size(), "\n  " + n.field + ": " + quoted(source_of(n)) + "\n");
  }
  return text;
}

}  // namespace

std::string DetectedMachine::state_of(const std::string& name) const {
  for (const auto& [key, value] : state) {
    if (key == name) return value;
  }
  return "unknown";
}

DetectedMachine machine_of(const std::vector<std::vector<std::string>>& rows) {
  DetectedMachine machine;
  for (const std::vector<std::string>& row : rows) {
    if (row.size() == 3 && row[0] == "machine") machine.state.emplace_back(row[1], row[2]);
    if (row.size() != 7 || row[0] != "value") continue;
    machine.numbers.push_back(
        {row[1], row[2], row[3], parse_number(row[4]).value.value_or(0.0), row[5], row[6]});
  }
  return machine;
}

std::string source_of(const DetectedNumber& n) {
  std::string text = n.mark;
  if (n.mark == "measured") text += ", spread " + percent_text(n.spread);
  return text + ": " + n.how;
}

std::string base_catalogue(const DetectedMachine& machine, const std::string& library) {
  const std::string chosen = machine.state_of(library);
  if (library == "onednn") return contains(chosen, "AVX-512") ? "onednn-avx512" : "onednn-avx2";
  // OpenBLAS names its kernels after processors.
  for (const char* wide : {"SkylakeX", "Cooperlake", "SapphireRapids"}) {
    if (contains(chosen, wide)) return "openblas-avx512";
  }
  return "openblas-avx2";
}

std::string device_text(const DetectedMachine& machine, const std::string& stem) {
  const Sections sections = sections_of(machine);
  std::string text =
      "# This machine as `tantalus detect` found it. Further numbers, which have no field, and its "
      "state at that time:\n" +
      notes_of(machine) + "tantalus: device/1\nkind: cpu\n";
  std::string body,
      sources = "sources:\n  libraries: " + quoted("inferred: what the host program runs") + "\n";
  for (const auto& [section, numbers] : sections) {
    if (!section.empty()) body += section + ":\n";
    for (const DetectedNumber* n : numbers) {
      if (n->field == "name") {
        text += "name: " + value_of(*n) + "\n";
        continue;
      }
      body += (section.empty() ? "" : "  ") + key_of(*n) + ": " + value_of(*n) + "\n";
      sources += "  " + n->field + ": " + quoted(source_of(*n)) + "\n";
    }
  }
  return text + sources + body + "libraries: [" + stem + "-onednn, " + stem + "-openblas]\n";
}

Result<std::string> library_text(Files& files, const DetectedMachine& machine,
                                 const std::string& library) {
  const Result<FileText> base = files.find(base_catalogue(machine, library), library_places());
  if (!base) return base.diagnostics();
  std::vector<std::string> overrides{"name=" +
                                     quoted(machine.state_of(library) + ", measured here")};
  for (const DetectedNumber& n : machine.numbers) {
    if (n.file == library) overrides.push_back(n.field + "=" + n.value);
  }
  const Result<std::string> text = show_spec(files, *base, Knowledge::all, overrides);
  if (!text) return text.diagnostics();
  return with_sources(*text, machine, library);
}

Result<std::vector<std::pair<std::string, std::string>>> detected_files(
    Files& files, const DetectedMachine& machine, const std::string& stem) {
  std::vector<std::pair<std::string, std::string>> texts;
  texts.emplace_back(stem + ".yaml", device_text(machine, stem));
  for (const std::string library : {"onednn", "openblas"}) {
    const Result<std::string> text = library_text(files, machine, library);
    if (!text) return text.diagnostics();
    texts.emplace_back(stem + "-" + std::string(library).append(".yaml"), *text);
  }
  return texts;
}

}  // namespace tantalus

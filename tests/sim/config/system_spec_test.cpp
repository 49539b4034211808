#include "sim/config/system_spec.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/quantity_text.hpp"
#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

const char* const toy_device =
    "tantalus: device/1\n"
    "kind: gpu\n"
    "name: Toy\n"
    "sources: {\"*\": data sheet}\n"
    "sm: {count: 8}\n"
    "clock: {boost: 1 GHz}\n"
    "calibration: {clock.sustained: 900 MHz}\n";

SystemLoad toy_load(std::vector<std::string> sets = {}) {
  SystemLoad load;
  load.look_up = [](const std::string& stem) -> Result<DeviceText> {
    if (stem == "toy") return DeviceText{"toy.yaml", toy_device};
    if (stem == "broken") return DeviceText{"broken.yaml", "tantalus: device/9\n"};
    return unknown_device(stem, {"toy", "broken"});
  };
  for (const std::string& set : sets) load.sets.push_back(*parse_override(set));
  return load;
}

Result<SystemSpec> load(const std::string& text, std::vector<std::string> sets = {}) {
  return load_system_text("tantalus: system/1\n" + text, "sys.yaml", toy_load(std::move(sets)));
}

SystemSpec loaded(const std::string& text, std::vector<std::string> sets = {}) {
  Result<SystemSpec> system = load(text, std::move(sets));
  const std::string printed = all_rendered(system.diagnostics());
  INFO(printed);
  REQUIRE(system.ok());
  return *system;
}

Diagnostic only(const std::string& text, std::vector<std::string> sets = {}) {
  const Result<SystemSpec> system = load(text, std::move(sets));
  const std::string printed = all_rendered(system.diagnostics());
  INFO(printed);
  REQUIRE(system.diagnostics().size() == 1);
  return system.diagnostics().front();
}

std::string value(const SystemSpec& system, const std::string& id, const std::string& path) {
  const YamlNode* node = find_path(system.parts[*system.find_part(id)].body, path);
  return node == nullptr ? "absent" : node->text;
}

std::vector<std::string> joined(const SystemSpec& system) {
  std::vector<std::string> pairs;
  for (const LinkPlan& link : system.links) {
    pairs.push_back(system.parts[link.a].id + "-" + system.parts[link.b].id);
  }
  return pairs;
}

using Words = std::vector<std::string>;

TEST_CASE("a part uses a device file by its stem, and set: overrides fields by path") {
  const SystemSpec system =
      loaded("name: Two\nparts:\n  a: {use: toy}\n  b: {use: toy, set: {clock.boost: 2 GHz}}\n");

  CHECK(system.name == "Two");
  REQUIRE(system.parts.size() == 2);
  CHECK(system.parts[0].kind == "gpu");
  CHECK(system.parts[0].device == "toy");
  CHECK(value(system, "a", "clock.boost") == "1 GHz");
  CHECK(value(system, "b", "clock.boost") == "2 GHz");
  CHECK(system.parts[1].body.find("kind") == nullptr);
  CHECK(system.parts[0].sources.of("sm.count") == "data sheet");
}

TEST_CASE("fields beside use: override those of the device") {
  const SystemSpec system = loaded("parts: {a: {use: toy, sm: {count: 4}}}\n");

  CHECK(value(system, "a", "sm.count") == "4");
}

TEST_CASE("calibration is applied over the data sheet and below set:, unless it is left out") {
  const std::string text =
      "parts: {a: {use: toy, set: {clock.sustained: 800 MHz}}, b: {use: toy}}\n";
  const SystemSpec system = loaded(text);
  SystemLoad sheet_only = toy_load();
  sheet_only.use_calibration = false;
  const auto sheet = load_system_text("tantalus: system/1\n" + text, "sys.yaml", sheet_only);

  CHECK(value(system, "a", "clock.sustained") == "800 MHz");
  CHECK(value(system, "b", "clock.sustained") == "900 MHz");
  CHECK(system.parts[1].calibrated);
  CHECK(value(*sheet, "b", "clock.sustained") == "absent");
  CHECK_FALSE(sheet->parts[1].calibrated);
}

TEST_CASE("a range makes as many parts") {
  const SystemSpec system = loaded("parts:\n  gpu[0-3]: {use: toy}\n");

  REQUIRE(system.parts.size() == 4);
  CHECK(system.parts[3].id == "gpu3");
}

TEST_CASE("a part may be written in place, with its own sources") {
  const SystemSpec system = loaded(
      "hypothetical: true\nsources: {a.sm: a paper}\nparts:\n  a: {kind: gpu, sm: {count: 3}}\n");

  CHECK(system.parts[0].device.empty());
  CHECK(system.parts[0].hypothetical);
  CHECK(system.parts[0].sources.of("sm.count") == "a paper");
  CHECK(value(system, "a", "sm.count") == "3");
}

TEST_CASE("a link joins two parts, fans out from one to a range, and pairs up two ranges") {
  const std::string parts =
      "parts:\n  c: {use: toy}\n  g[0-2]: {use: toy}\n  n[0-2]: {use: toy}\nlinks:\n";
  const std::string pcie = "pcie: {generation: 4, lanes: 16}}\n";

  CHECK(joined(loaded(parts + "  - {join: [c, g0], " + pcie)) == Words{"c-g0"});
  CHECK(joined(loaded(parts + "  - {join: [c, \"g[0-2]\"], " + pcie)) ==
        Words{"c-g0", "c-g1", "c-g2"});
  CHECK(joined(loaded(parts + "  - {join: [\"g[0-2]\", \"n[0-2]\"], " + pcie)) ==
        Words{"g0-n0", "g1-n1", "g2-n2"});
}

TEST_CASE("a range joined with itself joins every pair once") {
  const SystemSpec system = loaded(
      "parts: \n  g[0-2]: {use: toy}\nlinks:\n"
      "  - {join: [\"g[0-2]\", \"g[0-2]\"], nvlink: {links: 4, per_link: 25 GB/s}}\n");

  CHECK(joined(system) == Words{"g0-g1", "g0-g2", "g1-g2"});
  CHECK(system.links[0].nvlink->per_link == Bandwidth{25'000'000'000});
  CHECK(system.links[0].path == "links.0");
  CHECK(system.links[0].where.line == 5);
}

TEST_CASE("a link that cannot be made is refused at its line") {
  const std::string parts = "parts:\n  g[0-2]: {use: toy}\n  n[0-1]: {use: toy}\nlinks:\n";
  const std::string pcie = "pcie: {generation: 4, lanes: 16}}\n";

  CHECK(only(parts + "  - {join: [g0, g0], " + pcie).code == "bad-link");
  CHECK(only(parts + "  - {join: [g0], " + pcie).code == "bad-link");
  CHECK(only(parts + "  - {join: [\"g[0-2]\", \"n[0-1]\"], " + pcie).code == "bad-link");
  CHECK(only(parts + "  - {join: [g0, g1]}\n").code == "bad-link");
  CHECK(only(parts + "  - {join: [g0, g1], nvlink: {links: 1}, " + pcie).code == "bad-link");
  CHECK(only(parts + "  - {join: [g0, g1], " + pcie + "  - {join: [g1, g0], " + pcie).code ==
        "bad-link");
  CHECK(only(parts + "  - {join: [g0, gg1], " + pcie).hint == "did you mean 'g1'?");
  CHECK(only(parts + "  - {join: [g0, \"g[2-0]\"], " + pcie).code == "bad-range");
}

TEST_CASE("a link of a generation or width that PCI Express does not have is refused") {
  const std::string head = "parts:\n  g[0-1]: {use: toy}\nlinks:\n  - {join: [g0, g1], pcie: ";

  CHECK(only(head + "{generation: 9, lanes: 16}}\n").code == "out-of-range");
  CHECK(only(head + "{generation: 4, lanes: 12}}\n").code == "bad-lanes");
  CHECK(only(head + "{generation: 4, lanes: 0}}\n").code == "out-of-range");
  CHECK(only("hypothetical: true\n" + head + "{generation: 9, lanes: 16}}\n").severity ==
        Severity::warning);
}

TEST_CASE("--set addresses a part by its id, several by a range, and the host by its name") {
  const std::string text = "host: {a: 1}\nparts:\n  g[0-2]: {use: toy}\n";

  CHECK(value(loaded(text, {"g1.sm.count=9"}), "g1", "sm.count") == "9");
  CHECK(value(loaded(text, {"g1.sm.count=9"}), "g0", "sm.count") == "8");
  CHECK(value(loaded(text, {"g[0-1].sm.count=9"}), "g0", "sm.count") == "9");
  CHECK(value(loaded(text, {"g[0-1].sm.count=9"}), "g2", "sm.count") == "8");
  CHECK(loaded(text, {"host.a=2"}).host.find("a")->text == "2");
  CHECK(loaded(text, {"hypothetical=true"}).parts[0].hypothetical);
}

TEST_CASE("--set with an unknown part is told the nearest one") {
  const Diagnostic d = only("parts: {gpu0: {use: toy}, gpu1: {use: toy}}\n", {"gpuu0.sm.count=9"});

  CHECK(d.code == "unknown-part");
  CHECK(d.where.file == "--set");
  CHECK(d.hint == "did you mean 'gpu0'?");
}

TEST_CASE("a device file alone is a system of one part, called by its kind") {
  const auto system =
      load_system_text(toy_device, "toy.yaml", toy_load({"sm.count=9", "gpu0.a.b=1"}));

  REQUIRE(system.ok());
  REQUIRE(system->parts.size() == 1);
  CHECK(system->parts[0].id == "gpu0");
  CHECK(system->name == "Toy");
  CHECK(value(*system, "gpu0", "sm.count") == "9");
  CHECK(value(*system, "gpu0", "a.b") == "1");
}

TEST_CASE("a device that is not found, or is broken, is reported once however often it is used") {
  const Diagnostic unknown = only("parts: {a: {use: tyo}, b: {use: tyo}}\n");
  CHECK(unknown.code == "unknown-device");
  CHECK(unknown.path == "parts.a.use");
  CHECK(unknown.hint == "did you mean 'toy'?");
  const Diagnostic broken = only("parts: {a: {use: broken}, b: {use: broken}}\n");
  CHECK(broken.code == "bad-schema");
  CHECK(broken.where.file == "broken.yaml");
}

TEST_CASE("two parts of one id, a bad id and a bad range are refused") {
  CHECK(only("parts:\n  gpu[0-2]: {use: toy}\n  gpu1: {use: toy}\n").code == "duplicate-part");
  CHECK(only("parts:\n  a.b: {use: toy}\n").code == "bad-range");
  CHECK(only("parts:\n  g[a-b]: {use: toy}\n").code == "bad-range");
  CHECK(only("parts:\n  g[0-9999999]: {use: toy}\n").code == "bad-range");
  CHECK(only("parts:\n  g[0-99999999999999999999999]: {use: toy}\n").code == "bad-range");
}

TEST_CASE("a part without use: or kind:, and a system without parts, say what to write") {
  CHECK(only("parts: {a: {sm: 1}}\n").path == "parts.a.kind");
  CHECK(only("parts: {a: toy}\n").code == "bad-type");
  CHECK(only("name: x\n").path == "parts");
  CHECK(only("parts: [a]\n").code == "bad-type");
}

TEST_CASE("an unknown key of a system file is told the nearest one") {
  CHECK(only("prats: 1\nparts: {a: {use: toy}}\n").hint == "did you mean 'parts'?");
}

TEST_CASE("a source of a system names a part, links or host") {
  CHECK(only("sources: {gpu0.sm: x}\nparts: {a: {use: toy}}\n").code == "unknown-source-path");
  CHECK(loaded("sources: {\"*\": x, links: y, host.a: z}\nparts: {a: {use: toy}}\n")
            .host_sources.of("a") == "z");
}

TEST_CASE("ten mistakes of a system file are ten diagnostics") {
  const Result<SystemSpec> system = load(
      "nme: x\n"
      "hypothetical: yes\n"
      "parts:\n"
      "  a: {use: toy}\n");
  CHECK(codes_of(system.diagnostics()) == "bad-type");  // the header is read first

  const Result<SystemSpec> ten = load(
      "nme: x\n"
      "parts:\n"
      "  a: {use: toy}\n"
      "  b: {use: tyo}\n"
      "  c: toy\n"
      "  d: {use: [toy]}\n"
      "  e[3-1]: {use: toy}\n"
      "  f: {use: toy, set: {sm.count.x: 1}}\n"
      "links:\n"
      "  - {join: [a, f], pcie: {generation: 9, lanes: 16}}\n"
      "  - {join: [a, x], pcie: {generation: 4, lanes: 16}}\n"
      "  - {jion: [a, f], pcie: {generation: 4, lanes: 16}}\n"
      "  - {join: [a, a], pcie: {generation: 4, lanes: 16}}\n");

  CHECK(codes_of(ten.diagnostics()) ==
        "unknown-key unknown-device bad-type bad-type bad-range bad-path out-of-range unknown-part "
        "unknown-key bad-link");
}

TEST_CASE("a system of nine parts loads in milliseconds") {
  const auto start = std::chrono::steady_clock::now();

  loaded("parts:\n  gpu[0-7]: {use: toy}\n  cpu: {use: toy}\n");

  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500));
}

}  // namespace
}  // namespace tantalus

#include "sim/hardware/library_alias.hpp"

#include <map>

#include <doctest/doctest.h>

#include "sim/hardware/gpu_library.hpp"
#include "sim/hardware/library_reader.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {

namespace {

const std::string alias_header = "tantalus: library/1\nkind: alias\nanswers:\n";

/// Catalogues by name, and a device file that asks for "wanted".
struct Shelf {
  std::map<std::string, std::string> texts;

  LibraryLookup look_up() const {
    return [this](const std::string& name) -> Result<DeviceText> {
      const auto found = texts.find(name);
      if (found == texts.end()) {
        Diagnostic missing;
        missing.code = "unknown-name";
        missing.message = "there is no library '" + name + "'";
        return missing;
      }
      return DeviceText{name + ".yaml", found->second};
    };
  }

  Result<std::vector<GpuLibrary>> read(const LibraryUser& user) const {
    const Result<YamlDocument> device = parse_yaml("libraries: [wanted]\n", "part.yaml");
    const LibraryLookup libraries = look_up();
    const DeviceSource source{device->root, {}, libraries};
    return read_libraries<GpuLibrary>(source, {"wanted"}, user);
  }

  Diagnostics checked(const std::string& name) const {
    Result<Document> document = read_document(texts.at(name), name + ".yaml", "library");
    take(document.value().body, "kind");
    return mistakes_of_alias(*document, name, look_up());
  }
};

Shelf shelf(const std::string& answers) {
  Shelf shelf;
  shelf.texts["wanted"] = alias_header + answers;
  shelf.texts["old"] = read_text("hw_configs/libraries/cuda-legacy.yaml");
  shelf.texts["new"] = read_text("hw_configs/libraries/cuda-generic.yaml");
  return shelf;
}

}  // namespace

TEST_CASE("an alias is answered by its first line for the part, and the answer has the real name") {
  const Shelf shelf = test::shelf(
      "  - {library: old, architectures: [sm_20, sm_35]}\n  - {library: new, device: gpu}\n");
  CHECK(shelf.read({"gpu", "sm_35"}).value().front().name == "old");
  CHECK(shelf.read({"gpu", "sm_80"}).value().front().name == "new");
  CHECK(shelf.read({"gpu", ""}).value().front().name == "new");
}

TEST_CASE("an alias may lead to another") {
  Shelf shelf = test::shelf("  - {library: middle}\n");
  shelf.texts["middle"] = alias_header + "  - {library: old}\n";
  CHECK(shelf.read({"gpu", "sm_35"}).value().front().name == "old");
  CHECK(shelf.checked("wanted").empty());
}

TEST_CASE("an alias without a line for the part is an error at the name that asked") {
  const Shelf shelf = test::shelf("  - {library: old, architectures: [sm_20]}\n");
  const Diagnostics found = shelf.read({"gpu", "sm_80"}).diagnostics();
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == "no-library-for-part");
  CHECK(found[0].where.file == "part.yaml");
  CHECK(found[0].where.line == 1);
  CHECK(found[0].path == "libraries.0");
}

TEST_CASE("an alias of something that is not there is an error at its target") {
  const Shelf shelf = test::shelf("  - {library: old}\n  - {library: nowhere}\n");
  CHECK(shelf.read({"gpu", "sm_80"}).ok());  // the line is not for this part: nothing is missing
  const Diagnostics found = shelf.checked("wanted");
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == "unknown-name");
  CHECK(found[0].where.file == "wanted.yaml");
  CHECK(found[0].where.line == 5);
  CHECK(found[0].path == "answers.1.library");
}

TEST_CASE("aliases that lead back to themselves are an error at the line that closes the circle") {
  Shelf shelf = test::shelf("  - {library: middle}\n");
  shelf.texts["middle"] = alias_header + "  - {library: old, device: cpu}\n  - {library: wanted}\n";
  for (const Diagnostics& found :
       {shelf.read({"gpu", "sm_80"}).diagnostics(), shelf.checked("wanted")}) {
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "alias-cycle");
    CHECK(found[0].where.file == "middle.yaml");
    CHECK(found[0].where.line == 5);
    CHECK(found[0].message.find("wanted -> middle -> wanted") != std::string::npos);
  }
}

TEST_CASE("an alias without lines is an error") {
  const Shelf shelf = test::shelf("  []\n");
  CHECK(shelf.read({"gpu", "sm_80"}).diagnostics().at(0).code == "empty-list");
}

}  // namespace tantalus::test

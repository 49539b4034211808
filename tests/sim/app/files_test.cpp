#include "sim/app/files.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "source_dir.hpp"
#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

namespace {

std::string code_of(const Result<FileText>& result) {
  REQUIRE(!result.ok());
  return result.diagnostics().front().code;
}

}  // namespace

TEST_CASE("a file is remembered under the name that messages call it by") {
  const TemporaryFile file("x.yaml", "hello");
  Files files({});

  const Result<FileText> text = files.read(file.path());

  REQUIRE(text.ok());
  CHECK(text->text == "hello");
  CHECK(files.text_of(text->file) == "hello");
}

TEST_CASE("a missing file, a folder and a device without end are refused") {
  Files files({});
  CHECK(code_of(files.read("/nowhere/x.yaml")) == "env-no-file");
  CHECK(code_of(files.read("/")) == "env-is-a-folder");
  CHECK(code_of(files.read("/dev/zero", 1000)) == "file-too-large");
}

TEST_CASE("a huge file is refused by its size, unread") {
  const TemporaryFile file("huge.yaml", "");
  std::filesystem::resize_file(file.path(), std::uintmax_t{1} << 30);  // sparse: takes no room
  Files files({});

  CHECK(code_of(files.read(file.path())) == "file-too-large");
}

TEST_CASE("a bare name is found in the data folders and an unknown one proposes its neighbour") {
  Files files({TANTALUS_SOURCE_DIR});

  REQUIRE(files.find("lenet", network_places()).ok());
  const Result<FileText> wrong = files.find("alexnett", network_places());
  REQUIRE(!wrong.ok());
  CHECK(wrong.diagnostics().front().code == "unknown-name");
  CHECK(contains(wrong.diagnostics().front().hint, "did you mean 'alexnet'"));
}

TEST_CASE("the name of a family proposes its members") {
  Files files({TANTALUS_SOURCE_DIR});

  const Result<FileText> wrong = files.find("alex", network_places());
  REQUIRE(!wrong.ok());
  CHECK(contains(wrong.diagnostics().front().hint, "names that begin so: alexnet, alexnet-2012"));
}

TEST_CASE("a name is looked for beside the file that mentions it first") {
  const TemporaryFile mine("lenet.yaml", "my own");
  Files files({TANTALUS_SOURCE_DIR});

  const Result<FileText> found = files.find("lenet", network_places(), folder_of(mine.path()));

  REQUIRE(found.ok());
  CHECK(found->text == "my own");
}

TEST_CASE("stacks and libraries share a folder and are told apart") {
  const TemporaryFile stack("plain-stack.yaml", "tantalus: stack/1\n");
  const std::string root = folder_of(stack.path());
  std::filesystem::create_directories(root + "/hw_configs/libraries");
  std::ofstream(root + "/hw_configs/libraries/a.yaml") << "tantalus: stack/1\n";
  std::ofstream(root + "/hw_configs/libraries/b.yaml") << "tantalus: library/1\n";
  const Files files({root});

  CHECK(files.names(stack_places()) == std::vector<std::string>{"a"});
  CHECK(files.names(library_places()) == std::vector<std::string>{"b"});
}

}  // namespace tantalus::testing

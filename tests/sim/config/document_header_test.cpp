#include "sim/config/document_header.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

Diagnostic only(const std::string& text) {
  const Result<Document> document = read_document(text, "test.yaml", "device");
  REQUIRE(document.diagnostics().size() == 1);
  return document.diagnostics().front();
}

TEST_CASE("the header is taken away and the body holds the rest") {
  const Result<Document> document = read_document(
      "tantalus: device/1\nhypothetical: true\nsources: {\"*\": x}\ncalibration: {a: 1}\nkind: "
      "gpu\n",
      "test.yaml", "device");

  REQUIRE(document.ok());
  CHECK(document->schema == "device");
  CHECK(document->hypothetical);
  CHECK(document->sources.of("a") == "x");
  CHECK(document->calibration.find("a") != nullptr);
  REQUIRE(document->body.entries.size() == 1);
  CHECK(document->body.entries[0].key == "kind");
}

TEST_CASE("a file that does not say what it is, is told what to write") {
  const Diagnostic d = only("kind: gpu\n");

  CHECK(d.code == "bad-schema");
  CHECK(d.hint == "write 'tantalus: device/1'");
}

TEST_CASE("a misspelt schema is told the right word, and a later version that it is not read") {
  CHECK(only("tantalus: devise/1\n").message ==
        "'devise/1' is no kind of file; did you mean 'device'?");
  CHECK(only("tantalus: device/2\n").message ==
        "'device/2' is not a version that this program reads");
  CHECK(only("tantalus: device\n").code == "bad-schema");
  CHECK(only("tantalus: [device/1]\n").code == "bad-schema");
}

TEST_CASE("a file of another kind is told that it does not belong here") {
  CHECK(only("tantalus: network/1\n").message ==
        "this is a network file, which does not belong here");
}

TEST_CASE("hypothetical is true or false") {
  CHECK(only("tantalus: device/1\nhypothetical: maybe\n").code == "bad-type");
  CHECK_FALSE(
      read_document("tantalus: device/1\nhypothetical: false\n", "x", "device")->hypothetical);
}

TEST_CASE("sources are a map of texts") {
  CHECK(only("tantalus: device/1\nsources: data sheet\n").path == "sources");
  CHECK(only("tantalus: device/1\nsources: {a: [1]}\n").path == "sources.a");
}

TEST_CASE("a file that is not a map is refused") { CHECK(only("[1, 2]\n").code == "bad-type"); }

}  // namespace
}  // namespace tantalus

#include "sim/hardware/gpu_library.hpp"

#include <doctest/doctest.h>

#include "sim/config/spec_writer.hpp"
#include "sim/hardware/architectures.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"
#include "tests/sim/hardware/recording_checker.hpp"

namespace tantalus::test {

namespace {

constexpr const char* catalogues[] = {"cuda-12",         "cuda-generic", "cuda-hopper",
                                      "cuda-legacy",     "caffe-im2col", "rocm-generic",
                                      "tantalus-kernels"};

RecordingChecker checked(const GpuLibrary& library) {
  RecordingChecker checker;
  check(library, checker);
  return checker;
}

}  // namespace

TEST_CASE("every GPU catalogue loads without a word and names a source for every value") {
  for (const char* stem : catalogues) {
    const std::string path = std::string("hw_configs/libraries/") + stem + ".yaml";
    Result<Document> document = read_document(read_text(path), path, "library");
    REQUIRE(document.ok());
    take(document.value().body, "kind");
    Origins origins;
    ReadContext context = reading(*document);
    context.origins = &origins;
    const Result<GpuLibrary> library = read_spec<GpuLibrary>(document->body, context);
    INFO(stem, ": ", why(library.diagnostics()));
    CHECK(library.ok());
    CHECK(library.diagnostics().empty());
    for (const auto& origin : origins) {
      INFO(origin.first);
      CHECK(origin.second.kind != Origin::Kind::unsourced);
    }
  }
}

TEST_CASE("a GPU catalogue written back and read again is the same text") {
  for (const char* stem : catalogues) {
    const std::string once = write_spec(read_gpu_library(stem).value());
    const Result<Document> document =
        read_document("tantalus: library/1\n" + once, stem, "library");
    REQUIRE(document.ok());
    const Result<GpuLibrary> again = read_spec<GpuLibrary>(document->body, reading(*document));
    REQUIRE(again.ok());
    CHECK(write_spec(again.value()) == once);
  }
}

TEST_CASE("catalogues of no library in particular call themselves generic") {
  CHECK(read_gpu_library("cuda-generic")->generic);
  CHECK_FALSE(read_gpu_library("caffe-im2col")->generic);
}

TEST_CASE("generations are known by the names that compilers give them") {
  for (const char* word : {"sm_20", "sm_120", "gfx90a", "gfx1100"})
    CHECK(is_gpu_architecture(word));
  for (const char* word : {"", "sm_", "sm80", "gfx", "sm_90a", "volta"})
    CHECK_FALSE(is_gpu_architecture(word));
}

TEST_CASE("number formats are known by their words") {
  DType type{};
  CHECK(type_from_word("bf16", type));
  CHECK(type == DType::bf16);
  CHECK_FALSE(type_from_word("fp12", type));
  CHECK_FALSE(type_from_word("int64", type));
}

TEST_CASE("a catalogue that could never run says why") {
  const struct {
    const char* expected;
    void (*spoil)(GpuLibrary&);
  } cases[] = {
      {"contradictory unknown-number-format gemm.0.types",
       [](GpuLibrary& l) { l.gemm[0].types = {"fp12"}; }},
      {"contradictory empty-list gemm.1.types", [](GpuLibrary& l) { l.gemm[1].types.clear(); }},
      {"contradictory empty-list gemm.0.tiles", [](GpuLibrary& l) { l.gemm[0].tiles.clear(); }},
      {"contradictory cannot-run gemm.0.tiles.1",
       [](GpuLibrary& l) { l.gemm[0].tiles[1].efficiency = Fraction{0.0}; }},
      {"contradictory unknown-architecture gemm.0.architectures",
       [](GpuLibrary& l) { l.gemm[0].architectures = {"sm80"}; }},
      {"contradictory unknown-architecture convolution.1.architectures",
       [](GpuLibrary& l) { l.convolution[1].architectures = {"turing"}; }},
      {"contradictory unknown-word gemm.0.operands",
       [](GpuLibrary& l) { l.gemm[0].operands = {"xn"}; }},
      {"contradictory cannot-run gemm.0.splits", [](GpuLibrary& l) { l.gemm[0].splits = {0}; }},
      {"contradictory cannot-run convolution.0.per_image",
       [](GpuLibrary& l) { l.convolution[0].per_image = true; }},
      {"contradictory cannot-run convolution.0",
       [](GpuLibrary& l) { l.convolution[0].forward = 0.0; }},
      {"contradictory cannot-run rows.0", [](GpuLibrary& l) { l.rows[0].reads = 0; }},
      {"contradictory cannot-run pooling.kernel",
       [](GpuLibrary& l) { l.pooling.kernel.threads = 0; }},
  };
  for (const auto& c : cases) {
    GpuLibrary library = read_gpu_library("cuda-generic").value();
    c.spoil(library);
    INFO(c.expected);
    CHECK(checked(library).has(c.expected));
  }
}

}  // namespace tantalus::test

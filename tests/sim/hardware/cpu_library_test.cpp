#include "sim/hardware/cpu_library.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/cpu_fixture.hpp"
#include "tests/sim/hardware/recording_checker.hpp"

namespace tantalus::test {

namespace {

RecordingChecker checked(const CpuLibrary& library) {
  RecordingChecker checker;
  check(library, checker);
  return checker;
}

}  // namespace

TEST_CASE("every CPU catalogue loads without a word") {
  for (const char* stem : {"generic-cpu", "mkl-avx2-haswell", "onednn-avx2", "onednn-avx512",
                           "openblas-avx2-haswell", "openblas-avx512"}) {
    const Result<CpuLibrary> library = read_library(stem);
    INFO(stem, ": ", why(library.diagnostics()));
    CHECK(library.ok());
    CHECK(library.diagnostics().empty());
  }
}

TEST_CASE("only the generic catalogue calls itself generic") {
  CHECK(read_library("generic-cpu")->generic);
  CHECK_FALSE(read_library("onednn-avx2")->generic);
}

TEST_CASE("a catalogue without a threaded efficiency or a transposed packing uses the plain ones") {
  CpuGemmSpec gemm;
  gemm.efficiency = Fraction{0.9};
  gemm.pack_b = 0.5;

  derive(gemm);

  CHECK(gemm.threaded_efficiency == Fraction{0.9});
  CHECK(gemm.pack_transposed == 0.5);
}

TEST_CASE("a catalogue that could never finish is refused") {
  CpuLibrary library = read_library("onednn-avx512").value();

  SUBCASE("no way to convolve") {
    library.direct.reset();
    library.im2col.reset();
    CHECK(checked(library).has("contradictory no-convolution direct"));
  }
  SUBCASE("no register blocking") {
    library.direct->block_efficiency.clear();
    CHECK(checked(library).has("contradictory empty-list direct.block_efficiency"));
  }
  SUBCASE("Winograd without a tile") {
    library.winograd.emplace();
    CHECK(checked(library).has("contradictory empty-list winograd.tiles"));
  }
  SUBCASE("an efficiency of zero") {
    library.gemm.efficiency = Fraction{0.0};
    CHECK(checked(library).has("contradictory zero-efficiency gemm"));
  }
  SUBCASE("a block efficiency of zero") {
    library.direct->block_efficiency.front() = Fraction{0.0};
    CHECK(checked(library).has("contradictory zero-efficiency direct.block_efficiency"));
  }
  SUBCASE("an empty tile") {
    library.gemm.mr = 0;
    CHECK(checked(library).has("contradictory zero-tile gemm"));
  }
  SUBCASE("vectors without a lane") {
    library.vector = BitWidth{16};
    CHECK(checked(library).has("contradictory zero-lanes vector"));
  }
  SUBCASE("pooling that reaches no memory rate") {
    library.loops.pool_rate = Fraction{0.0};
    CHECK(checked(library).has("contradictory zero-efficiency loops.pool_rate"));
  }
}

}  // namespace tantalus::test

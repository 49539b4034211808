#include "sim/hardware/cpu_gemm.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/cpu_fixture.hpp"

namespace tantalus::test {

namespace {

struct Bench {
  CpuSpec spec = read_cpu("xeon-e5-2650-v3").value();
  CpuLibrary library = read_library("openblas-avx2-haswell").value();

  CpuMachine machine() const { return {spec, library}; }
};

}  // namespace

TEST_CASE("edge tiles run as full tiles, panels are packed and C is updated once a K block") {
  const Bench bench;
  const CpuProduct product{10, 20, 400, false, DType::fp32};
  // Tiles of 4 rows and 8 columns: 12 x 24. Two K blocks of 384.
  const CpuGemmSpec& blas = bench.library.gemm;
  const double multiply = 2.0 * 12 * 24 * 400 / (32 * blas.efficiency.value());
  const double pack = blas.pack_b * 400 * 20 + blas.pack_a * 10 * 400;
  const double update = blas.update_c * 10 * 20 * 2;

  CHECK(product_cycles(product, bench.machine(), 1) == doctest::Approx(multiply + pack + update));
}

TEST_CASE("a result waits for its chain of multiply-adds, however few results there are") {
  Bench bench;
  bench.library.gemm.pack_b = bench.library.gemm.pack_a = bench.library.gemm.update_c = 0;
  const CpuProduct one{1, 1, 5000, false, DType::fp32}, tile{4, 8, 5000, false, DType::fp32};

  CHECK(product_cycles(one, bench.machine(), 1) == doctest::Approx(5000.0 * 5));  // latency 5
  CHECK(product_cycles(tile, bench.machine(), 1) == product_cycles(one, bench.machine(), 1));
}

TEST_CASE("packing a matrix out of memory reaches the catalogue's share of its rate") {
  Bench bench;
  bench.library.gemm.packed_rate = Fraction(0.6);
  bench.library.gemm.aliased_rate = Fraction(0.4);
  const auto share = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    Operation op;
    op.work = GemmShape{1, m, n, k, false, true};
    const GemmShape shape = std::get<GemmShape>(op.work);
    return gemm_regions({op, {}}, shape, bench.machine()).front().rate_share;
  };

  CHECK(share(16, 4096, 4000) == doctest::Approx(0.6));
  // Rows of B, stored transposed, lie four pages apart.
  CHECK(share(16, 4096, 4096) == doctest::Approx(0.4));
  // The result is what moves: a weight gradient, whose depth is the batch.
  CHECK(share(4096, 4096, 16) == 1.0);
}

TEST_CASE("a transposed B costs its own packing") {
  const Bench bench;
  const CpuProduct plain{8, 8, 100, false, DType::fp32};
  const CpuProduct transposed{8, 8, 100, true, DType::fp32};

  const double more =
      product_cycles(transposed, bench.machine(), 1) - product_cycles(plain, bench.machine(), 1);

  CHECK(more == doctest::Approx((*bench.library.gemm.pack_transposed - bench.library.gemm.pack_b) *
                                100 * 8));
}

TEST_CASE("all cores together multiply with the threaded efficiency") {
  const Bench bench;
  const CpuProduct product{96, 800, 100, false, DType::fp32};

  const double more =
      product_cycles(product, bench.machine(), 10) - product_cycles(product, bench.machine(), 1);

  const CpuGemmSpec& blas = bench.library.gemm;
  CHECK(more ==
        doctest::Approx(2.0 * 96 * 800 * 100 / 32 *
                        (1 / blas.threaded_efficiency->value() - 1 / blas.efficiency.value())));
}

TEST_CASE("products thinner than the threshold stay on one core") {
  const Bench bench;

  CHECK(product_cores({79, 3025, 363}, bench.machine()) == 1);
  CHECK(product_cores({96, 79, 363}, bench.machine()) == 1);
  CHECK(product_cores({80, 80, 1}, bench.machine()) == 10);
}

TEST_CASE("small products are not packed where the library has kernels for them") {
  Bench bench;
  bench.library = read_library("openblas-avx512").value();
  const double rate = 32 * 0.92;  // the Xeon's own 8 lanes, two ports

  const double cycles = product_cycles({16, 16, 16}, bench.machine(), 1);

  CHECK(cycles == doctest::Approx(2.0 * 16 * 16 * 16 / rate + 0.13 * 16 * 16));
}

TEST_CASE("a transposed B is left unpacked only while C is small") {
  Bench bench;
  bench.library = read_library("openblas-avx512").value();
  const CpuGemmSpec& blas = bench.library.gemm;
  const double rate = 32 * blas.unpacked_efficiency.value();

  CHECK(product_cycles({1, 1000, 1000, true}, bench.machine(), 1) <
        2.0 * 4 * 1008 * 1000 / rate + 2 * blas.update_c * 3 * 1000);
  CHECK(product_cycles({16, 100, 100, true}, bench.machine(), 1) >
        *blas.pack_transposed * 100 * 100);  // 1600 results
}

TEST_CASE("a rest of columns runs in powers of two where the catalogue says what they cost") {
  Bench bench;
  bench.library.gemm = {};
  bench.library.gemm.mr = 8;
  bench.library.gemm.nr = 4;
  bench.spec.simd.fma_latency = Cycles{1};  // no product waits for its chain
  derive(bench.library.gemm);
  const auto cycles = [&](double n) { return product_cycles({4, n, 100}, bench.machine(), 1); };
  const double tile = cycles(8);

  CHECK(cycles(9) == doctest::Approx(2 * tile));
  bench.library.gemm.edge = Fraction{0.5};
  CHECK(cycles(9) == doctest::Approx(1.5 * tile));
  CHECK(cycles(11) == doctest::Approx(2 * tile));     // 8, 2 and 1
  CHECK(cycles(14) >= doctest::Approx(1.75 * tile));  // never below what it multiplies
}

TEST_CASE("rows of C that lie a multiple of 4 KiB apart slow the library that says so") {
  Bench bench;
  bench.library = read_library("onednn-avx2").value();
  const auto rate = [&](double m, double n) {
    return m * n * 1000 / product_cycles({m, n, 1000}, bench.machine(), 1);
  };

  CHECK(rate(16, 1024) < 0.6 * rate(16, 1040));
  CHECK(rate(1, 1024) == doctest::Approx(rate(1, 1040)));  // one row has no pitch
}

TEST_CASE("a blocked library streams B again for each block of rows") {
  Bench bench;
  bench.library = read_library("onednn-avx512").value();
  const auto dram = [&](std::int64_t m) {
    const Operation op = gemm(m, 4096, 4096);
    return gemm_regions({op, {}}, std::get<GemmShape>(op.work), bench.machine())[0]
        .traffic.dram_fills;
  };
  const double weights = 4.0 * 4096 * 4096;

  CHECK(dram(64) < 1.1 * weights);
  CHECK(dram(256) > 3.9 * weights);
}

TEST_CASE("packing makes a thin product reach a far smaller share of the peak than a square one") {
  // Measured on one AVX-512 core (docs/modelling.md): M = 16, N = K = 1024 at 73 GFLOP/s, the square at 182 of 206.
  Bench bench;
  bench.spec = read_cpu("epyc-9755", Knowledge::calibrated).value();
  bench.library = read_library("openblas-avx512").value();
  const auto gflops = [&](double m) {
    return 2.0 * m * 1024 * 1024 / product_cycles({m, 1024, 1024}, bench.machine(), 1) * 3.25;
  };

  CHECK(gflops(1024) == doctest::Approx(182).epsilon(0.10));
  CHECK(gflops(16) == doctest::Approx(73).epsilon(0.35));
}

TEST_CASE("a bias is a product of depth one over the output") {
  const Bench bench;
  Operation op = gemm(100, 100, 100);
  op.bias = true;

  const std::vector<CpuRegion> regions =
      gemm_regions({op, {}}, std::get<GemmShape>(op.work), bench.machine());

  REQUIRE(regions.size() == 2);
  CHECK(regions[1].cycles >= 0.2 * 100 * 100);
  CHECK(regions[1].flops == 100 * 100);
}

TEST_CASE("a library that fuses the bias adds no kernel for it") {
  Bench bench;
  bench.library = read_library("onednn-avx2").value();
  Operation op = gemm(100, 100, 100);
  op.bias = true;

  CHECK(gemm_regions({op, {}}, std::get<GemmShape>(op.work), bench.machine()).size() == 1);
}

TEST_CASE("products of a batch run side by side when that is faster") {
  const CpuModel cpu = model("xeon-e5-2650-v3", "onednn-avx2");
  const Operation many = gemm(16, 16, 16, false, DType::fp32, 1000);

  const auto kernels = cpu.kernels(many, {});

  // One after the other, a thousand fork and joins alone take 30 ms.
  CHECK(kernels->front().fixed < Duration{1'000'000'000});
}

}  // namespace tantalus::test

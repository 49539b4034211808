#include "sim/hardware/cpu_winograd.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/cpu_fixture.hpp"

namespace tantalus::test {

namespace {

// ncnn with one tile, F(outputs x outputs, 3x3).
struct Bench {
  explicit Bench(std::int64_t outputs = 4, const char* cpu = "epyc-7742")
      : spec(read_cpu(cpu).value()), library(read_library("ncnn-avx2").value()) {
    library.winograd->tiles = {{outputs, 2.0, 2.0}};
  }

  bool takes(const Operation& op) const {
    return takes_winograd(*library.winograd, library.winograd->tiles.front(), op);
  }
  std::vector<CpuRegion> regions(const Operation& op, ReuseDistances reuse = {}) const {
    return winograd_conv_regions({op, reuse}, {spec, library}).front();
  }

  CpuSpec spec;
  CpuLibrary library;
};

Operation three_by_three(std::int64_t in_ch, std::int64_t size, std::int64_t out_ch,
                         std::int64_t groups = 1) {
  return conv(square_conv(1, in_ch, size, out_ch, 3, 1, 1, groups));
}

}  // namespace

TEST_CASE("a tile of 4 x 4 results multiplies 36 points instead of 144") {
  const Bench bench(4);
  const CpuRegion product = bench.regions(three_by_three(64, 56, 128)).back();

  CHECK(product.name == "winograd_gemm");
  CHECK(product.algorithm == Algorithm::winograd);
  CHECK(product.flops == 2.0 * 36 * (14 * 14) * 64 * 128);
}

TEST_CASE("images that no tile divides run whole tiles beyond their edge") {
  const Bench bench(6);

  CHECK(bench.regions(three_by_three(64, 7, 64)).back().flops == 2.0 * 64 * (2 * 2) * 64 * 64);
}

TEST_CASE("weights cross memory as they were transformed beforehand, data once more each way") {
  const Bench bench(4);
  const Operation op = three_by_three(512, 14, 512);
  const std::vector<CpuRegion> regions = bench.regions(op);
  const double weights = 4.0 * 512 * 512 * 36, transformed = 4.0 * 512 * 36 * (4 * 4);
  const double image = 4.0 * 512 * 14 * 14;

  REQUIRE(regions.size() == 2);
  CHECK(regions[0].traffic.l1 == image + transformed);
  CHECK(regions[1].traffic.l1 == transformed + weights + image);
  CHECK(regions[1].traffic.dram_fills >= weights);
  CHECK(regions[0].workspace == transformed + weights);
}

TEST_CASE("groups are products of their own") {
  const Bench bench(4);
  const std::vector<CpuRegion> whole = bench.regions(three_by_three(64, 28, 64));
  const std::vector<CpuRegion> halves = bench.regions(three_by_three(64, 28, 64, 2));

  CHECK(halves.back().flops == whole.back().flops / 2);
  CHECK(halves.front().cycles == doctest::Approx(whole.front().cycles));
  CHECK(halves.back().fixed == doctest::Approx(2 * whole.back().fixed));
}

TEST_CASE("int8 has 16 bits behind the transform and no tile that would overflow them") {
  const Bench four(4);
  Operation op = three_by_three(64, 28, 64);
  const double fp32 = four.regions(op).front().workspace;
  op.type = DType::int8;

  CHECK(four.takes(op));
  CHECK(four.regions(op).front().workspace == fp32 / 2);
  CHECK_FALSE(Bench(6).takes(op));
}

TEST_CASE("only dense 3x3 filters of stride 1 with channels enough run through tiles, forward") {
  const Bench bench;
  Operation dilated = three_by_three(64, 28, 64);
  std::get<ConvShape>(dilated.work).dilation_w = 2;

  CHECK(bench.takes(three_by_three(64, 28, 64)));
  CHECK(bench.takes(three_by_three(3, 224, 64)));
  CHECK_FALSE(bench.takes(three_by_three(8, 28, 8)));
  CHECK_FALSE(bench.takes(three_by_three(64, 28, 64, 64)));
  CHECK_FALSE(bench.takes(conv(square_conv(1, 64, 28, 64, 3, 2, 1))));
  CHECK_FALSE(bench.takes(conv(square_conv(1, 64, 28, 64, 5, 1, 2))));
  CHECK_FALSE(bench.takes(dilated));
  CHECK_FALSE(bench.takes(conv(square_conv(1, 64, 28, 64, 3, 1, 1), Pass::weight_gradient)));
  CHECK_FALSE(bench.takes(gemm(64, 64, 64)));
}

TEST_CASE("a catalogue without a winograd section offers none") {
  Bench bench;
  bench.library.winograd.reset();

  CHECK(
      winograd_conv_regions({three_by_three(64, 28, 64), {}}, {bench.spec, bench.library}).empty());
}

TEST_CASE("the fastest of tiles and direct kernel runs, and a forced one runs whatever it costs") {
  const CpuModel cpu = model("epyc-7742", "ncnn-avx2");
  const ConvShape shape = square_conv(1, 256, 28, 256, 3, 1, 1);
  const auto forced = [&](Algorithm algorithm) { return conv(shape, Pass::forward, algorithm); };
  const double winograd = alone_seconds(cpu, forced(Algorithm::winograd));
  const double direct = alone_seconds(cpu, forced(Algorithm::direct));

  CHECK(cpu.kernels(conv(shape), {})->front().launch.name == "winograd_input");
  CHECK(cpu.kernels(forced(Algorithm::direct), {})->front().algorithm == Algorithm::direct);
  CHECK(winograd < direct);
  CHECK(alone_seconds(cpu, conv(shape)) == doctest::Approx(winograd));
}

TEST_CASE("tiles that are asked for where none fits are refused with what there is") {
  const CpuModel cpu = model("epyc-7742", "ncnn-avx2");
  const auto kernels = cpu.kernels(
      conv(square_conv(1, 64, 28, 64, 5, 1, 2), Pass::forward, Algorithm::winograd), {});

  REQUIRE_FALSE(kernels.ok());
  CHECK(kernels.diagnostics().front().code == "unsupported-algorithm");
  CHECK(kernels.diagnostics().front().hint ==
        "it has: auto, direct, winograd (3x3, stride 1, forward)");
}

}  // namespace tantalus::test

#include "sim/hardware/cpu_conv.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/cpu_fixture.hpp"

namespace tantalus::test {

namespace {

struct Bench {
  explicit Bench(const char* library_stem, const char* cpu = "xeon-e5-2650-v3")
      : spec(read_cpu(cpu).value()), library(read_library(library_stem).value()) {}

  CpuMachine machine() const { return {spec, library}; }
  CpuRegion direct(const ConvShape& shape, Pass pass = Pass::forward) const {
    const Operation op = conv(shape, pass);
    return direct_conv_regions({op, {}}, shape, machine()).front();
  }
  std::vector<CpuRegion> im2col(const ConvShape& shape, Pass pass = Pass::forward) const {
    const Operation op = conv(shape, pass);
    return im2col_conv_regions({op, {}}, shape, machine());
  }

  CpuSpec spec;
  CpuLibrary library;
};

}  // namespace

TEST_CASE("taps outside the image are not multiplied") {
  // 3 wide kernel, padding 1, 5 inputs: the outer outputs have 2 taps, the 3 inner ones 3.
  CHECK(taps_inside(5, 5, 3, 1, 1, 1) == 2 + 3 * 3 + 2);
  // Stride 2 on 5 inputs with padding 1: outputs at -1, 1, 3: 2 + 3 + 2 taps.
  CHECK(taps_inside(5, 3, 3, 2, 1, 1) == 7);
  // Dilation 2, padding 2, 5 inputs: taps at o - 2, o, o + 2.
  CHECK(taps_inside(5, 5, 3, 1, 2, 2) == 2 + 2 + 3 + 2 + 2);
  CHECK(taps_inside(5, 1, 5, 1, 0, 1) == 5);
}

TEST_CASE("taps of an enormous kernel are counted without looking at each") {
  CHECK(taps_inside(1'000'000'000, 10, 1'000'000'000, 1, 0, 1) == doctest::Approx(1e10));
}

TEST_CASE("six output channels cost as much as a whole vector of them") {
  const Bench bench("onednn-avx512", "epyc-9755");

  CHECK(bench.direct(square_conv(1, 1, 28, 6, 5)).cycles ==
        doctest::Approx(bench.direct(square_conv(1, 1, 28, 16, 5)).cycles));
  CHECK(bench.direct(square_conv(1, 1, 28, 6, 5)).flops == 2.0 * 6 * 25 * 24 * 24);
}

TEST_CASE("one channel block in registers cannot fill the multiply-add pipeline") {
  const Bench bench("onednn-avx512", "epyc-9755");
  const double one = bench.direct(square_conv(8, 64, 56, 16, 3, 1, 1)).cycles;
  const double two = bench.direct(square_conv(8, 64, 56, 32, 3, 1, 1)).cycles;

  CHECK(two < 2 * one * 0.85);
}

TEST_CASE("AVX2 blocks must divide the channels: five blocks run one at a time") {
  const Bench bench("onednn-avx2");
  const double four_blocks = bench.direct(square_conv(16, 64, 56, 32, 3, 1, 1)).cycles;
  const double five_blocks = bench.direct(square_conv(16, 64, 56, 40, 3, 1, 1)).cycles;

  CHECK(five_blocks > four_blocks * 5 / 4 * 1.5);
}

TEST_CASE("a row that is no multiple of three outputs ends with an idle pipeline on AVX2") {
  const Bench bench("onednn-avx2");
  const auto a_position = [&](std::int64_t width) {
    return bench.direct(square_conv(1, 512, width, 32, 1)).cycles /
           static_cast<double>(width * width);
  };

  CHECK(a_position(13) > a_position(12) * 1.01);
}

TEST_CASE("input channels in blocks are padded, the few of an image are not") {
  Bench bench("onednn-avx512", "epyc-9755");
  bench.library.direct->row = 0;
  const auto cycles = [&](std::int64_t channels) {
    return bench.direct(square_conv(1, channels, 28, 16, 5)).cycles;
  };

  CHECK(cycles(20) == doctest::Approx(cycles(32)));
  CHECK(cycles(6) == doctest::Approx(cycles(3) * 2));
}

TEST_CASE(
    "weights that no private cache holds are streamed again for each image, sums of gradients "
    "written too") {
  const Bench bench("onednn-avx2");
  // 512 x 512 x 3 x 3 weights: 9.4 MB, of which a Xeon's core has 256 KiB near it.
  const double weights = 512.0 * 512 * 9 * 4;
  const auto fills = [&](std::int64_t batch, Pass pass) {
    return bench.direct(square_conv(batch, 512, 4, 512, 3, 1, 1), pass).traffic;
  };

  const CpuTraffic one = fills(1, Pass::forward), three = fills(3, Pass::forward);
  CHECK(three.l3_fills - one.l3_fills > 2 * weights);
  CHECK(three.l3_fills - one.l3_fills < 2.1 * weights);
  CHECK(fills(3, Pass::weight_gradient).l3_returns - fills(1, Pass::weight_gradient).l3_returns ==
        doctest::Approx(2 * weights));
}

TEST_CASE("depthwise kernels put channels into the lanes") {
  const Bench bench("onednn-avx2");
  const CpuRegion depthwise = bench.direct(square_conv(1, 256, 28, 256, 3, 1, 1, 256));
  const double taps = taps_inside(28, 28, 3, 1, 1, 1);

  CHECK(depthwise.flops == 2.0 * 256 * taps * taps);
  CHECK(depthwise.cycles < depthwise.flops / 32 / 0.4);
}

TEST_CASE("gradients take the catalogue's share of the forward pass") {
  const Bench bench("onednn-avx512", "epyc-9755");
  const ConvShape shape = square_conv(4, 64, 28, 64, 3, 1, 1);

  CHECK(bench.direct(shape, Pass::input_gradient).cycles / bench.direct(shape).cycles ==
        doctest::Approx(1.1));
  CHECK(bench.direct(shape, Pass::weight_gradient).cycles / bench.direct(shape).cycles ==
        doctest::Approx(1.15));
}

TEST_CASE("the gradient of a three-channel image computes as many channels as a vector holds") {
  const Bench bench("onednn-avx512");
  const ConvShape first = square_conv(1, 3, 56, 64, 3, 1, 1);
  const ConvShape sixteen = square_conv(1, 16, 56, 64, 3, 1, 1);

  CHECK(bench.direct(first, Pass::input_gradient).cycles ==
        bench.direct(sixteen, Pass::input_gradient).cycles);
  CHECK(bench.direct(first, Pass::weight_gradient).cycles <
        bench.direct(sixteen, Pass::weight_gradient).cycles / 4);
}

TEST_CASE("a wide kernel with stride and padding has no direct kernel on AVX2") {
  const CpuDirectConvSpec direct = *read_library("onednn-avx2").value().direct;
  const ConvShape padded = square_conv(1, 3, 224, 64, 11, 4, 2);
  const ConvShape plain = square_conv(1, 3, 227, 64, 11, 4, 0);

  CHECK_FALSE(has_direct_kernel(direct, padded, Pass::forward));
  CHECK(has_direct_kernel(direct, plain, Pass::forward));
  CHECK(has_direct_kernel(direct, padded, Pass::weight_gradient));
  CHECK(has_direct_kernel(direct, square_conv(1, 3, 224, 64, 7, 2, 3), Pass::forward));
}

TEST_CASE("Caffe convolves through a column matrix on one core and a product on all of them") {
  const Bench bench("openblas-avx2-haswell");
  const std::vector<CpuRegion> regions = bench.im2col(square_conv(10, 3, 227, 96, 11, 4));

  REQUIRE(regions.size() == 2);
  CHECK(regions[0].name == "im2col");
  CHECK(regions[0].cores == 1);
  // (1.94 + 12 / 55) cycles for each of 363 x 3025 elements of ten images
  CHECK(regions[0].cycles == doctest::Approx(10 * (1.94 + 12 / 55.0) * 363 * 3025));
  CHECK(regions[1].cores == 10);
  CHECK(regions[1].flops == 2.0 * 10 * 96 * 363 * 3025);
  CHECK(regions[1].fixed == doctest::Approx(10 * (41e-6 + 80e-9)));
  CHECK(regions[1].workspace == 4.0 * 363 * 3025);
}

TEST_CASE("a 1x1 layer without stride and padding is its own column matrix") {
  const Bench bench("openblas-avx2-haswell");

  CHECK(bench.im2col(square_conv(1, 64, 28, 128, 1)).size() == 1);
  CHECK(bench.im2col(square_conv(1, 64, 28, 128, 1, 2)).size() == 2);
  CHECK(bench.im2col(square_conv(1, 64, 28, 128, 1, 1, 1)).size() == 2);
}

TEST_CASE("every group is a product of its own") {
  const Bench bench("openblas-avx2-haswell");
  const CpuRegion one = bench.im2col(square_conv(1, 96, 27, 256, 5, 1, 2, 1))[1];
  const CpuRegion two = bench.im2col(square_conv(1, 96, 27, 256, 5, 1, 2, 2))[1];

  CHECK(two.flops == one.flops / 2);
  CHECK(two.fixed == doctest::Approx(2 * one.fixed));
}

TEST_CASE("the data gradient multiplies first and then gathers the columns") {
  const Bench bench("openblas-avx2-haswell");
  const std::vector<CpuRegion> regions =
      bench.im2col(square_conv(2, 64, 28, 96, 3, 1, 1), Pass::input_gradient);

  REQUIRE(regions.size() == 2);
  CHECK(regions[0].name == "gemm");
  CHECK(regions[1].name == "col2im");
}

TEST_CASE("all three passes of a convolution multiply equally often") {
  const Bench bench("openblas-avx2-haswell");
  const ConvShape shape = square_conv(2, 64, 28, 96, 3, 1, 1);

  CHECK(bench.im2col(shape, Pass::weight_gradient)[1].flops == bench.im2col(shape)[1].flops);
  CHECK(bench.im2col(shape, Pass::input_gradient)[0].flops == bench.im2col(shape)[1].flops);
}

}  // namespace tantalus::test

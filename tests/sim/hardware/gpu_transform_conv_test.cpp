#include "sim/hardware/gpu_transform_conv.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {

namespace {

ConvShape shape_of(const Operation& op) { return std::get<ConvShape>(op.work); }

GpuConvSpec transformed(Algorithm algorithm, std::int64_t edge) {
  GpuConvSpec spec;
  spec.types = {"fp32"};
  spec.algorithm = algorithm;
  spec.transform = GpuTransformSpec{};
  spec.transform->edge = edge;
  spec.transform->filter = 3;
  spec.transform->workspace = Bytes{1'000'000'000};
  return spec;
}

/// F(2x2, 3x3) in one kernel: blocks of 32 filters x 8x16 pixels of one image, nothing exposed, no latencies.
GpuConvSpec fused() {
  GpuConvSpec spec;
  spec.types = {"fp32"};
  spec.algorithm = Algorithm::winograd;
  spec.fused = GpuFusedWinogradSpec{};
  spec.fused->rows = 8;
  spec.fused->columns = 16;
  spec.fused->efficiency = Fraction{1.0};
  return spec;
}

GpuModel model_with(const GpuConvSpec& conv, const GpuSpec& gpu = plain_gpu()) {
  GpuLibrary library = plain_library();
  library.convolution = {conv};
  return GpuModel(gpu, {library});
}

}  // namespace

TEST_CASE("Winograd turns a pass into one product for each point of its tile") {
  const GpuTransformSpec tile = *transformed(Algorithm::winograd, 6).transform;
  const ConvShape s = shape_of(conv_op(4, 16, 28, 32, 3));

  // F(4x4, 3x3): 36 points, 7 x 7 tiles an image.
  const TransformedProduct forward =
      transformed_product(tile, Algorithm::winograd, s, Pass::forward);
  CHECK(forward.points == 36.0);
  CHECK(forward.m == 32);
  CHECK(forward.n == 4 * 7 * 7);
  CHECK(forward.k == 16);

  const TransformedProduct back =
      transformed_product(tile, Algorithm::winograd, s, Pass::input_gradient);
  CHECK(back.m == 16);
  CHECK(back.k == 32);

  const TransformedProduct weights =
      transformed_product(tile, Algorithm::winograd, s, Pass::weight_gradient);
  CHECK(weights.m == 32);
  CHECK(weights.n == 16);
  CHECK(weights.k == 4 * 7 * 7);
}

TEST_CASE("a real FFT has half of its points and one more row") {
  const TransformedProduct p =
      transformed_product(*transformed(Algorithm::fft, 32).transform, Algorithm::fft,
                          shape_of(conv_op(1, 8, 60, 8, 3)), Pass::forward);

  CHECK(p.points == 32.0 * 17.0);
  CHECK(p.n == 2 * 2);  // 30 x 30 results a tile
}

TEST_CASE("transforms take unit strides and filters that fit their tile") {
  const GpuConvSpec winograd = transformed(Algorithm::winograd, 6);
  const GpuConvSpec fft = transformed(Algorithm::fft, 16);

  CHECK(transform_takes(winograd, shape_of(conv_op(1, 8, 8, 8, 3)), Pass::forward));
  CHECK_FALSE(transform_takes(winograd, shape_of(conv_op(1, 8, 8, 8, 5)), Pass::forward));
  CHECK_FALSE(transform_takes(winograd, shape_of(conv_op(1, 8, 8, 8, 3, 2)), Pass::forward));
  CHECK(transform_takes(fft, shape_of(conv_op(1, 8, 8, 8, 7)), Pass::forward));
  CHECK_FALSE(transform_takes(fft, shape_of(conv_op(1, 8, 8, 8, 9)), Pass::forward));
  CHECK_FALSE(transform_takes(fft, shape_of(conv_op(1, 8, 8, 8, 1)), Pass::forward));
  CHECK_FALSE(transform_takes(fused(), shape_of(conv_op(1, 8, 8, 8, 3)), Pass::weight_gradient));
}

TEST_CASE("Winograd in kernels of its own is transform, transform, products, transform") {
  const GpuModel model = model_with(transformed(Algorithm::winograd, 6));
  const std::vector<KernelCost> kernels = kernels_of(model, conv_op(4, 16, 28, 32, 3));

  REQUIRE(kernels.size() == 4);
  CHECK(kernels[0].launch.name == "winograd_data");
  CHECK(kernels[1].launch.name == "winograd_filter");
  CHECK(kernels[3].launch.name == "winograd_output");
  CHECK(kernels[2].executed_flops == 36LL * 2 * 32 * (4 * 7 * 7) * 16);
  // Transformed data, filters and results: 36 x (196 x 16 + 32 x 16 + 32 x 196) values.
  CHECK(kernels[0].workspace == Bytes{36LL * (196 * 16 + 32 * 16 + 32 * 196) * 4});
}

TEST_CASE("a workspace beyond the entry's is refused") {
  GpuConvSpec small = transformed(Algorithm::winograd, 6);
  small.transform->workspace = Bytes{1000};
  Operation op = conv_op(4, 16, 28, 32, 3);
  op.algorithm = Algorithm::winograd;

  CHECK_FALSE(model_with(small).kernels(op, {}).ok());
}

TEST_CASE("fused Winograd multiplies 16 points for 4 results") {
  // 320 filters on one image of 8x16 pixels: ten blocks, one an SM, each 16 points x 32 tiles x 32 filters x 1,024 channels
  // on 64 lanes at 1 GHz.
  Operation op = conv_op(1, 1024, 16, 320, 3);
  std::get<ConvShape>(op.work).in_h = std::get<ConvShape>(op.work).out_h = 8;
  const std::vector<KernelCost> kernels = kernels_of(model_with(fused()), op);

  REQUIRE(kernels.size() == 2);
  CHECK(kernels[1].groups[0].blocks == 10);
  CHECK(seconds(kernels[1].groups[0].phases[0].unit_time) ==
        doctest::Approx(16.0 * 32 * 32 * 1024 / 64e9));
  CHECK(kernels[1].executed_flops == 2LL * 16 * 32 * 320 * 1024);
}

TEST_CASE(
    "the first loads of a fused block wait in the open only where no other block is resident") {
  GpuConvSpec entry = fused();
  entry.fused->start = Cycles{2000};
  GpuSpec two = plain_gpu();
  two.sm.shared_memory = Bytes{128 * 1024};
  const Operation op = conv_op(1, 64, 16, 32, 3);
  const auto wait = [&](const GpuSpec& gpu) {
    return kernels_of(model_with(entry, gpu), op)[1].groups[0].phases[0].latency;
  };

  CHECK(wait(plain_gpu()) == Duration{2'000'000});  // 2,000 clk at 1 GHz; 48 KiB of 64 KiB: alone
  CHECK(wait(two) == Duration{0});  // the other's 16 x 32 x 32 x 64 / 64 clk are longer
}

TEST_CASE("transforming back is work of the lanes with their energy, whatever the channels") {
  GpuConvSpec entry = fused();
  entry.fused->epilogue = Cycles{3000};
  const GpuDevice device{plain_gpu()};
  const ConvPlan plan = plan_conv(device, entry), bare = plan_conv(device, fused());
  const Operation op = conv_op(1, 16, 16, 32, 3);
  const GpuLibrary library = plain_library();
  const StreamPlan stream = plan_stream(device, library.split_reduction);
  const std::vector<GemmPlan> none;
  const ConvTools tools{device, none, stream, stream, library.depthwise};
  const auto kernel = [&](const ConvPlan& which) {
    return fused_winograd_kernels(tools, which, op, shape_of(op), {}).back();
  };

  const GpuKernel with = kernel(plan), without = kernel(bare);
  CHECK(seconds(with.cost.groups[0].phases[1].unit_time) -
            seconds(without.cost.groups[0].phases[1].unit_time) ==
        doctest::Approx(3e-6));
  // Two blocks, 3,000 clk of 64 lanes each.
  CHECK(
      with.joules - without.joules ==
      doctest::Approx(2 * 3000.0 * 64 * 2 * device.joules_per_flop(MathUnit::lanes, DType::fp32)));
}

}  // namespace tantalus::test

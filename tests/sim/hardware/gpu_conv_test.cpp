#include "sim/hardware/gpu_conv.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {

namespace {

ConvShape shape_of(const Operation& op) { return std::get<ConvShape>(op.work); }

void check_product(const ConvProduct& p, std::int64_t batch, std::int64_t m, std::int64_t n,
                   std::int64_t k) {
  CHECK(p.batch == batch);
  CHECK(p.m == m);
  CHECK(p.n == n);
  CHECK(p.k == k);
}

}  // namespace

TEST_CASE("each pass of a convolution is a product with its own roles") {
  const ConvShape s = shape_of(conv_op(4, 16, 28, 32, 3));

  check_product(conv_product(s, Pass::forward, 1), 1, 32, 4 * 28 * 28, 16 * 9);
  check_product(conv_product(s, Pass::input_gradient, 1), 1, 16, 4 * 28 * 28, 32 * 9);
  check_product(conv_product(s, Pass::weight_gradient, 1), 1, 32, 16 * 9, 4 * 28 * 28);
}

TEST_CASE("a strided input gradient splits into sub-problems that share the taps") {
  // 3x3 at stride 2: four sub-problems of 9/4 taps on 14x14 pixels each; 1x1 at stride 2: one, the rest is a zero fill.
  check_product(conv_product(shape_of(conv_op(4, 16, 28, 32, 3, 2)), Pass::input_gradient, 1), 4,
                16, 4 * 14 * 14, 32 * 9 / 4);
  check_product(conv_product(shape_of(conv_op(4, 16, 28, 32, 1, 2)), Pass::input_gradient, 1), 1,
                16, 4 * 14 * 14, 32);
}

TEST_CASE("matrix units pad the channels of each tap, which executes nothing that counts") {
  const Operation first = conv_op(8, 3, 224, 64, 7, 2, 1, Pass::forward, DType::fp16);
  check_product(conv_product(shape_of(first), Pass::forward, 8), 1, 64, 8 * 112 * 112, 8 * 49);

  const KernelCost kernel = kernels_of(gpu_model("a100-80gb-pcie"), first)[0];
  CHECK(kernel.executed_flops == 2 * first.macs);
}

TEST_CASE("groups are a batch of products") {
  check_product(conv_product(shape_of(conv_op(4, 96, 27, 256, 5, 1, 2)), Pass::forward, 1), 2, 128,
                4 * 27 * 27, 48 * 25);
}

TEST_CASE("a convolution on round numbers takes the time of its product") {
  const GpuModel model(plain_gpu(), {plain_library()});
  // 128 filters of 1x1x1024 on 128 pixels: one tile, as the matrix product of the same size.
  Operation op = conv_op(2, 1024, 8, 128, 1);
  const std::vector<KernelCost> kernels = kernels_of(model, op);

  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].algorithm == Algorithm::implicit_gemm);
  CHECK(seconds(alone_time(kernels[0], model.rates())) ==
        doctest::Approx(264.192e-6).epsilon(1e-9));
}

TEST_CASE("a bias that is not fused is a kernel of its own") {
  GpuLibrary library = plain_library();
  library.convolution[0].fused_bias = false;
  Operation op = conv_op(2, 16, 8, 128, 3);
  op.bias = true;

  CHECK(kernels_of(GpuModel(plain_gpu(), {plain_library()}), op).size() == 1);
  const std::vector<KernelCost> two = kernels_of(GpuModel(plain_gpu(), {library}), op);
  REQUIRE(two.size() == 2);
  CHECK(two[1].launch.name == "add_bias");
}

TEST_CASE("Caffe convolves image by image and group by group, the bias as its own kernel") {
  const GpuModel model(read_gpu("gtx1080").value(), {read_gpu_library("caffe-im2col").value()});
  Operation op = conv_op(6, 96, 27, 256, 5, 1, 2);
  op.bias = true;
  const std::vector<KernelCost> kernels = kernels_of(model, op);

  const auto count = [&](const std::string& start) {
    return std::count_if(kernels.begin(), kernels.end(), [&](const KernelCost& kernel) {
      return kernel.launch.name.rfind(start, 0) == 0;
    });
  };
  CHECK(count("im2col") == 6);
  CHECK(count("gemm_fp32") == 6 * 2);
  CHECK(count("add_bias") == 6);
  // The column matrix of one image: 96 x 25 x 27 x 27 values.
  CHECK(kernels[0].workspace == Bytes{96 * 25 * 27 * 27 * 4});
}

TEST_CASE("threads that load the taps of a window one after the other take at least their waits") {
  // 8 channels of 16x16 outputs: 2,048 windows in 4 blocks of 512 threads on 10 SMs; 9 taps x 1,000 clk at 1 GHz.
  GpuLibrary library = plain_library();
  library.convolution[0].algorithm = Algorithm::im2col_gemm;
  library.convolution[0].column = GpuColumnSpec{512, 32, Cycles{0}, Cycles{1000}};
  const GpuModel model(plain_gpu(), {library});
  const KernelCost columns = kernels_of(model, conv_op(1, 8, 16, 128, 3))[0];

  CHECK(columns.launch.name == "im2col");
  CHECK(columns.groups[0].blocks == 4);
  CHECK(seconds(alone_time(columns, model.rates())) == doctest::Approx(9e-6).epsilon(1e-3));
}

TEST_CASE("a library that unfolds every layer has columns of 1x1 filters too") {
  GpuLibrary library = read_gpu_library("caffe-im2col").value();
  const Operation op = conv_op(3, 64, 28, 64, 1);
  const GpuSpec gpu = read_gpu("gtx1080").value();
  CHECK(kernels_of(GpuModel(gpu, {library}), op).size() == 3);

  library.convolution[0].pointwise_columns = true;
  const std::vector<KernelCost> unfolded = kernels_of(GpuModel(gpu, {library}), op);
  REQUIRE(unfolded.size() == 6);
  CHECK(unfolded[0].launch.name == "im2col");
}

TEST_CASE("results that a product adds to are set before, to the bias or to zero") {
  GpuLibrary library = read_gpu_library("caffe-im2col").value();
  library.convolution[0].initialised = true;
  const GpuModel model(read_gpu("gtx1080").value(), {library});
  Operation op = conv_op(2, 64, 28, 64, 3);
  const std::vector<KernelCost> kernels = kernels_of(model, op);
  REQUIRE(kernels.size() == 6);
  CHECK(kernels[0].launch.name == "zero_fill");
  CHECK(kernels[1].launch.name == "im2col");

  op.bias = true;
  CHECK(kernels_of(model, op)[0].launch.name == "fill_bias");
  CHECK(kernels_of(model, op).size() == 6);
  CHECK(kernels_of(model, conv_op(2, 64, 28, 64, 3, 1, 1, Pass::weight_gradient))[0].launch.name ==
        "im2col");
}

TEST_CASE("every image adds to the whole weight gradient") {
  const GpuModel model(read_gpu("gtx1080").value(), {read_gpu_library("caffe-im2col").value()});
  // 9.4 MB of weights, more than the L2 holds: read and written for each of the images.
  const Operation op = conv_op(4, 512, 7, 512, 3, 1, 1, Pass::weight_gradient);
  const double weights = 512.0 * 512.0 * 9.0 * 4.0;
  const KernelCost product = kernels_of(model, op)[1];
  double dram = 0.0;
  for (const BlockGroup& group : product.groups) {
    for (const BlockPhase& phase : group.phases)
      dram += static_cast<double>(group.blocks * phase.bytes[1].count());
  }
  CHECK(dram > 1.7 * weights);
}

TEST_CASE("an im2col input gradient multiplies first and folds the columns back") {
  const GpuModel model(read_gpu("gtx1080").value(), {read_gpu_library("caffe-im2col").value()});
  const std::vector<KernelCost> kernels =
      kernels_of(model, conv_op(1, 64, 27, 192, 5, 1, 1, Pass::input_gradient));

  CHECK(kernels.back().launch.name == "col2im");
}

TEST_CASE("a 1x1 convolution at stride 1 needs no column matrix") {
  const GpuModel model(read_gpu("gtx1080").value(), {read_gpu_library("caffe-im2col").value()});
  for (const KernelCost& kernel : kernels_of(model, conv_op(3, 64, 14, 128, 1)))
    CHECK(kernel.launch.name != "im2col");
}

TEST_CASE("a depthwise convolution is a stream over its input and output") {
  const GpuModel model = gpu_model("a100-80gb-pcie");
  const Operation op = conv_op(64, 144, 56, 144, 3, 1, 144);
  const KernelCost kernel = kernels_of(model, op)[0];

  CHECK(kernel.algorithm == Algorithm::direct);
  const double floor = static_cast<double>(operand_bytes(op).count()) /
                       static_cast<double>(model.rates().bandwidth[1].count());
  CHECK(seconds(alone_time(kernel, model.rates())) < 1.5 * floor);
}

TEST_CASE("a caller gets the algorithm that it insists on, or a refusal") {
  const GpuModel model = gpu_model("a100-80gb-pcie");
  Operation op = conv_op(8, 64, 56, 64, 3);
  op.algorithm = Algorithm::im2col_gemm;
  CHECK(kernels_of(model, op)[0].launch.name == "im2col");

  op.algorithm = Algorithm::winograd;
  CHECK(kernels_of(model, op)[0].algorithm == Algorithm::winograd);

  op = conv_op(8, 64, 56, 64, 3, 2);  // no library owns a strided one
  op.algorithm = Algorithm::winograd;
  const auto refused = model.kernels(op, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.diagnostics()[0].code == "unknown-algorithm");
}

}  // namespace tantalus::test

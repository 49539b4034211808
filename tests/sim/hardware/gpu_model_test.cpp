#include "sim/hardware/gpu_model.hpp"

#include <doctest/doctest.h>

#include "tests/sim/hardware/gpu_fixture.hpp"

namespace tantalus::test {

namespace {

std::string refusal(const GpuModel& model, const Operation& op) {
  const auto kernels = model.kernels(op, {});
  return kernels.ok() ? "" : kernels.diagnostics()[0].code;
}

double flop_rate(const GpuModel& model, const Operation& op) {
  return 2.0 * static_cast<double>(op.macs) / launched_seconds(model, op);
}

}  // namespace

TEST_CASE("the levels that all SMs share are the L2 and device memory") {
  const GpuModel model(plain_gpu(), {plain_library()});

  CHECK(model.rates().units == 10);
  CHECK(model.rates().bandwidth[0] == Bandwidth{220'000'000'000});
  CHECK(model.rates().bandwidth[1] == Bandwidth{100'000'000'000});
  CHECK(model.level_bounds() == std::array<Bound, 2>{Bound::l2, Bound::dram});
}

TEST_CASE("half precision runs on the matrix units where there are any, on the lanes elsewhere") {
  CHECK(kernels_of(gpu_model("a100-80gb-pcie"), product_op(4096, 4096, 4096, DType::fp16))[0]
            .launch.name.substr(0, 16) == "gemm_fp16_matrix");
  CHECK(kernels_of(gpu_model("gtx1080"), product_op(4096, 4096, 4096, DType::fp16))[0]
            .launch.name.find("matrix") == std::string::npos);
}

TEST_CASE("a convolution wants its images as the products behind it read them") {
  const GpuSpec v100 = read_gpu("v100-pcie").value();
  GpuLibrary library = read_gpu_library("cuda-generic").value();
  const Operation half = conv_op(8, 64, 28, 64, 3, 1, 1, Pass::forward, DType::fp16);
  CHECK(GpuModel(v100, {library}).wants_channels_last(half));

  // The same families behind the convolutions of a library that offers no matrix products.
  library.products = library.gemm;
  library.gemm.clear();
  const GpuModel own(v100, {library});
  CHECK(own.wants_channels_last(half));
  CHECK_FALSE(own.wants_channels_last(conv_op(8, 64, 28, 64, 3)));
  CHECK(launched_seconds(own, half) == launched_seconds(gpu_model("v100-pcie"), half));
  CHECK_FALSE(own.kernels(product_op(64, 64, 64), {}).ok());
}

TEST_CASE("a number format without arithmetic is refused") {
  CHECK(refusal(gpu_model("a100-80gb-pcie"), product_op(64, 64, 64, DType::fp8)) ==
        "unsupported-number-format");
  CHECK(refusal(gpu_model("h100-sxm5"), product_op(64, 64, 64, DType::fp8)).empty());
  CHECK(refusal(gpu_model("gtx580"), product_op(64, 64, 64, DType::int64)) ==
        "unsupported-number-format");
}

TEST_CASE("tiles that fit no SM are refused, not run with nothing resident") {
  GpuSpec spec = plain_gpu();
  spec.sm.shared_memory = spec.sm.shared_memory_per_block = Bytes{4'096};
  CHECK(refusal(GpuModel(spec, {plain_library()}), product_op(64, 64, 64)) == "no-kernel-fits");
}

TEST_CASE("a shape beyond any clock is refused, a large one is not") {
  const GpuModel model = gpu_model("a100-80gb-pcie");
  CHECK(refusal(model, product_op(100'000, 100'000, 100'000)).empty());
  CHECK(refusal(model, product_op(1, 1'000'000'000, 1'000'000)).empty());
  Operation absurd = product_op(1, 1, 1);
  absurd.work = GemmShape{1'000'000, 1'000'000'000, 1'000'000, 1'000'000'000};
  CHECK(refusal(model, absurd) == "too-large");
}

TEST_CASE("the first catalogue that can run an operation answers for it") {
  GpuLibrary only_fp16 = plain_library();
  only_fp16.name = "halves";
  only_fp16.gemm[0].types = {"fp16"};
  const GpuModel model(plain_gpu(), {only_fp16, plain_library()});

  CHECK(model.library_of(product_op(64, 64, 64, DType::fp16)) == "halves");
  CHECK(model.library_of(product_op(64, 64, 64)) == "plain");
}

TEST_CASE("a small grid is what limits the residency of its kernel") {
  const GpuModel model(plain_gpu(), {plain_library()});
  CHECK(kernels_of(model, product_op(128, 128, 64))[0].occupancy_limit == OccupancyLimit::grid);
  CHECK(kernels_of(model, product_op(1280, 1280, 64))[0].occupancy_limit ==
        OccupancyLimit::registers);
}

TEST_CASE("the stated error widens from products to gradients of convolutions") {
  const GpuModel model = gpu_model("a100-80gb-pcie");
  const auto stated = [&](const Operation& op) { return model.doubt(op, Bound::compute).model; };
  const double product = stated(product_op(64, 64, 64));
  const double forward = stated(conv_op(1, 64, 56, 64, 3));
  const double weights = stated(conv_op(1, 64, 56, 64, 3, 1, 1, Pass::weight_gradient));

  CHECK(0.0 < product);
  CHECK(product < forward);
  CHECK(forward < weights);
}

TEST_CASE("products of the lanes and of the matrix units are families of their own") {
  const GpuModel model = gpu_model("a100-80gb-pcie");

  CHECK(model.doubt(product_op(64, 64, 64), Bound::compute).family == "gemm");
  CHECK(model.doubt(product_op(64, 64, 64, DType::fp16), Bound::compute).family == "matrix_gemm");
}

TEST_CASE(
    "a family of tiles may state an error of its own, and the first that takes the format does") {
  GpuLibrary library = plain_library();
  library.error.gemm = Fraction{0.3};
  CHECK(GpuModel(plain_gpu(), {library}).doubt(product_op(64, 64, 64), Bound::compute).model ==
        0.3);
  library.gemm[0].error = Fraction{0.05};
  CHECK(GpuModel(plain_gpu(), {library}).doubt(product_op(64, 64, 64), Bound::compute).model ==
        0.05);
}

TEST_CASE("what a library chooses is beaten less than missed; a stream errs both ways alike") {
  GpuLibrary library = plain_library();
  library.error.faster = Fraction{0.25};
  const GpuModel model(plain_gpu(), {library});
  const auto faster = [&](const Operation& op) { return model.doubt(op, Bound::compute).faster; };
  const auto rows = [](RowFn function) {
    Operation op;
    op.work = RowShape{function, 64, 64};
    return op;
  };

  CHECK(faster(product_op(64, 64, 64)) == 0.25);
  CHECK(faster(conv_op(1, 64, 56, 64, 3)) == 0.25);
  CHECK(faster(rows(RowFn::softmax)) == 0.25);
  CHECK(faster(rows(RowFn::layer_norm)) == 1.0);
  CHECK(faster(element_op(ElementFn::relu, 64)) == 1.0);
}

TEST_CASE("int8 convolution on the ordinary lanes is a family of its own") {
  GpuLibrary library = plain_library();
  library.error.convolution = Fraction{0.2};
  library.error.narrow_convolution = Fraction{0.8};
  const GpuModel model(plain_gpu(), {library});
  const auto stated = [&](DType type) {
    return model.doubt(conv_op(1, 64, 56, 64, 3, 1, 1, Pass::forward, type), Bound::compute).model;
  };

  CHECK(stated(DType::int8) == 0.8);
  CHECK(stated(DType::fp32) == 0.2);
}

TEST_CASE("a device whose rates nobody measured is doubted more, where such a rate binds") {
  const GpuModel known(plain_gpu(), {plain_library()}, {true, true, true, true});
  const GpuModel sheet(plain_gpu(), {plain_library()}, {true, false, false, false});
  const Operation op = product_op(64, 64, 64);

  CHECK(known.doubt(op, Bound::dram).parameters == 0.0);
  CHECK(sheet.doubt(op, Bound::dram).parameters > 0.0);
  CHECK(sheet.doubt(op, Bound::compute).parameters == 0.0);
  CHECK(sheet.doubt(op, Bound::dram).model == known.doubt(op, Bound::dram).model);
}

TEST_CASE("a board at its power limit slows down to the energy of its work") {
  GpuSpec spec = plain_gpu();
  PowerSpec power;
  power.limit = Power{10'000};  // 8 W above the idle share
  power.per_flop = Energy{10'000};
  power.per_l2_byte = power.per_dram_byte = Energy{0};
  spec.power = power;
  const GpuModel model(spec, {plain_library()});
  const KernelCost kernel = kernels_of(model, product_op(1280, 1280, 1024))[0];

  // 2 x 1280 x 1280 x 1024 FLOP x 10 pJ / 8 W = 4.194 ms, against 2.6 ms at full rate.
  CHECK(seconds(alone_time(kernel, model.rates())) == doctest::Approx(4.194304e-3).epsilon(1e-5));
  CHECK(kernel.groups[0].phases[0].unit_bound == Bound::power);
}

TEST_CASE("a T4 multiplies fp32 at about half of its listed peak, an A100 at nine tenths") {
  // Published: T4 45 to 58 % of 8.1 TFLOPS (70 W limit); A100 products near 0.9 of 19.5 TFLOPS.
  CHECK(flop_rate(gpu_model("t4"), product_op(8192, 8192, 8192)) / 8.141e12 ==
        doctest::Approx(0.45).epsilon(0.2));
  CHECK(flop_rate(gpu_model("a100-80gb-pcie"), product_op(8192, 8192, 8192)) / 19.49e12 ==
        doctest::Approx(0.9).epsilon(0.06));
}

TEST_CASE("renaming a device or a catalogue changes no time") {
  GpuSpec renamed = read_gpu("t4").value();
  renamed.name = "something else";
  CHECK(launched_seconds(gpu_model(renamed), product_op(500, 700, 900)) ==
        launched_seconds(gpu_model("t4"), product_op(500, 700, 900)));
}

}  // namespace tantalus::test

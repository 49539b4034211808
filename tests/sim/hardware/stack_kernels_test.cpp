#include "sim/hardware/stack_kernels.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/hardware/fake_model.hpp"

namespace tantalus::test {
namespace {

/// A device whose matrix units take half precision and want images channels_last; copies are known by their shape.
class MatrixModel final : public DeviceModel {
 public:
  Result<std::vector<KernelCost>> kernels(const Operation& operation,
                                          ReuseDistances) const override {
    const bool copy = std::holds_alternative<ElementwiseShape>(operation.work);
    KernelCost cost = kernel_of(1, {computing(1 * us)});
    cost.launch.name = copy ? "copy" : "convolution";
    cost.executed_flops = copy ? std::get<ElementwiseShape>(operation.work).elements : 0;
    return std::vector<KernelCost>{cost};
  }
  bool wants_channels_last(const Operation& operation) const override {
    return operation.type == DType::fp16;
  }
  bool wants_packed_weights(const Operation& operation) const override {
    return std::holds_alternative<ConvShape>(operation.work) && operation.type == DType::fp32;
  }
  DeviceRates rates() const override { return {1, {1'000 * gb_per_s, 100 * gb_per_s}}; }
  ListedPeaks listed_peaks(DType) const override { return {1e12, 1e11}; }
  std::array<Bound, shared_levels> level_bounds() const override {
    return {Bound::l2, Bound::dram};
  }
  Bytes memory_capacity() const override { return Bytes{1'000'000}; }
  Bytes context_bytes() const override { return Bytes{0}; }
  std::string library_of(const Operation&) const override { return "fake-library"; }
  bool library_is_generic() const override { return false; }
  Doubt doubt(const Operation&, Bound) const override { return {"fake", 0.25}; }
};

/// 8 channels of 10 x 10 to 16 of 10 x 10, 3 x 3: x 800 numbers, weights 1,152, y 1,600.
Operation convolution(Pass pass, DType type = DType::fp16) {
  const std::int64_t es = element_size(type);
  Operation op;
  op.pass = pass;
  op.type = type;
  op.work = ConvShape{1, 8, 10, 10, 16, 10, 10, 3, 3, 1, 1, 1, 1, 1, 1, 1};
  const TensorUse x{TensorId{0}, Bytes{800 * es}}, w{TensorId{1}, Bytes{1152 * es}},
      y{TensorId{2}, Bytes{1600 * es}};
  op.operands = {x, w, y};
  if (pass == Pass::weight_gradient) op.operands = {x, y, w};
  op.operands.back().written = true;
  return op;
}

std::string run(const StackSpec& stack, const Operation& operation) {
  const auto kernels = stack_kernels(stack, MatrixModel(), operation, {});
  REQUIRE(kernels.ok());
  std::string text;
  for (const KernelCost& kernel : *kernels) {
    text += kernel.launch.name;
    if (kernel.launch.name == "turn_layout") text += ":" + std::to_string(kernel.executed_flops);
    text += " ";
  }
  return text;
}

StackSpec channels_first() {
  StackSpec stack;
  stack.layout = TensorLayout::channels_first;
  return stack;
}

TEST_CASE("images that lie the other way are turned around before and after a convolution") {
  CHECK(run(channels_first(), convolution(Pass::forward)) ==
        "turn_layout:800 convolution turn_layout:1600 ");
  CHECK(run({}, convolution(Pass::forward)) == "convolution ");
}

TEST_CASE("a weight gradient reads two images and writes none") {
  CHECK(run(channels_first(), convolution(Pass::weight_gradient)) ==
        "turn_layout:800 turn_layout:1600 convolution ");
}

TEST_CASE("units that read any layout need no copies") {
  CHECK(run(channels_first(), convolution(Pass::forward, DType::fp32)) == "convolution ");
}

TEST_CASE("a pointwise convolution is a plain product where its planes can be loaded whole") {
  ConvShape shape{1, 8, 10, 10, 16, 10, 10, 1, 1, 1, 1, 0, 0, 1, 1, 1};
  CHECK_FALSE(is_plain_product(shape, DType::fp16));  // planes of 200 bytes
  shape.in_h = shape.in_w = shape.out_h = shape.out_w = 8;
  CHECK(is_plain_product(shape, DType::fp16));  // 128 bytes
  shape.stride_h = 2;
  CHECK_FALSE(is_plain_product(shape, DType::fp16));
}

StackSpec packing(WeightStore weights) {
  StackSpec stack;
  stack.weights = weights;
  return stack;
}

TEST_CASE("weights that each call packs are copied before the convolution, forward and for dx") {
  const Operation forward = convolution(Pass::forward, DType::fp32);
  CHECK(run({}, forward) == "convolution ");
  CHECK(run(packing(WeightStore::packed_each_call), forward) == "pack_weights convolution ");
  CHECK(run(packing(WeightStore::turned_each_call), forward) ==
        "turn_weights pack_weights convolution ");
  CHECK(
      run(packing(WeightStore::turned_each_call), convolution(Pass::input_gradient, DType::fp32)) ==
      "turn_weights pack_weights convolution ");
  CHECK(run(packing(WeightStore::turned_each_call),
            convolution(Pass::weight_gradient, DType::fp32)) == "convolution ");
}

TEST_CASE("weights of one tap lie alike in both layouts") {
  Operation pointwise = convolution(Pass::forward, DType::fp32);
  pointwise.work = ConvShape{1, 8, 10, 10, 16, 10, 10, 1, 1, 1, 1, 0, 0, 1, 1, 1};
  CHECK(run(packing(WeightStore::turned_each_call), pointwise) == "pack_weights convolution ");
}

TEST_CASE("a kernel that reads weights as they lie packs none") {
  CHECK(run(packing(WeightStore::turned_each_call), convolution(Pass::forward)) == "convolution ");
}

TEST_CASE("the first kernel that touches a large buffer takes the time of its pages") {
  // Weights of 1152 x 4 = 4608 bytes are two pages and y of 6400 bytes two; x is somebody else's.
  StackSpec stack = packing(WeightStore::packed_each_call);
  stack.buffers = {Bytes{4608}, Bytes{4096}, 3 * us};
  const auto kernels =
      stack_kernels(stack, MatrixModel(), convolution(Pass::forward, DType::fp32), {});
  REQUIRE(kernels.ok());
  CHECK(kernels->at(0).fixed == 6 * us);
  CHECK(kernels->at(1).fixed == 6 * us);

  stack.buffers.mapped_from = Bytes{4609};
  const auto kept =
      stack_kernels(stack, MatrixModel(), convolution(Pass::forward, DType::fp32), {});
  REQUIRE(kept.ok());
  CHECK(kept->at(0).fixed == Duration{0});
}

}  // namespace
}  // namespace tantalus::test

#include "sim/hardware/stack_spec.hpp"

#include <doctest/doctest.h>

#include "sim/workload/operation.hpp"

namespace tantalus {
namespace {

TEST_CASE("a stack file gives the host time per operator and the math mode") {
  const Result<StackSpec> stack = load_stack(
      "tantalus: stack/1\nname: eager\nhost_per_operator: 10 us\nmath: {convolution: tf32}\n",
      "s.yaml");

  REQUIRE(stack.ok());
  CHECK(stack->name == "eager");
  CHECK(stack->host_per_operator == Duration{10'000'000});
  CHECK(stack->math.convolution == Fp32Math::tf32);
  CHECK(stack->math.matmul == Fp32Math::fp32);
}

TEST_CASE(
    "a stack file says what the framework makes of layers, how images lie and which catalogues it "
    "brings") {
  const Result<StackSpec> stack = load_stack(
      "tantalus: stack/1\nhost_per_operator: 10 us\nlaunch: graph\nlayout: channels_first\n"
      "libraries: [cudnn-5]\noperators: {fusion: pointwise, half: autocast, gradients: "
      "accumulated, optimizer: adam, bytes_of_index: 4}\n",
      "s.yaml");

  REQUIRE(stack.ok());
  CHECK(stack->launch == LaunchMode::graph);
  CHECK(stack->layout == TensorLayout::channels_first);
  CHECK(stack->libraries == std::vector<std::string>{"cudnn-5"});
  CHECK(stack->operators == Software{Fusion::pointwise, HalfPrecision::autocast,
                                     GradientStore::accumulated, Optimizer::adam, false, 4});
}

TEST_CASE("mistakes in a stack file are reported together, with their places") {
  const Result<StackSpec> stack = load_stack(
      "tantalus: stack/1\nhost_per_operater: 10 us\nmath: {convolution: tf23}\n", "s.yaml");

  REQUIRE_FALSE(stack.ok());
  CHECK(stack.diagnostics().size() == 2);  // misspelt key, unknown word
  for (const Diagnostic& one : stack.diagnostics()) CHECK(one.where.line > 0);
}

TEST_CASE(
    "a call alone costs the time before its launch and hides what comes after behind the kernel") {
  constexpr Duration us{1'000'000};
  StackSpec stack;
  Operation operation;
  operation.work = GemmShape{};
  CHECK(single_call_time(stack, operation, 3 * us) == 8 * us);  // what any operator costs

  stack.single_call.matmul = 16 * us;
  stack.single_call.bias = 20 * us;
  stack.single_call.after = 10 * us;
  CHECK(single_call_time(stack, operation, 3 * us) == 26 * us);
  CHECK(single_call_time(stack, operation, 30 * us) == 46 * us);
  operation.bias = true;
  CHECK(single_call_time(stack, operation, 30 * us) == 66 * us);
  CHECK(single_call_time(on_host(stack, 2.0), operation, 3 * us) == 92 * us);
  operation.work = RowShape{RowFn::layer_norm, 1, 1, 1};
  CHECK(single_call_time(stack, operation, 30 * us) == 35 * us);
}

TEST_CASE("only fp32 convolutions and products may be rounded, each by its own word") {
  StackSpec stack;
  stack.math.convolution = Fp32Math::tf32;
  Operation operation;
  operation.work = ConvShape{};

  CHECK(may_use_tf32(stack, operation));
  operation.type = DType::fp16;
  CHECK_FALSE(may_use_tf32(stack, operation));
  operation.type = DType::fp32;
  operation.work = GemmShape{};
  CHECK_FALSE(may_use_tf32(stack, operation));
  stack.math.matmul = Fp32Math::tf32;
  CHECK(may_use_tf32(stack, operation));
  operation.work = ElementwiseShape{};
  CHECK_FALSE(may_use_tf32(stack, operation));
}

}  // namespace
}  // namespace tantalus

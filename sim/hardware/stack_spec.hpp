// The software on top of the device: how long the host takes to issue one operator and which arithmetic the framework lets
// fp32 operators use; how tensors lie, which kernel catalogues it brings, and what it makes of a network's layers. One file of
// hw_configs/libraries that begins `tantalus: stack/1`. A stack names no device: catalogues that are not for a part's kind or
// generation are passed over, and the part's own answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"
#include "sim/workload/software.hpp"

namespace tantalus {

struct Operation;

/// What a framework lets tensor cores do with fp32 operands.
enum class Fp32Math : std::uint8_t { fp32, tf32 };

struct MathModeSpec {
  Fp32Math convolution = Fp32Math::fp32;
  Fp32Math matmul = Fp32Math::fp32;
};

/// Host time of one operator that is called alone, between two marks of a timer, with nothing queued before it: what passes
/// before the launch, by operator, and from the launch to the second mark, which hides behind the kernel when that is longer.
struct SingleCallSpec {
  std::optional<Duration> elementwise, pooling, matmul, convolution, softmax, layer_norm, other;
  Duration bias;   // adds to a product that has one
  Duration after;  // from the launch to the second mark
};

/// eager: the host issues every operator. graph: it launches a captured graph of the whole step (CUDA graphs).
enum class LaunchMode : std::uint8_t { eager, graph };

/// How images lie in memory. Matrix units read channels_last; with channels_first a library turns the operands of such a
/// convolution around it.
enum class TensorLayout : std::uint8_t { channels_first, channels_last };

/// The weights of convolutions whose kernels want them in blocks: packed once and for all before the run; packed again by each
/// call from the plain tensor; or first turned channels_last, too, where the window has more than one tap.
enum class WeightStore : std::uint8_t { packed, packed_each_call, turned_each_call };

/// Buffers that the C library asks of the system anew for each call: the first touch of every page is a fault, in which the
/// system finds and clears it, and giving it back costs again.
struct FreshBufferSpec {
  Bytes mapped_from{0};  // 0: buffers are kept
  Bytes page{4096};
  Duration page_time{0};
};

struct StackSpec {
  std::string name = "plain";
  Duration host_per_operator{
      5'000'000};  // a plain C++ loop; docs/modelling.md, "The launch path and the host"
  SingleCallSpec single_call;
  Fraction host_error{0.5};  // of the host's times, as the shares of a catalogue's `error`
  LaunchMode launch = LaunchMode::eager;
  TensorLayout layout = TensorLayout::channels_last;
  WeightStore weights = WeightStore::packed;
  FreshBufferSpec buffers;
  std::vector<std::string> libraries;  // before those of the part, where they are for it
  MathModeSpec math;
  Software operators;
};

inline constexpr EnumName<Fp32Math> fp32_math_names[] = {{"fp32", Fp32Math::fp32},
                                                         {"tf32", Fp32Math::tf32}};

template <class Visitor>
void describe(Visitor& v, MathModeSpec& s) {
  v.choice("convolution", s.convolution, fp32_math_names, "arithmetic of fp32 convolutions");
  v.choice("matmul", s.matmul, fp32_math_names, "arithmetic of fp32 matrix products");
}

inline constexpr EnumName<LaunchMode> launch_mode_names[] = {{"eager", LaunchMode::eager},
                                                             {"graph", LaunchMode::graph}};
inline constexpr EnumName<TensorLayout> tensor_layout_names[] = {
    {"channels_first", TensorLayout::channels_first},
    {"channels_last", TensorLayout::channels_last}};
inline constexpr EnumName<WeightStore> weight_store_names[] = {
    {"packed", WeightStore::packed},
    {"packed_each_call", WeightStore::packed_each_call},
    {"turned_each_call", WeightStore::turned_each_call}};
inline constexpr EnumName<Fusion> fusion_names[] = {
    {"none", Fusion::none}, {"pointwise", Fusion::pointwise}, {"epilogue", Fusion::epilogue}};
inline constexpr EnumName<HalfPrecision> half_precision_names[] = {
    {"trained_mixed", HalfPrecision::trained_mixed},
    {"autocast", HalfPrecision::autocast},
    {"pure", HalfPrecision::pure}};
inline constexpr EnumName<GradientStore> gradient_store_names[] = {
    {"written", GradientStore::written},
    {"accumulated", GradientStore::accumulated},
    {"in_place", GradientStore::in_place}};
inline constexpr EnumName<Optimizer> optimizer_names[] = {
    {"sgd", Optimizer::sgd}, {"sgd_momentum", Optimizer::sgd_momentum}, {"adam", Optimizer::adam}};

template <class Visitor>
void describe(Visitor& v, Software& s) {
  v.choice("fusion", s.fusion, fusion_names,
           "none: a kernel each; pointwise: chains of element-wise layers are one; epilogue: they "
           "are part of the product before");
  v.choice("half", s.half, half_precision_names,
           "16-bit runs: trained_mixed: fp32 masters in training; autocast: always, cast each "
           "step; pure: 16 bits throughout");
  v.choice("gradients", s.gradients, gradient_store_names,
           "written: a step's gradients replace the old ones; accumulated: they are zeroed, then "
           "added; in_place: the product that computes them adds");
  v.choice("optimizer", s.optimizer, optimizer_names,
           "how a training step updates the parameters; decides what is kept beside them");
  v.defaulted("gradient_of_input", s.gradient_of_input, any_value,
              "the backward pass goes through to the network's input");
  v.defaulted("bytes_of_index", s.bytes_of_index, within(0, 8),
              "what max pooling remembers of each winner in training");
}

template <class Visitor>
void describe(Visitor& v, SingleCallSpec& s) {
  v.derived("elementwise", s.elementwise, not_negative, "host_per_operator",
            "element-wise operators");
  v.derived("pooling", s.pooling, not_negative, "host_per_operator", "pooling");
  v.derived("matmul", s.matmul, not_negative, "host_per_operator", "matrix products");
  v.derived("convolution", s.convolution, not_negative, "host_per_operator", "convolutions");
  v.derived("softmax", s.softmax, not_negative, "host_per_operator", "softmax");
  v.derived("layer_norm", s.layer_norm, not_negative, "host_per_operator", "layer normalisation");
  v.derived("other", s.other, not_negative, "host_per_operator", "every other operator");
  v.defaulted("bias", s.bias, not_negative, "adds to a product that has a bias");
  v.defaulted("after", s.after, not_negative,
              "from the launch to the second mark; hidden behind a longer kernel");
}

template <class Visitor>
void describe(Visitor& v, FreshBufferSpec& s) {
  v.defaulted("mapped_from", s.mapped_from, not_negative,
              "results of convolutions and packed weights of at least this size lie in pages that "
              "are mapped anew each call; 0 B: none");
  v.defaulted("page", s.page, positive, "size of a page");
  v.defaulted("page_time", s.page_time, not_negative,
              "time of the process for each such page: fault, clearing, giving it back");
}

template <class Visitor>
void describe(Visitor& v, StackSpec& s) {
  v.text("name", s.name, "the stack's full name");
  v.required("host_per_operator", s.host_per_operator, not_negative,
             "host time to issue one operator");
  v.defaulted_section(
      "single_call", s.single_call,
      "host time of one operator called alone between two marks of a timer, before its launch");
  v.defaulted("host_error", s.host_error, any_value,
              "80 % of the host's times lie within a factor of 1 + this of those above");
  v.choice("launch", s.launch, launch_mode_names,
           "eager: the host issues each operator; graph: one launch of a captured step");
  v.choice("layout", s.layout, tensor_layout_names,
           "how images lie; matrix units read channels_last and turn others around");
  v.choice(
      "weights", s.weights, weight_store_names,
      "of convolutions on processors whose kernels want them in blocks: packed before the run, "
      "packed_each_call, or turned_each_call (channels_last, then packed)");
  v.defaulted_section("buffers", s.buffers, "memory that is mapped anew in each call");
  v.list("libraries", s.libraries, any_value,
         "kernel catalogues that the stack brings, before those of the part");
  v.defaulted_section("math", s.math, "which operators may round fp32 operands to tf32");
  v.defaulted_section("operators", s.operators, "what the framework makes of a network's layers");
}

/// Reads a stack file's text.
Result<StackSpec> load_stack(std::string_view text, const std::string& file);

/// The same software on a host whose single calls take `factor` as long.
StackSpec on_host(StackSpec stack, double factor);

/// The operation called alone, from mark to mark, when it takes the device `run` from the launch on.
Duration single_call_time(const StackSpec& stack, const Operation& operation, Duration run);

/// True when the stack would run this fp32 operation in tf32 on a device that can.
bool may_use_tf32(const StackSpec& stack, const Operation& operation);

}  // namespace tantalus

#include "sim/hardware/stack_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tantalus {

namespace {

using Kernels = std::vector<KernelCost>;

constexpr std::int64_t bytes_of_a_load = 16;

// A framework may let tensor cores take fp32 operands; on a device without such units the library falls back to fp32.
Result<Kernels> choose(const StackSpec& stack, const DeviceModel& model, const Operation& operation,
                       ReuseDistances reuse) {
  if (may_use_tf32(stack, operation)) {
    Operation rounded = operation;
    rounded.type = DType::tf32;
    Result<Kernels> kernels = model.kernels(rounded, reuse);
    if (kernels) return kernels;
  }
  return model.kernels(operation, reuse);
}

/// The images among the operands of a convolution: forward x, ..., y; input gradient dy, w, dx; weight gradient x, dy, dw.
std::vector<std::size_t> images_of(const Operation& operation) {
  if (operation.operands.size() < 3) return {};
  if (operation.pass == Pass::weight_gradient) return {0, 1};
  return {0, operation.operands.size() - 1};
}

/// The copy that turns one image around: read as it lies, written beside it.
Operation turning(const Operation& operation, const TensorUse& image) {
  Operation copy;
  copy.name = operation.name;
  copy.layer = operation.layer;
  copy.pass = operation.pass;
  copy.type = operation.type;
  copy.work = ElementwiseShape{ElementFn::copy, image.size.count() / element_size(operation.type)};
  copy.operands = {image, image};
  copy.operands[0].written = false;
  copy.operands[1].written = true;
  return copy;
}

void append(Kernels& all, Kernels more) {
  for (KernelCost& kernel : more) {
    kernel.launch.name = "turn_layout";
    all.push_back(std::move(kernel));
  }
}

Result<Kernels> turned(const StackSpec& stack, const DeviceModel& model, const Operation& operation,
                       ReuseDistances reuse) {
  Kernels before, after;
  std::vector<Bytes> distances(reuse.begin(), reuse.end());
  distances.resize(operation.operands.size(), never_used);
  for (const std::size_t which : images_of(operation)) {
    const TensorUse& image = operation.operands[which];
    const Bytes passed = image.size + image.size;
    const std::vector<Bytes> of_copy = {image.written ? passed : distances[which], never_used};
    Result<Kernels> copy = model.kernels(turning(operation, image), of_copy);
    if (!copy) return copy.diagnostics();
    append(image.written ? after : before, std::move(copy).value());
    if (!image.written) distances[which] = passed;  // the copy has just been written
  }
  Result<Kernels> kernels = choose(stack, model, operation, distances);
  if (!kernels) return kernels;
  before.insert(before.end(), kernels.value().begin(), kernels.value().end());
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

// ---- Weights that each call packs

constexpr std::size_t weights_operand = 1;  // of the forward pass and of the gradient of the input

/// A buffer of this size is mapped anew in each call.
bool is_fresh(const FreshBufferSpec& buffers, Bytes size) {
  return buffers.mapped_from > Bytes{0} && size >= buffers.mapped_from;
}

/// Faults of one process pass through one lock, so that they take their time once, however many cores share the loop.
Duration first_touch(const FreshBufferSpec& buffers, Bytes size) {
  if (!is_fresh(buffers, size)) return Duration{0};
  return (1 + (size.count() - 1) / buffers.page.count()) * buffers.page_time;
}

bool packs_weights(const StackSpec& stack, const DeviceModel& model, const Operation& operation) {
  return stack.weights != WeightStore::packed && operation.pass != Pass::weight_gradient &&
         operation.operands.size() > weights_operand + 1 && model.wants_packed_weights(operation);
}

/// A window of one tap, or one channel a group, reads the same in both layouts.
bool turns_weights(const StackSpec& stack, const ConvShape& s) {
  return stack.weights == WeightStore::turned_each_call && s.kernel_h * s.kernel_w > 1 &&
         s.in_ch > s.groups;
}

/// One copy of the weights into a buffer of the call's own. A kept buffer is one that the layer before used for its weights.
Result<Kernels> copied_weights(const StackSpec& stack, const DeviceModel& model,
                               const Operation& operation, Bytes distance, const char* name) {
  const TensorUse& weights = operation.operands[weights_operand];
  const Bytes kept = is_fresh(stack.buffers, weights.size) ? never_used : 4 * weights.size;
  const std::vector<Bytes> distances = {distance, kept};
  Result<Kernels> copy = model.kernels(turning(operation, weights), distances);
  if (!copy) return copy;
  for (KernelCost& kernel : copy.value()) kernel.launch.name = name;
  copy.value().front().fixed += first_touch(stack.buffers, weights.size);
  return copy;
}

Result<Kernels> packed(const StackSpec& stack, const DeviceModel& model, const Operation& operation,
                       ReuseDistances reuse) {
  std::vector<Bytes> distances(reuse.begin(), reuse.end());
  distances.resize(operation.operands.size(), never_used);
  Kernels all;
  const auto copy = [&](const char* name) {
    Bytes& distance = distances[weights_operand];
    Result<Kernels> one = copied_weights(stack, model, operation, distance, name);
    if (one) all.insert(all.end(), one->begin(), one->end());
    distance = 2 * operation.operands[weights_operand].size;
    return one.diagnostics();
  };
  if (turns_weights(stack, std::get<ConvShape>(operation.work))) {
    if (Diagnostics why = copy("turn_weights"); has_errors(why)) return why;
  }
  if (Diagnostics why = copy("pack_weights"); has_errors(why)) return why;
  Result<Kernels> kernels = choose(stack, model, operation, distances);
  if (!kernels) return kernels;
  kernels.value().front().fixed += first_touch(stack.buffers, operation.operands.back().size);
  all.insert(all.end(), kernels->begin(), kernels->end());
  return all;
}

bool lies_the_other_way(const StackSpec& stack, const DeviceModel& model,
                        const Operation& operation) {
  const auto* conv = std::get_if<ConvShape>(&operation.work);
  if (conv == nullptr || stack.layout == TensorLayout::channels_last) return false;
  Operation run = operation;
  if (may_use_tf32(stack, operation)) run.type = DType::tf32;
  return model.wants_channels_last(run) && !is_plain_product(*conv, run.type);
}

}  // namespace

bool is_plain_product(const ConvShape& s, DType type) {
  const std::int64_t plane = s.in_h * s.in_w * element_size(type);
  return s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 && s.pad_h == 0 &&
         s.pad_w == 0 && plane % bytes_of_a_load == 0;
}

Result<Kernels> stack_kernels(const StackSpec& stack, const DeviceModel& model,
                              const Operation& operation, ReuseDistances reuse) {
  if (lies_the_other_way(stack, model, operation)) return turned(stack, model, operation, reuse);
  if (packs_weights(stack, model, operation)) return packed(stack, model, operation, reuse);
  return choose(stack, model, operation, reuse);
}

}  // namespace tantalus

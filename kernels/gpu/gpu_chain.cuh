// A program (kernels/program.hpp) made ready to run by the CUDA kernels of this folder: tensors in device memory, tiles chosen, one
// call a step. The same text serves a GPU and, under the emulator, the tests. Steps follow each other on one stream and do not
// wait; values() does. Making a chain throws std::runtime_error for a step that has no kernel or is too large for 32-bit indices.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/chain.hpp"
#include "kernels/gpu/conv.cuh"
#include "kernels/gpu/device_memory.cuh"
#include "kernels/gpu/elementwise.cuh"
#include "kernels/gpu/gemm.cuh"
#include "kernels/gpu/lrn.cuh"
#include "kernels/gpu/pool.cuh"
#include "kernels/gpu/product_choice.hpp"
#include "kernels/gpu/sgd.cuh"
#include "kernels/gpu/softmax.cuh"
#include "kernels/gpu/stream.cuh"

namespace tantalus::kernels {

inline int index_of(std::int64_t count) {
  if (count > std::numeric_limits<int>::max())
    throw std::runtime_error("a tensor of " + std::to_string(count) +
                             " elements is too large for the kernels' 32-bit indices");
  return static_cast<int>(count);
}

inline ConvShape shape_of(const ConvSize& s) {
  if (s.dilation_h != 1 || s.dilation_w != 1)
    throw std::runtime_error("a dilated convolution has no CUDA kernel here");
  return {index_of(s.batch),    index_of(s.in_ch),    index_of(s.in_h),     index_of(s.in_w),
          index_of(s.out_ch),   index_of(s.out_h),    index_of(s.out_w),    index_of(s.kernel_h),
          index_of(s.kernel_w), index_of(s.stride_h), index_of(s.stride_w), index_of(s.pad_h),
          index_of(s.pad_w),    index_of(s.groups)};
}

inline LinearShape shape_of(const LinearSize& s) {
  return {index_of(s.batch), index_of(s.in), index_of(s.out)};
}

inline PoolShape shape_of(const PoolSize& s) {
  return {index_of(s.batch * s.channels),
          index_of(s.in_h),
          index_of(s.in_w),
          index_of(s.out_h),
          index_of(s.out_w),
          index_of(s.kernel_h),
          index_of(s.kernel_w),
          index_of(s.stride_h),
          index_of(s.stride_w),
          0,
          0};
}

inline LrnShape shape_of(const LrnSize& s) {
  return {index_of(s.batch),
          index_of(s.channels),
          index_of(s.height * s.width),
          index_of(s.window),
          lrn_alpha,
          lrn_beta,
          lrn_k};
}

class GpuChain final : public Chain {
 public:
  /// `choose` says how each product is run.
  GpuChain(Stream stream, const Program& program, const Chooser& choose);

  std::vector<float> values(int tensor) const override {
    const DeviceMemory& memory = memory_.at(static_cast<std::size_t>(tensor));
    std::vector<float> all(static_cast<std::size_t>(memory.bytes()) / sizeof(float));
    wait_for(stream_);
    copy_to_host(all.data(), memory.view<float>(0).data, all.size() * sizeof(float));
    return all;
  }
  void set_values(int tensor, std::span<const float> values) override {
    copy_to_device(floats(tensor).data, values.data(), values.size() * sizeof(float));
  }

  /// What the launches of the step claim; known once it has run.
  const Claim& claim(std::size_t step) const { return claims_.at(step); }
  const ProductChoice& choice(std::size_t step) const { return choices_.at(step); }
  void run() const {
    for (const Kernel& kernel : kernels_) kernel.run();
  }

 private:
  using Work = std::function<Claim()>;

  const DeviceMemory& at(int tensor) const { return memory_.at(static_cast<std::size_t>(tensor)); }
  Floats floats(int tensor) const {
    if (tensor == none) return {};
    return at(tensor).view<float>(index_of(at(tensor).bytes() / std::int64_t{sizeof(float)}));
  }
  /// The places of maxima: as many as there are outputs, however large the tensor.
  View<int> places(int tensor, int count) const {
    return tensor == none ? View<int>{} : at(tensor).view<int>(count);
  }
  Bytes mask(int tensor, std::int64_t count) const {
    return at(tensor).view<std::uint8_t>(index_of(count));
  }
  ProductPlan plan(const ProductChoice& choice) const {
    return {choice.tile, choice.split, parts_.view<float>(parts_.bytes() / 4)};
  }
  Floats columns(const ConvShape& s) const {
    return columns_.view<float>(index_of(column_elements(s)));
  }

  void make_room();
  std::string implementation_of(std::size_t step) const;

  Work work(std::size_t i, const ConvSize& size) const;
  Work work(std::size_t i, const LinearSize& size) const;
  Work work(std::size_t i, const PoolSize& size) const;
  Work work(std::size_t i, const LrnSize& size) const;
  Work work(std::size_t i, const SoftmaxSize& size) const;
  Work work(std::size_t i, const ElementSize& size) const;
  Work work(std::size_t i, const UpdateSize& size) const;

  Stream stream_;
  Program program_;
  std::vector<DeviceMemory> memory_;
  DeviceMemory parts_, columns_;
  std::vector<ProductChoice> choices_;
  std::vector<Claim> claims_;
};

inline GpuChain::GpuChain(Stream stream, const Program& program, const Chooser& choose)
    : stream_(stream), program_(program), claims_(program.steps.size()) {
  for (std::size_t i = 0; i < program.tensor_bytes.size(); ++i) {
    const int tensor = static_cast<int>(i);
    memory_.emplace_back((program.tensor_bytes[i] + 3) / 4 * 4);
    if (holds_numbers(program, tensor)) {
      const auto count = static_cast<std::size_t>(memory_.back().bytes()) / sizeof(float);
      set_values(tensor, first_values(program, tensor, count));
    }
  }
  for (const Step& step : program.steps) choices_.push_back(choose(step));
  make_room();
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    const Work run = std::visit([&](const auto& size) { return work(i, size); }, step.size);
    kernels_.push_back({i, false, implementation_of(i), flops_of(step), bytes_of(step, program),
                        [this, i, run] { claims_[i] = run(); }});
  }
}

// One buffer each for the column matrices and for the parts of products, as large as the largest needs.
inline void GpuChain::make_room() {
  std::int64_t columns = 0, parts = 0;
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const ProductChoice& choice = choices_[i];
    const ProductExtent p = extent_of(program_.steps[i], choice.columns);
    parts = std::max(parts, part_elements(p.m * p.n * p.groups, choice.split));
    const auto* conv = std::get_if<ConvSize>(&program_.steps[i].size);
    if (conv != nullptr && choice.columns)
      columns = std::max(columns, column_elements(shape_of(*conv)));
  }
  columns_ = DeviceMemory(index_of(columns) * std::int64_t{sizeof(float)});
  parts_ = DeviceMemory(index_of(parts) * std::int64_t{sizeof(float)});
}

inline std::string GpuChain::implementation_of(std::size_t step) const {
  const StepSize& size = program_.steps[step].size;
  const bool conv = std::holds_alternative<ConvSize>(size);
  if (program_.steps[step].direction == Direction::bias_gradient) return "sum";
  if (!conv && !std::holds_alternative<LinearSize>(size)) return "stream";
  const ProductChoice& choice = choices_[step];
  const TileFacts tile = facts_of(choice.tile);
  std::string name = !conv ? "gemm" : choice.columns ? "im2col_gemm" : "implicit_gemm";
  name += "_" + std::to_string(tile.m) + "x" + std::to_string(tile.n);
  if (choice.split > 1) name += "_split" + std::to_string(choice.split);
  return name;
}

inline GpuChain::Work GpuChain::work(std::size_t i, const ConvSize& size) const {
  const ConvShape s = shape_of(size);
  const Roles r = program_.steps[i].at;
  const ProductPlan how = plan(choices_[i]);
  const bool by_columns = choices_[i].columns;
  switch (program_.steps[i].direction) {
    case Direction::forward:
      return [=, this] {
        Claim claim = by_columns ? im2col_conv(stream_, how, s, floats(r.x), floats(r.w),
                                               columns(s), floats(r.y))
                                 : conv(stream_, how, s, floats(r.x), floats(r.w), floats(r.y));
        if (r.bias != none) claim = claim + bias(stream_, floats(r.bias), s.plane(), floats(r.y));
        return claim;
      };
    case Direction::input_gradient:
      return [=, this] {
        const Floats dy = floats(r.dy), w = floats(r.w), dx = floats(r.dx);
        return by_columns ? im2col_input_gradient(stream_, how, s, dy, w, columns(s), dx)
                          : conv_input_gradient(stream_, how, s, dy, w, dx);
      };
    case Direction::weight_gradient:
      return [=, this] {
        const Floats dy = floats(r.dy), x = floats(r.x), dw = floats(r.dw);
        return by_columns ? im2col_weight_gradient(stream_, how, s, dy, x, columns(s), dw)
                          : conv_weight_gradient(stream_, how, s, dy, x, dw);
      };
    default:
      return [=, this] { return bias_gradient(stream_, floats(r.dy), s.plane(), floats(r.db)); };
  }
}

inline GpuChain::Work GpuChain::work(std::size_t i, const LinearSize& size) const {
  const LinearShape s = shape_of(size);
  const Roles r = program_.steps[i].at;
  const ProductPlan how = plan(choices_[i]);
  switch (program_.steps[i].direction) {
    case Direction::forward:
      return [=, this] {
        Claim claim = linear(stream_, how, s, floats(r.x), floats(r.w), floats(r.y));
        if (r.bias != none) claim = claim + bias(stream_, floats(r.bias), 1, floats(r.y));
        return claim;
      };
    case Direction::input_gradient:
      return [=, this] {
        return linear_input_gradient(stream_, how, s, floats(r.dy), floats(r.w), floats(r.dx));
      };
    case Direction::weight_gradient:
      return [=, this] {
        return linear_weight_gradient(stream_, how, s, floats(r.dy), floats(r.x), floats(r.dw));
      };
    default:
      return [=, this] { return bias_gradient(stream_, floats(r.dy), 1, floats(r.db)); };
  }
}

inline GpuChain::Work GpuChain::work(std::size_t i, const PoolSize& size) const {
  const PoolShape s = shape_of(size);
  const Roles r = program_.steps[i].at;
  const int outputs = s.planes * s.out_h * s.out_w;
  if (program_.steps[i].direction == Direction::forward) {
    if (size.average)
      return [=, this] { return average_pool(stream_, s, floats(r.x), floats(r.y)); };
    return [=, this] {
      return max_pool(stream_, s, floats(r.x), floats(r.y), places(r.saved, outputs));
    };
  }
  if (size.average)
    return [=, this] { return average_pool_gradient(stream_, s, floats(r.dy), floats(r.dx)); };
  if (r.saved == none)
    throw std::runtime_error("the gradient of max pooling needs the places of the maxima");
  return [=, this] {
    return max_pool_gradient(stream_, s, floats(r.dy), places(r.saved, outputs), floats(r.dx));
  };
}

inline GpuChain::Work GpuChain::work(std::size_t i, const LrnSize& size) const {
  const LrnShape s = shape_of(size);
  const Roles r = program_.steps[i].at;
  if (program_.steps[i].direction == Direction::forward)
    return [=, this] { return lrn(stream_, s, floats(r.x), floats(r.saved), floats(r.y)); };
  return [=, this] {
    return lrn_gradient(stream_, s, floats(r.x), floats(r.y), floats(r.saved), floats(r.dy),
                        floats(r.dx));
  };
}

inline GpuChain::Work GpuChain::work(std::size_t i, const SoftmaxSize& size) const {
  const Roles r = program_.steps[i].at;
  const int classes = index_of(size.cols);
  if (program_.steps[i].direction == Direction::forward)
    return [=, this] { return softmax(stream_, floats(r.x), classes, floats(r.y)); };
  return [=, this] {
    return softmax_gradient(stream_, floats(r.dy), floats(r.y), classes, floats(r.dx));
  };
}

inline GpuChain::Work GpuChain::work(std::size_t i, const ElementSize& size) const {
  const Roles r = program_.steps[i].at;
  const bool forward = program_.steps[i].direction == Direction::forward;
  const std::int64_t count = size.elements;
  const auto seed = static_cast<unsigned>(i) + 1;
  switch (size.kind) {
    case ElementKind::relu:
      if (forward) return [=, this] { return relu(stream_, floats(r.x), floats(r.y)); };
      return [=, this] { return relu_gradient(stream_, floats(r.y), floats(r.dy), floats(r.dx)); };
    case ElementKind::tanh:
      if (forward)
        return [=, this] { return smooth<Tanh>(stream_, "tanh", floats(r.x), floats(r.y)); };
      return [=, this] {
        return smooth_gradient<Tanh>(stream_, "tanh_gradient", floats(r.y), floats(r.dy),
                                     floats(r.dx));
      };
    case ElementKind::sigmoid:
      if (forward)
        return [=, this] { return smooth<Sigmoid>(stream_, "sigmoid", floats(r.x), floats(r.y)); };
      return [=, this] {
        return smooth_gradient<Sigmoid>(stream_, "sigmoid_gradient", floats(r.y), floats(r.dy),
                                        floats(r.dx));
      };
    case ElementKind::dropout:
      if (forward) {
        return [=, this] {
          return dropout(stream_, floats(r.x), seed, dropout_scale, mask(r.saved, count),
                         floats(r.y));
        };
      }
      return [=, this] {
        return dropout_gradient(stream_, floats(r.dy), dropout_scale, mask(r.saved, count),
                                floats(r.dx));
      };
    case ElementKind::add:
      return [=, this] { return stream_add(stream_, floats(r.x), floats(r.x2), floats(r.y)); };
    case ElementKind::copy:
      return [=, this] { return stream_copy(stream_, floats(r.x), floats(r.y)); };
  }
  throw std::runtime_error("an element-wise step of no kind");
}

inline GpuChain::Work GpuChain::work(std::size_t, const UpdateSize& size) const {
  return [this, size] {
    Claim claim;
    for (const UpdateSize::Part& part : size.parts) {
      claim = claim + sgd(stream_, {sgd_rate, sgd_momentum, 0.0F}, floats(part.gradient),
                          floats(part.momentum), floats(part.weights));
    }
    return claim;
  };
}

}  // namespace tantalus::kernels

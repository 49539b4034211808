// Internal to lower(): one network, one run, and the step that grows. Forward and backward of each kind live in
// lower_forward.cpp and lower_backward.cpp, parameters and updates in lower.cpp. What each kind moves is listed in lower.hpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/dnn/layers.hpp"
#include "models/dnn/run_spec.hpp"
#include "models/dnn/step_builder.hpp"
#include "sim/workload/task_graph.hpp"

namespace tantalus {

class Lowering {
 public:
  Lowering(const Network& network, const RunSpec& run);
  TaskGraph run();

 private:
  /// The tensors of one parameter. `written`: this step has put a gradient there, so that the next one is added.
  struct ParameterTensors {
    TensorId master, gradient;
    std::vector<TensorId> state;   // optimizer's
    std::optional<TensorId> cast;  // half precision copy of this micro-batch
    bool written = false;
  };

  /// The gradient of an activation. `shared`: other activations' gradients are the same memory, so nobody may add into it.
  struct Gradient {
    TensorId tensor;
    bool shared = false;
    std::vector<std::pair<std::int64_t, std::int64_t>>
        slices;  // (parts, part) written so far, when not whole
  };

  // ---- lower.cpp
  void add_layers();
  void add_parameters();
  void run_micro_batch(std::int64_t index);
  void update();
  void update_layer(std::size_t number);
  void cast_parameters(const Layer& layer);
  void cast_input();
  void zero_gradients();

  /// Where a layer writes the gradient of a parameter, and what follows: a cast to fp32, an addition to an earlier one.
  TensorId begin_parameter_gradient(std::size_t parameter, bool half);
  void end_parameter_gradient(std::size_t parameter, const char* what, TensorId tensor, bool half);

  // ---- lower_fusion.cpp
  /// Which layers share a kernel: for each the layer with which it is emitted, itself when alone.
  void plan_fusion();
  bool is_fusable(const Layer& layer) const;
  bool emitted_later(const Layer& layer) const {
    return root_[number_of(layer)] != number_of(layer);
  }
  bool has_followers(const Layer& layer) const { return is_joined_[number_of(layer)]; }
  void join(std::size_t layer, std::size_t root);
  void forward_joined(const Layer& root);
  void collect_joined(const Layer& layer, std::size_t root, std::vector<TensorUse>& operands,
                      std::int64_t& ops, ElementFn& fn) const;

  // ---- lower_forward.cpp
  void forward(const Layer& layer);
  void forward_product(const Layer& layer, const Work& work);
  void forward_element_wise(const Layer& layer, ElementFn fn);
  void forward_max_pool(const Layer& layer);
  void forward_lrn(const Layer& layer);
  void forward_batch_norm(const Layer& layer);
  void forward_layer_norm(const Layer& layer);
  void forward_join(const Layer& layer, ElementFn fn);
  void forward_embedding(const Layer& layer);

  // ---- lower_backward.cpp
  void backward(const Layer& layer);
  void backward_product(const Layer& layer, TensorId dy);
  void backward_matmul(const Layer& layer, TensorId dy);
  void backward_element_wise(const Layer& layer, TensorId dy, ElementFn fn);
  void backward_softmax(const Layer& layer, TensorId dy);
  void backward_pool(const Layer& layer, TensorId dy);
  void backward_lrn(const Layer& layer, TensorId dy);
  void backward_batch_norm(const Layer& layer, TensorId dy);
  void backward_layer_norm(const Layer& layer, TensorId dy);
  void backward_mul(const Layer& layer, TensorId dy);
  void backward_copy(const Layer& layer, TensorId dy);
  void backward_slice(const Layer& layer, TensorId dy);
  void backward_embedding(const Layer& layer, TensorId dy);
  void backward_dropout(const Layer& layer, TensorId dy);
  void pass_on(const Layer& layer);  // inputs get the very gradient of the output

  bool needs_gradient(std::size_t activation) const;
  bool wants_gradient(const Layer& layer, std::size_t which = 0) const {
    return needs_gradient(layer.inputs[which]);
  }
  TensorId gradient_of_output(const Layer& layer);
  TensorId new_gradient(std::size_t activation);
  /// Adds a whole gradient to what the activation has already.
  void merge_gradient(std::size_t activation, TensorId tensor, bool shared);
  void emit_sum(std::size_t activation, TensorId a, TensorId b, TensorId sum);

  // ---- sizes and operands
  Bytes bytes_of(std::size_t activation) const;
  std::int64_t elements_of(std::size_t activation) const {
    return network_.activations[activation].shape.elements() * micro_;
  }
  TensorUse read(std::size_t activation) const {
    return {value_[activation], bytes_of(activation)};
  }
  TensorUse write(std::size_t activation) const {
    return {value_[activation], bytes_of(activation), true};
  }
  TensorUse read_parameter(std::size_t parameter) const;
  TensorUse whole(TensorId tensor, bool written = false) const {
    return {tensor, builder_.size_of(tensor), written};
  }

  Operation operation(const Layer& layer, Pass pass, const Work& work) const;
  void emit_elements(const Layer& layer, Pass pass, const std::string& suffix, ElementFn fn,
                     std::int64_t elements, std::vector<TensorUse> operands, std::int64_t ops_each);
  TensorId transient(Bytes size) { return builder_.add_tensor(size, TensorRole::transient); }
  TensorId make_output(const Layer& layer);
  ConvShape batched(ConvShape conv) const;
  GemmShape batched(const Layer& layer) const;
  PoolShape batched(PoolShape pool) const;
  RowShape rows_of(const Layer& layer, RowFn fn) const;

  bool training() const { return run_.mode == Mode::training; }
  bool autocast() const { return element_ == 2 && run_.software.half == HalfPrecision::autocast; }
  /// fp32 master weights beside arithmetic in half precision.
  bool mixed() const {
    return element_ == 2 && run_.software.half != HalfPrecision::pure && (training() || autocast());
  }
  /// Bytes of a number that training keeps: a master weight, a gradient, the optimizer's state.
  std::int64_t kept_element() const { return mixed() || element_ > 4 ? 4 : element_; }
  /// The product of a weight gradient adds to it, so that it reads what is there.
  bool adds_in_place(bool half) const {
    return run_.software.gradients == GradientStore::in_place && !half;
  }
  std::size_t number_of(const Layer& layer) const {
    return static_cast<std::size_t>(&layer - network_.layers.data());
  }

  const Network& network_;
  RunSpec run_;
  StepBuilder builder_;
  std::int64_t micro_ = 1;            // samples at a time
  std::int64_t element_ = 4;          // bytes of an element of an activation
  DType storage_ = DType::fp32;       // its format: tf32 is a way to multiply, not to store
  std::string name_suffix_;           // of operations of later micro-batches
  std::vector<std::size_t> readers_;  // how many layers read each activation
  std::vector<std::size_t> root_;     // of each layer: the one with which it is emitted
  std::vector<std::optional<std::size_t>> head_;  // of each root: the product that it belongs to
  std::vector<bool> is_joined_;                   // of each root: others are emitted with it
  std::vector<bool> gives_bias_;  // of each convolution: whoever reads it adds its bias

  std::vector<ParameterTensors> parameters_;
  // Of the current micro-batch:
  std::vector<TensorId> value_;  // of each activation
  std::vector<std::optional<TensorId>>
      saved_;  // of each layer: index, mask, scale or statistics for the backward pass
  std::vector<std::optional<Gradient>> gradients_;  // of each activation
};

}  // namespace tantalus

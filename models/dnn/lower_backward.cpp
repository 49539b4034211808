#include <algorithm>
#include <utility>

#include "models/dnn/lowering.hpp"
#include "models/dnn/op_counts.hpp"

namespace tantalus {

namespace {

/// dX[m x k] = dY[m x n] W[n x k]: the weights lie as n x k, so nothing is turned.
GemmShape input_gradient_of_linear(const GemmShape& forward) {
  return {1, forward.m, forward.k, forward.n, false, false};
}

/// dW[n x k] = dY^T[n x m] X[m x k]: dY lies as m x n, so it is read turned.
GemmShape weight_gradient_of_linear(const GemmShape& forward) {
  return {1, forward.n, forward.k, forward.m, true, false};
}

/// dA = dC B^T, kept as A is kept. C = A B with A m x k, B k x n, each perhaps stored turned.
GemmShape gradient_of_a(const GemmShape& f) {
  if (f.trans_a)
    return {f.batch, f.k, f.m, f.n, f.trans_b, true};  // dA^T[k x m] = B[k x n] dC^T[n x m]
  return {f.batch, f.m, f.k, f.n, false, !f.trans_b};  // dA[m x k] = dC[m x n] B^T[n x k]
}

/// dB = A^T dC, kept as B is kept.
GemmShape gradient_of_b(const GemmShape& f) {
  if (f.trans_b)
    return {f.batch, f.n, f.k, f.m, true, f.trans_a};  // dB^T[n x k] = dC^T[n x m] A[m x k]
  return {f.batch, f.k, f.n, f.m, !f.trans_a, false};  // dB[k x n] = A^T[k x m] dC[m x n]
}

}  // namespace

void Lowering::backward(const Layer& layer) {
  const TensorId dy = gradient_of_output(layer);
  switch (layer.kind) {
    case LayerKind::conv2d:
    case LayerKind::linear:
      return backward_product(layer, dy);
    case LayerKind::matmul:
      return backward_matmul(layer, dy);
    case LayerKind::max_pool:
    case LayerKind::avg_pool:
    case LayerKind::global_avg_pool:
      return backward_pool(layer, dy);
    case LayerKind::relu:
      return backward_element_wise(layer, dy, ElementFn::relu);
    case LayerKind::gelu:
      return backward_element_wise(layer, dy, ElementFn::gelu);
    case LayerKind::tanh:
      return backward_element_wise(layer, dy, ElementFn::tanh);
    case LayerKind::sigmoid:
      return backward_element_wise(layer, dy, ElementFn::sigmoid);
    case LayerKind::scale:
    case LayerKind::mask:
      return backward_element_wise(layer, dy, ElementFn::scale);
    case LayerKind::softmax:
      return backward_softmax(layer, dy);
    case LayerKind::lrn:
      return backward_lrn(layer, dy);
    case LayerKind::batch_norm:
      return backward_batch_norm(layer, dy);
    case LayerKind::layer_norm:
      return backward_layer_norm(layer, dy);
    case LayerKind::add:
    case LayerKind::flatten:
      return pass_on(layer);
    case LayerKind::mul:
      return backward_mul(layer, dy);
    case LayerKind::concat:
    case LayerKind::split_heads:
    case LayerKind::merge_heads:
      return backward_copy(layer, dy);
    case LayerKind::dropout:
      return backward_dropout(layer, dy);
    case LayerKind::embedding:
      return backward_embedding(layer, dy);
    case LayerKind::slice:
      return backward_slice(layer, dy);
  }
}

// ------------------------------------------------------------------------------------------- gradients of activations

bool Lowering::needs_gradient(std::size_t activation) const {
  const Activation& value = network_.activations[activation];
  return value.needs_gradient || (run_.software.gradient_of_input && !value.tokens);
}

// What nobody reads is the network's result: the loss, which is not part of the network, hands its gradient in.
TensorId Lowering::gradient_of_output(const Layer& layer) {
  std::optional<Gradient>& gradient = gradients_[layer.output];
  if (!gradient) {
    gradient = Gradient{new_gradient(layer.output), false, {}};
    builder_.follow(gradient->tensor, value_[layer.output]);
  }
  return gradient->tensor;
}

TensorId Lowering::new_gradient(std::size_t activation) { return transient(bytes_of(activation)); }

void Lowering::merge_gradient(std::size_t activation, TensorId tensor, bool shared) {
  std::optional<Gradient>& there = gradients_[activation];
  if (!there) {
    there = Gradient{tensor, shared, {}};
    return;
  }
  TensorId sum = shared ? there->tensor : tensor;
  if (shared && there->shared) sum = new_gradient(activation);
  emit_sum(activation, there->tensor, tensor, sum);
  there = Gradient{sum, false, {}};
}

// Reported in the layer whose value was read several times; of the network's input, in the first layer.
void Lowering::emit_sum(std::size_t activation, TensorId a, TensorId b, TensorId sum) {
  const Layer& layer = network_.layers[activation == 0 ? 0 : activation - 1];
  const Bytes size = bytes_of(activation);
  emit_elements(layer, Pass::input_gradient, ".sum", ElementFn::add, elements_of(activation),
                {{a, size}, {b, size}, {sum, size, true}}, 1);
}

void Lowering::pass_on(const Layer& layer) {
  const Gradient& gradient = *gradients_[layer.output];
  const TensorId tensor = gradient.tensor;
  const auto wanting = std::count_if(layer.inputs.begin(), layer.inputs.end(),
                                     [&](std::size_t input) { return needs_gradient(input); });
  const bool shared = gradient.shared || wanting > 1;
  for (const std::size_t input : layer.inputs) {
    if (needs_gradient(input)) merge_gradient(input, tensor, shared);
  }
}

// ----------------------------------------------------------------------------------------------------------- products

void Lowering::backward_product(const Layer& layer, TensorId dy) {
  const std::size_t x = layer.inputs[0];
  const bool conv = layer.kind == LayerKind::conv2d;
  const GemmShape gemm = batched(layer);
  if (wants_gradient(layer)) {
    const TensorId dx = new_gradient(x);
    Operation made = conv ? operation(layer, Pass::input_gradient, batched(layer.conv))
                          : operation(layer, Pass::input_gradient, input_gradient_of_linear(gemm));
    made.type = run_.precision;
    made.operands = {whole(dy), read_parameter(*layer.weight), whole(dx, true)};
    made.macs = layer.macs * micro_;
    builder_.emit(std::move(made));
    merge_gradient(x, dx, false);
  }
  const TensorId dw = begin_parameter_gradient(*layer.weight, mixed());
  Operation made = conv ? operation(layer, Pass::weight_gradient, batched(layer.conv))
                        : operation(layer, Pass::weight_gradient, weight_gradient_of_linear(gemm));
  made.type = run_.precision;
  made.operands = {read(x), whole(dy), whole(dw, true)};
  if (adds_in_place(mixed())) made.operands.push_back(whole(dw));
  made.macs = layer.macs * micro_;
  builder_.emit(std::move(made));
  end_parameter_gradient(*layer.weight, "weight", dw, mixed());
  if (!layer.bias) return;

  const TensorId db = begin_parameter_gradient(*layer.bias, mixed());
  const std::int64_t width = network_.parameters[*layer.bias].elements;
  const std::int64_t elements = elements_of(layer.output);
  RowShape rows{RowFn::reduce, width, elements / width};
  if (conv) rows.images = micro_;
  Operation sum = operation(layer, Pass::bias_gradient, rows);
  sum.operands = {whole(dy), whole(db, true)};
  sum.other_ops = elements;
  builder_.emit(std::move(sum));
  end_parameter_gradient(*layer.bias, "bias", db, mixed());
}

void Lowering::backward_matmul(const Layer& layer, TensorId dy) {
  const GemmShape forward = batched(layer);
  for (std::size_t which = 0; which < 2; ++which) {
    if (!wants_gradient(layer, which)) continue;
    const TensorId gradient = new_gradient(layer.inputs[which]);
    Operation made = operation(layer, Pass::input_gradient,
                               which == 0 ? gradient_of_a(forward) : gradient_of_b(forward));
    made.name += which == 0 ? ".a" : ".b";
    made.type = run_.precision;
    made.operands = {whole(dy), read(layer.inputs[1 - which]), whole(gradient, true)};
    made.macs = layer.macs * micro_;
    builder_.emit(std::move(made));
    merge_gradient(layer.inputs[which], gradient, false);
  }
}

// ------------------------------------------------------------------------------------------------------- element-wise

// relu, tanh and sigmoid remember their result, gelu its input, scale and mask nothing.
void Lowering::backward_element_wise(const Layer& layer, TensorId dy, ElementFn fn) {
  const TensorId dx = new_gradient(layer.inputs[0]);
  std::vector<TensorUse> operands{whole(dy)};
  if (fn == ElementFn::gelu) operands.push_back(read(layer.inputs[0]));
  if (fn == ElementFn::relu || fn == ElementFn::tanh || fn == ElementFn::sigmoid) {
    operands.push_back(read(layer.output));
  }
  operands.push_back(whole(dx, true));
  emit_elements(layer, Pass::input_gradient, "", fn, elements_of(layer.inputs[0]),
                std::move(operands), gradient_ops_per_element(fn));
  merge_gradient(layer.inputs[0], dx, false);
}

void Lowering::backward_dropout(const Layer& layer, TensorId dy) {
  const TensorId dx = new_gradient(layer.inputs[0]);
  emit_elements(layer, Pass::input_gradient, "", ElementFn::dropout, elements_of(layer.inputs[0]),
                {whole(dy), whole(*saved_[number_of(layer)]), whole(dx, true)},
                gradient_ops_per_element(ElementFn::dropout));
  merge_gradient(layer.inputs[0], dx, false);
}

void Lowering::backward_mul(const Layer& layer, TensorId dy) {
  for (std::size_t which = 0; which < layer.inputs.size(); ++which) {
    if (!wants_gradient(layer, which)) continue;
    const std::size_t x = layer.inputs[which];
    const TensorId dx = new_gradient(x);
    std::vector<TensorUse> operands{whole(dy)};
    for (std::size_t other = 0; other < layer.inputs.size(); ++other) {
      if (other != which) operands.push_back(read(layer.inputs[other]));
    }
    operands.push_back(whole(dx, true));
    emit_elements(layer, Pass::input_gradient, "." + std::to_string(which), ElementFn::mul,
                  elements_of(x), std::move(operands),
                  static_cast<std::int64_t>(layer.inputs.size()) - 1);
    merge_gradient(x, dx, false);
  }
}

// concat hands each input its part; split_heads and merge_heads turn the whole back.
void Lowering::backward_copy(const Layer& layer, TensorId dy) {
  for (std::size_t which = 0; which < layer.inputs.size(); ++which) {
    if (!wants_gradient(layer, which)) continue;
    const std::size_t x = layer.inputs[which];
    const TensorId dx = new_gradient(x);
    const std::string suffix = layer.inputs.size() > 1 ? "." + std::to_string(which) : "";
    emit_elements(layer, Pass::input_gradient, suffix, ElementFn::copy, elements_of(x),
                  {{dy, bytes_of(x)}, whole(dx, true)}, 0);
    merge_gradient(x, dx, false);
  }
}

// Different slices of one value fill different parts of one gradient, so they do not add; what is there already does. Parts
// that no layer reads would have to be zeroed, which is not counted.
void Lowering::backward_slice(const Layer& layer, TensorId dy) {
  const auto& spec = std::get<SliceSpec>(layer.body);
  const std::size_t x = layer.inputs[0];
  const std::pair<std::int64_t, std::int64_t> part{spec.parts, spec.part};
  std::optional<Gradient>& there = gradients_[x];
  if (there && there->shared) {  // keep what others still read: go on with a copy of one's own
    const TensorId mine = new_gradient(x);
    emit_elements(layer, Pass::input_gradient, ".copy", ElementFn::copy, elements_of(x),
                  {whole(there->tensor), whole(mine, true)}, 0);
    there = Gradient{mine, false, {}};
  }
  const bool fresh = !there;
  if (fresh) there = Gradient{new_gradient(x), false, {}};
  std::vector<std::pair<std::int64_t, std::int64_t>>& slices = there->slices;
  const bool disjoint = fresh || (!slices.empty() && slices.front().first == spec.parts &&
                                  std::find(slices.begin(), slices.end(), part) == slices.end());
  const Bytes size = bytes_of(layer.output);
  std::vector<TensorUse> operands{whole(dy)};
  if (!disjoint) operands.push_back({there->tensor, size});
  operands.push_back({there->tensor, size, true});
  if (fresh || !slices.empty()) slices.push_back(part);
  emit_elements(layer, Pass::input_gradient, "", disjoint ? ElementFn::copy : ElementFn::add,
                elements_of(layer.output), std::move(operands), disjoint ? 0 : 1);
}

// ------------------------------------------------------------------------------------------- windows, rows and tables

void Lowering::backward_pool(const Layer& layer, TensorId dy) {
  const std::size_t x = layer.inputs[0];
  const TensorId dx = new_gradient(x);
  Operation made = operation(layer, Pass::input_gradient, batched(layer.pool));
  made.operands = {whole(dy), whole(dx, true)};
  const std::optional<TensorId>& index = saved_[number_of(layer)];
  if (index) {  // zeroed first, then the winners' gradients are added in
    made.operands.push_back(whole(*index));
    made.operands.push_back(whole(dx));
  } else if (layer.kind == LayerKind::max_pool) {  // the winners are looked for once more
    made.operands.push_back(read(x));
    made.operands.push_back(read(layer.output));
  }
  made.other_ops = elements_of(layer.kind == LayerKind::max_pool ? layer.output : x);
  builder_.emit(std::move(made));
  merge_gradient(x, dx, false);
}

void Lowering::backward_softmax(const Layer& layer, TensorId dy) {
  const std::size_t x = layer.inputs[0];
  const TensorId dx = new_gradient(x);
  Operation made = operation(layer, Pass::input_gradient, rows_of(layer, RowFn::softmax));
  made.operands = {whole(dy), read(layer.output), whole(dx, true)};
  made.other_ops = elements_of(x) * gradient_ops_per_element(RowFn::softmax);
  builder_.emit(std::move(made));
  merge_gradient(x, dx, false);
}

void Lowering::backward_lrn(const Layer& layer, TensorId dy) {
  const std::size_t x = layer.inputs[0];
  const RowShape rows = rows_of(layer, RowFn::lrn);
  const TensorId dx = new_gradient(x);
  Operation made = operation(layer, Pass::input_gradient, rows);
  made.operands = {whole(dy), read(x), read(layer.output), whole(*saved_[number_of(layer)]),
                   whole(dx, true)};
  made.other_ops = elements_of(x) * gradient_ops_per_element(RowFn::lrn, rows.window);
  builder_.emit(std::move(made));
  merge_gradient(x, dx, false);
}

// One kernel: the sums over each channel are the gradients of scale and shift, and dx needs them.
void Lowering::backward_batch_norm(const Layer& layer, TensorId dy) {
  const std::size_t x = layer.inputs[0];
  const bool wanted = wants_gradient(layer);
  const Pass pass = wanted ? Pass::input_gradient : Pass::weight_gradient;
  Operation made = operation(layer, pass, rows_of(layer, RowFn::batch_norm));
  made.operands = {read(x), whole(dy), whole(*saved_[number_of(layer)]),
                   read_parameter(*layer.weight)};
  const TensorId scale = begin_parameter_gradient(*layer.weight, false);
  const TensorId shift = begin_parameter_gradient(*layer.bias, false);
  made.operands.push_back(whole(scale, true));
  made.operands.push_back(whole(shift, true));
  TensorId dx;
  if (wanted) {
    dx = new_gradient(x);
    made.operands.push_back(whole(dx, true));
  }
  made.other_ops = elements_of(x) * gradient_ops_per_element(RowFn::batch_norm);
  builder_.emit(std::move(made));
  if (wanted) merge_gradient(x, dx, false);
  end_parameter_gradient(*layer.weight, "weight", scale, false);
  end_parameter_gradient(*layer.bias, "bias", shift, false);
}

void Lowering::backward_layer_norm(const Layer& layer, TensorId dy) {
  const std::size_t x = layer.inputs[0];
  const RowShape rows = rows_of(layer, RowFn::layer_norm);
  const TensorId statistics = *saved_[number_of(layer)];
  if (wants_gradient(layer)) {
    const TensorId dx = new_gradient(x);
    Operation made = operation(layer, Pass::input_gradient, rows);
    made.operands = {read(x), whole(dy), whole(statistics), read_parameter(*layer.weight),
                     whole(dx, true)};
    made.other_ops = elements_of(x) * gradient_ops_per_element(RowFn::layer_norm);
    builder_.emit(std::move(made));
    merge_gradient(x, dx, false);
  }
  const TensorId scale = begin_parameter_gradient(*layer.weight, false);
  const TensorId shift = begin_parameter_gradient(*layer.bias, false);
  Operation made = operation(layer, Pass::weight_gradient, rows);
  made.operands = {read(x), whole(dy), whole(statistics), whole(scale, true), whole(shift, true)};
  made.other_ops = elements_of(x) * 3;  // multiply, and two sums
  builder_.emit(std::move(made));
  end_parameter_gradient(*layer.weight, "weight", scale, false);
  end_parameter_gradient(*layer.bias, "bias", shift, false);
}

// Frameworks with dense gradients zero the whole table, then add each row where it was read.
void Lowering::backward_embedding(const Layer& layer, TensorId dy) {
  const auto& spec = std::get<EmbeddingSpec>(layer.body);
  const std::int64_t lookups = elements_of(layer.inputs[0]);
  const TensorId table = begin_parameter_gradient(*layer.weight, false);
  emit_elements(layer, Pass::weight_gradient, ".zero", ElementFn::copy, spec.rows * spec.width,
                {whole(table, true)}, 0);
  Operation made =
      operation(layer, Pass::weight_gradient, EmbeddingShape{lookups, spec.width, spec.rows});
  made.operands = {whole(dy), read(layer.inputs[0]), whole(table, true)};
  made.other_ops = lookups * spec.width;
  builder_.emit(std::move(made));
  end_parameter_gradient(*layer.weight, "weight", table, false);
}

}  // namespace tantalus

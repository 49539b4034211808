#include <utility>

#include "models/dnn/lowering.hpp"
#include "models/dnn/op_counts.hpp"

namespace tantalus {

namespace {

constexpr std::int64_t bytes_of_mask = 1;  // dropout remembers what it dropped, one byte each

}  // namespace

void Lowering::forward(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::conv2d:
      return forward_product(layer, batched(layer.conv));
    case LayerKind::linear:
    case LayerKind::matmul:
      return forward_product(layer, batched(layer));
    case LayerKind::max_pool:
      return forward_max_pool(layer);
    case LayerKind::avg_pool:
    case LayerKind::global_avg_pool: {
      Operation made = operation(layer, Pass::forward, batched(layer.pool));
      make_output(layer);
      made.operands = {read(layer.inputs[0]), write(layer.output)};
      made.other_ops = layer.other_ops * micro_;
      return builder_.emit(std::move(made));
    }
    case LayerKind::relu:
      return forward_element_wise(layer, ElementFn::relu);
    case LayerKind::gelu:
      return forward_element_wise(layer, ElementFn::gelu);
    case LayerKind::tanh:
      return forward_element_wise(layer, ElementFn::tanh);
    case LayerKind::sigmoid:
      return forward_element_wise(layer, ElementFn::sigmoid);
    case LayerKind::scale:
    case LayerKind::mask:
      return forward_element_wise(layer, ElementFn::scale);
    case LayerKind::split_heads:
    case LayerKind::merge_heads:
      return forward_element_wise(layer, ElementFn::copy);
    case LayerKind::softmax: {
      Operation made = operation(layer, Pass::forward, rows_of(layer, RowFn::softmax));
      make_output(layer);
      made.operands = {read(layer.inputs[0]), write(layer.output)};
      made.other_ops = layer.other_ops * micro_;
      return builder_.emit(std::move(made));
    }
    case LayerKind::lrn:
      return forward_lrn(layer);
    case LayerKind::batch_norm:
      return forward_batch_norm(layer);
    case LayerKind::layer_norm:
      return forward_layer_norm(layer);
    case LayerKind::add:
      return forward_join(layer, ElementFn::add);
    case LayerKind::mul:
      return forward_join(layer, ElementFn::mul);
    case LayerKind::concat:
      return forward_join(layer, ElementFn::copy);
    case LayerKind::embedding:
      return forward_embedding(layer);
    case LayerKind::flatten:
    case LayerKind::slice:
      value_[layer.output] = value_[layer.inputs[0]];
      return;
    case LayerKind::dropout: {
      if (!training()) {
        value_[layer.output] = value_[layer.inputs[0]];
        return;
      }
      const std::int64_t elements = elements_of(layer.output);
      const TensorId mask = transient(Bytes{elements * bytes_of_mask});
      saved_[number_of(layer)] = mask;
      make_output(layer);
      return emit_elements(layer, Pass::forward, "", ElementFn::dropout, elements,
                           {read(layer.inputs[0]), whole(mask, true), write(layer.output)},
                           ops_per_element(ElementFn::dropout));
    }
  }
}

void Lowering::forward_product(const Layer& layer, const Work& work) {
  cast_parameters(layer);
  Operation made = operation(layer, Pass::forward, work);
  made.type = run_.precision;
  make_output(layer);
  for (const std::size_t input : layer.inputs) made.operands.push_back(read(input));
  if (layer.weight) made.operands.push_back(read_parameter(*layer.weight));
  const bool bias = layer.bias && !gives_bias_[number_of(layer)];
  if (bias) made.operands.push_back(read_parameter(*layer.bias));
  made.operands.push_back(write(layer.output));
  made.bias = bias;
  made.macs = layer.macs * micro_;
  made.other_ops = layer.other_ops * micro_;
  builder_.emit(std::move(made));
}

void Lowering::forward_element_wise(const Layer& layer, ElementFn fn) {
  make_output(layer);
  emit_elements(layer, Pass::forward, "", fn, elements_of(layer.output),
                {read(layer.inputs[0]), write(layer.output)}, ops_per_element(fn));
}

void Lowering::forward_max_pool(const Layer& layer) {
  Operation made = operation(layer, Pass::forward, batched(layer.pool));
  make_output(layer);
  made.operands = {read(layer.inputs[0]), write(layer.output)};
  if (training() && run_.software.bytes_of_index > 0) {
    const TensorId index =
        transient(Bytes{elements_of(layer.output) * run_.software.bytes_of_index});
    saved_[number_of(layer)] = index;
    made.operands.push_back(whole(index, true));
  }
  made.other_ops = layer.other_ops * micro_;
  builder_.emit(std::move(made));
}

// The scale of each position is written beside the result, as Caffe does; the backward pass reads it.
void Lowering::forward_lrn(const Layer& layer) {
  Operation made = operation(layer, Pass::forward, rows_of(layer, RowFn::lrn));
  make_output(layer);
  const TensorId scale = transient(bytes_of(layer.output));
  saved_[number_of(layer)] = scale;
  made.operands = {read(layer.inputs[0]), whole(scale, true), write(layer.output)};
  made.other_ops = layer.other_ops * micro_;
  builder_.emit(std::move(made));
}

// With stored statistics it is one multiply and one add an element; in training it looks along each channel first.
void Lowering::forward_batch_norm(const Layer& layer) {
  Operation made = training()
                       ? operation(layer, Pass::forward, rows_of(layer, RowFn::batch_norm))
                       : operation(layer, Pass::forward,
                                   ElementwiseShape{ElementFn::scale, elements_of(layer.output)});
  make_output(layer);
  made.operands = {read(layer.inputs[0]), read_parameter(*layer.weight),
                   read_parameter(*layer.bias), write(layer.output)};
  made.other_ops = layer.other_ops * micro_;
  if (training()) {
    const TensorId statistics = transient(Bytes{layer.buffers * 4});
    saved_[number_of(layer)] = statistics;
    made.operands.push_back(whole(statistics, true));
    made.other_ops = elements_of(layer.output) * ops_per_element(RowFn::batch_norm);
  }
  builder_.emit(std::move(made));
}

void Lowering::forward_layer_norm(const Layer& layer) {
  const RowShape rows = rows_of(layer, RowFn::layer_norm);
  Operation made = operation(layer, Pass::forward, rows);
  make_output(layer);
  made.operands = {read(layer.inputs[0]), read_parameter(*layer.weight),
                   read_parameter(*layer.bias), write(layer.output)};
  if (training()) {
    const TensorId statistics = transient(Bytes{rows.rows * 2 * 4});  // mean and scale of each row
    saved_[number_of(layer)] = statistics;
    made.operands.push_back(whole(statistics, true));
  }
  made.other_ops = layer.other_ops * micro_;
  builder_.emit(std::move(made));
}

void Lowering::forward_join(const Layer& layer, ElementFn fn) {
  make_output(layer);
  std::vector<TensorUse> operands;
  for (const std::size_t input : layer.inputs) operands.push_back(read(input));
  operands.push_back(write(layer.output));
  const auto more = static_cast<std::int64_t>(layer.inputs.size()) - 1;
  emit_elements(layer, Pass::forward, "", fn, elements_of(layer.output), std::move(operands),
                ops_per_element(fn) * more);
}

// The operand is the whole table, because that is what a cache would have to hold; only the looked-up rows move.
void Lowering::forward_embedding(const Layer& layer) {
  const auto& spec = std::get<EmbeddingSpec>(layer.body);
  const std::int64_t lookups = elements_of(layer.inputs[0]);
  Operation made = operation(layer, Pass::forward, EmbeddingShape{lookups, spec.width, spec.rows});
  make_output(layer);
  made.operands = {read(layer.inputs[0]), whole(parameters_[*layer.weight].master),
                   write(layer.output)};
  builder_.emit(std::move(made));
}

}  // namespace tantalus

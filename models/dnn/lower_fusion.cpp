// Which layers share a kernel. A cluster is a tree of element-wise layers whose values nobody else reads, emitted in the place
// of its last layer, the root: one kernel that reads what comes from outside and writes the root's value. Under
// Fusion::pointwise it adds the biases of convolutions that it alone reads; under Fusion::epilogue the product before a cluster
// belongs to it, and the cluster is the product's epilogue. Inference only: a training step keeps what its backward pass reads.
#include <algorithm>
#include <utility>

#include "models/dnn/lowering.hpp"
#include "models/dnn/op_counts.hpp"

namespace tantalus {

namespace {

bool is_product(const Layer& layer) {
  return layer.kind == LayerKind::conv2d || layer.kind == LayerKind::linear;
}

bool is_transcendental(LayerKind kind) {
  return kind == LayerKind::gelu || kind == LayerKind::tanh || kind == LayerKind::sigmoid;
}

ElementFn function_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::gelu:
      return ElementFn::gelu;
    case LayerKind::tanh:
      return ElementFn::tanh;
    case LayerKind::sigmoid:
      return ElementFn::sigmoid;
    case LayerKind::add:
      return ElementFn::add;
    case LayerKind::mul:
      return ElementFn::mul;
    case LayerKind::relu:
      return ElementFn::relu;
    default:
      return ElementFn::scale;
  }
}

}  // namespace

bool Lowering::is_fusable(const Layer& layer) const {
  switch (layer.kind) {
    case LayerKind::relu:
    case LayerKind::gelu:
    case LayerKind::tanh:
    case LayerKind::sigmoid:
    case LayerKind::scale:
    case LayerKind::mask:
    case LayerKind::add:
    case LayerKind::mul:
    case LayerKind::batch_norm:
      return true;
    default:
      return false;
  }
}

void Lowering::join(std::size_t layer, std::size_t root) {
  root_[layer] = root;
  is_joined_[root] = true;
}

// From the last layer to the first, so that a layer knows its root before its inputs are looked at. The later of two products
// that meet gets the epilogue, because the earlier one's value is there by then.
void Lowering::plan_fusion() {
  const std::size_t count = network_.layers.size();
  root_.resize(count);
  for (std::size_t i = 0; i < count; ++i) root_[i] = i;
  head_.assign(count, std::nullopt);
  is_joined_.assign(count, false);
  gives_bias_.assign(count, false);
  if (run_.software.fusion == Fusion::none || training()) return;
  for (std::size_t i = count; i-- > 0;) {
    const Layer& layer = network_.layers[i];
    if (!is_fusable(layer)) continue;
    std::vector<std::size_t> inputs = layer.inputs;
    std::sort(inputs.rbegin(), inputs.rend());
    for (const std::size_t input : inputs) {
      if (input == 0 || readers_[input] != 1) continue;
      const Layer& before = network_.layers[input - 1];
      if (is_fusable(before)) {
        join(input - 1, root_[i]);
      } else if (run_.software.fusion == Fusion::epilogue && is_product(before) &&
                 !head_[root_[i]]) {
        head_[root_[i]] = input - 1;
        join(input - 1, root_[i]);
      } else if (run_.software.fusion == Fusion::pointwise && before.kind == LayerKind::conv2d &&
                 before.bias) {
        gives_bias_[input - 1] = true;
        is_joined_[root_[i]] = true;
      }
    }
  }
}

// What the cluster reads from outside; scale and shift of a norm are part of the weights once it follows a product.
void Lowering::collect_joined(const Layer& layer, std::size_t root,
                              std::vector<TensorUse>& operands, std::int64_t& ops,
                              ElementFn& fn) const {
  ops += layer.other_ops * micro_;
  if (!is_transcendental(network_.layers[root].kind) && is_transcendental(layer.kind))
    fn = function_of(layer.kind);
  if (layer.kind == LayerKind::batch_norm && !head_[root]) {
    operands.push_back(read_parameter(*layer.weight));
    operands.push_back(read_parameter(*layer.bias));
  }
  for (const std::size_t input : layer.inputs) {
    const bool inside = input > 0 && root_[input - 1] == root;
    if (!inside) {
      operands.push_back(read(input));
      if (input > 0 && gives_bias_[input - 1])
        operands.push_back(read_parameter(*network_.layers[input - 1].bias));
    } else if (head_[root] != input - 1) {
      collect_joined(network_.layers[input - 1], root, operands, ops, fn);
    }
  }
}

void Lowering::forward_joined(const Layer& root) {
  const std::size_t number = number_of(root);
  std::vector<TensorUse> outside;
  std::int64_t ops = 0;
  ElementFn fn = function_of(root.kind);
  collect_joined(root, number, outside, ops, fn);
  if (!head_[number]) {
    make_output(root);
    outside.push_back(write(root.output));
    const std::int64_t elements = elements_of(root.output);
    return emit_elements(root, Pass::forward, "", fn, elements, std::move(outside),
                         (ops + elements - 1) / elements);
  }
  const Layer& head = network_.layers[*head_[number]];
  cast_parameters(head);
  const Work work = head.kind == LayerKind::conv2d ? Work{batched(head.conv)} : Work{batched(head)};
  Operation made = operation(head, Pass::forward, work);
  made.type = run_.precision;
  make_output(root);
  made.operands.push_back(read(head.inputs[0]));
  made.operands.push_back(read_parameter(*head.weight));
  if (head.bias) made.operands.push_back(read_parameter(*head.bias));
  made.operands.insert(made.operands.end(), outside.begin(), outside.end());
  made.operands.push_back(write(root.output));
  made.macs = head.macs * micro_;
  made.other_ops = head.other_ops * micro_ + ops;
  builder_.emit(std::move(made));
}

}  // namespace tantalus

#include "models/dnn/layers.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "models/dnn/layer_graph.hpp"
#include "models/dnn/op_counts.hpp"
#include "sim/base/units.hpp"

namespace tantalus {

namespace {

constexpr std::int64_t largest_extent = 1'000'000;  // of kernels, strides, pads and dilations

/// The product, or one more than `most` when it would be larger.
std::int64_t capped_product(std::initializer_list<std::int64_t> factors, std::int64_t most) {
  Int128 product = 1;
  for (const std::int64_t factor : factors) {
    product *= factor;
    if (product > most) return most + 1;
  }
  return static_cast<std::int64_t>(product);
}

std::int64_t capped_elements(const std::vector<std::int64_t>& dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) product = capped_product({product, dim}, most_elements);
  return product;
}

ElementFn element_fn_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::relu:
      return ElementFn::relu;
    case LayerKind::gelu:
      return ElementFn::gelu;
    case LayerKind::tanh:
      return ElementFn::tanh;
    case LayerKind::sigmoid:
      return ElementFn::sigmoid;
    default:
      return ElementFn::scale;
  }
}

using Inferred = std::optional<Shape>;

/// Infers one network, layer after layer. Each function of a kind fills the layer and returns its output, or reports.
class Inference {
 public:
  explicit Inference(const NetworkSpec& spec) : spec_(spec), graph_(connect_layers(spec)) {}

  Result<Network> run() {
    network_.name = spec_.name;
    network_.source = spec_.source;
    found_ = std::move(graph_.found);
    begin_with_input();
    for (std::size_t i = 0; i < spec_.layers.size(); ++i) infer_layer(i);
    check_totals();
    check_classes();
    keep_first_of_each_place();
    if (has_errors(found_)) return found_;
    return {std::move(network_), std::move(found_)};
  }

 private:
  // ------------------------------------------------------------------------------------------------------ reporting
  void fail(const std::string& field, std::string code, const std::string& message,
            std::string hint) {
    const LayerSpec& layer = *spec_now_;
    const Place& place = field.empty() ? layer.place : layer.place_of(field);
    const std::string base = layer.path.empty() ? layer.name : layer.path;
    found_.push_back({Severity::error, std::move(code), place.where,
                      field.empty() ? base : base + "." + field, layer.name + ": " + message,
                      std::move(hint), place.width});
  }

  Inferred wrong_layout(const Shape& shape, const std::string& wanted, std::string hint) {
    fail("from", "wrong-input", "needs " + wanted + ", not a " + to_text(shape), std::move(hint));
    return std::nullopt;
  }

  // Copies of a block make the same mistake at the same place: one message is enough.
  void keep_first_of_each_place() {
    std::set<std::tuple<int, int, std::string>> seen;
    const auto repeated = [&seen](const Diagnostic& d) {
      return d.where.line != 0 && !seen.emplace(d.where.line, d.where.column, d.code).second;
    };
    found_.erase(std::remove_if(found_.begin(), found_.end(), repeated), found_.end());
    sort_by_place(found_);
  }

  // -------------------------------------------------------------------------------------------------------- the walk
  void begin_with_input() {
    const InputSpec& input = spec_.input;
    Activation activation;
    activation.name = std::string(input_name);
    if (!input.image.empty()) {
      activation.shape = {Layout::image, input.image};
    } else {
      activation.shape = {Layout::features,
                          {input.tokens ? *input.tokens : input.features.value_or(0)}};
      activation.tokens = input.tokens.has_value();
    }
    const auto& dims = activation.shape.dims;
    const bool sane = std::all_of(dims.begin(), dims.end(), [](std::int64_t d) { return d > 0; }) &&
                      capped_elements(dims) <= most_elements;
    if (!sane || (activation.shape.layout == Layout::image && dims.size() != 3)) {
      found_.push_back({Severity::error, "bad-input", input.place.where, input.path,
                        "the input has no usable shape",
                        "write {image: [channels, height, width]}, {features: N} or {tokens: N}, "
                        "each more than zero",
                        input.place.width});
      broken_.push_back(true);
    } else {
      broken_.push_back(false);
    }
    network_.activations.push_back(std::move(activation));
    if (spec_.layers.empty()) {
      found_.push_back({Severity::error, "empty-network", spec_.place.where, "layers",
                        "there are no layers: no work to predict", "add a layer",
                        spec_.place.width});
    }
  }

  void infer_layer(std::size_t number) {
    spec_now_ = &spec_.layers[number];
    number_ = number;
    Layer layer;
    layer.name = spec_now_->name;
    layer.kind = spec_now_->kind;
    layer.body = spec_now_->body;
    layer.output = number + 1;
    Activation output;
    output.name = layer.name;
    Inferred shape;
    if (take_inputs(number, layer)) shape = shape_of(layer);
    if (shape && capped_elements(shape->dims) > most_elements) {
      fail("", "too-large", "its output has more than 2^38 numbers a sample", "check its sizes");
      shape.reset();
    }
    if (shape) output.shape = *shape;
    for (const std::size_t input : layer.inputs) {
      output.needs_gradient = output.needs_gradient || network_.activations[input].needs_gradient;
    }
    output.needs_gradient = output.needs_gradient || layer.weight.has_value();
    network_.activations.push_back(std::move(output));
    network_.layers.push_back(std::move(layer));
    broken_.push_back(!shape.has_value());
  }

  bool take_inputs(std::size_t number, Layer& layer) {
    bool usable = true;
    for (const Source& source : graph_.inputs[number]) {
      if (!source || broken_[*source]) {
        usable = false;
      } else {
        layer.inputs.push_back(*source);
      }
    }
    return usable && right_number_of_inputs(layer) && right_numbers(layer);
  }

  bool right_number_of_inputs(const Layer& layer) {
    const std::size_t count = layer.inputs.size();
    const bool joins = layer.kind == LayerKind::add || layer.kind == LayerKind::mul ||
                       layer.kind == LayerKind::concat;
    const bool right = joins ? count >= 2 : count == (layer.kind == LayerKind::matmul ? 2U : 1U);
    if (right) return true;
    const std::string wanted = joins                             ? "two or more inputs"
                               : layer.kind == LayerKind::matmul ? "two inputs"
                                                                 : "one input";
    fail("from", "wrong-input", "takes " + wanted + ", not " + std::to_string(count),
         joins || layer.kind == LayerKind::matmul ? "write from: [a, b]" : "write from: a");
    return false;
  }

  bool right_numbers(const Layer& layer) {
    const bool tokens = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                    [&](std::size_t i) { return network_.activations[i].tokens; });
    if (tokens && layer.kind != LayerKind::embedding) {
      fail("from", "wrong-input", "reads word numbers", "put an embedding layer before it");
      return false;
    }
    if (!tokens && layer.kind == LayerKind::embedding) {
      fail("from", "wrong-input", "looks up word numbers, and its input has none",
           "read from the network's input, written {tokens: N}");
      return false;
    }
    return true;
  }

  const Shape& input(const Layer& layer, std::size_t which = 0) const {
    return network_.activations[layer.inputs[which]].shape;
  }

  Inferred shape_of(Layer& layer) {
    switch (layer.kind) {
      case LayerKind::conv2d:
        return conv2d(layer, std::get<Conv2dSpec>(layer.body));
      case LayerKind::linear:
        return linear(layer, std::get<LinearSpec>(layer.body));
      case LayerKind::matmul:
        return matmul(layer, std::get<MatmulSpec>(layer.body));
      case LayerKind::max_pool:
      case LayerKind::avg_pool:
        return pool(layer, std::get<PoolSpec>(layer.body));
      case LayerKind::global_avg_pool:
        return global_pool(layer);
      case LayerKind::relu:
      case LayerKind::gelu:
      case LayerKind::tanh:
      case LayerKind::sigmoid:
      case LayerKind::scale:
      case LayerKind::mask:
        return element_wise(layer, ops_per_element(element_fn_of(layer.kind)));
      case LayerKind::dropout:
        return element_wise(layer, 0);  // in inference it does nothing
      case LayerKind::softmax:
        return element_wise(layer, ops_per_element(RowFn::softmax));
      case LayerKind::lrn:
        return lrn(layer, std::get<LrnSpec>(layer.body));
      case LayerKind::batch_norm:
        return batch_norm(layer);
      case LayerKind::layer_norm:
        return layer_norm(layer);
      case LayerKind::add:
      case LayerKind::mul:
        return join(layer);
      case LayerKind::concat:
        return concat(layer);
      case LayerKind::flatten:
        return Shape{Layout::features, {input(layer).elements()}};
      case LayerKind::embedding:
        return embedding(layer, std::get<EmbeddingSpec>(layer.body));
      case LayerKind::slice:
        return slice(layer, std::get<SliceSpec>(layer.body));
      case LayerKind::split_heads:
        return split_heads(layer, std::get<HeadsSpec>(layer.body));
      case LayerKind::merge_heads:
        return merge_heads(layer);
    }
    return std::nullopt;
  }

  // ----------------------------------------------------------------------------------------------------- parameters
  std::size_t own(const Layer& layer, const char* what, std::int64_t elements) {
    network_.parameters.push_back({layer.name + "." + what, elements, number_});
    return network_.parameters.size() - 1;
  }

  bool add_weights(Layer& layer, std::int64_t weights, std::int64_t biases) {
    if (weights > most_parameters) {
      fail("", "too-large", "has more than 2^42 weights", "check its sizes");
      return false;
    }
    if (const auto owner = graph_.weights[number_]) {
      if (!share(layer, *owner, weights)) return false;
    } else {
      layer.weight = own(layer, "weight", weights);
    }
    if (biases > 0 && !layer.bias) layer.bias = own(layer, "bias", biases);
    return true;
  }

  bool share(Layer& layer, std::size_t owner_number, std::int64_t weights) {
    const Layer& owner = network_.layers[owner_number];
    if (broken_[owner.output]) return false;
    const bool alike = owner.kind == layer.kind ||
                       (owner.kind == LayerKind::embedding && layer.kind == LayerKind::linear);
    if (!alike || !owner.weight) {
      fail("weights", "wrong-weights",
           "cannot share the weights of '" + owner.name + "', a " +
               std::string(name_of(owner.kind)) + " layer",
           "a conv2d shares with a conv2d, a linear with a linear or an embedding");
      return false;
    }
    const std::int64_t there = network_.parameters[*owner.weight].elements;
    if (there != weights || weight_rows(owner) != weight_rows(layer)) {
      fail("weights", "wrong-weights",
           "needs " + std::to_string(weight_rows(layer)) + " rows, " + std::to_string(weights) +
               " weights; '" + owner.name + "' has " + std::to_string(weight_rows(owner)) +
               " rows, " + std::to_string(there),
           "shared weights have the same shape");
      return false;
    }
    layer.weight = owner.weight;
    if (wants_bias(layer)) layer.bias = owner.bias;
    return true;
  }

  static std::int64_t weight_rows(const Layer& layer) {
    if (const auto* conv = std::get_if<Conv2dSpec>(&layer.body)) return conv->out;
    if (const auto* linear = std::get_if<LinearSpec>(&layer.body)) return linear->out;
    return std::get<EmbeddingSpec>(layer.body).rows;
  }

  static bool wants_bias(const Layer& layer) {
    if (const auto* conv = std::get_if<Conv2dSpec>(&layer.body)) return conv->bias;
    return std::get<LinearSpec>(layer.body).bias;
  }

  bool positive_number(const char* field, std::int64_t value, std::int64_t most) {
    if (value >= 1 && value <= most) return true;
    fail(field, "out-of-range",
         std::string(field) + " must be between 1 and " + std::to_string(most) + ", not " +
             std::to_string(value),
         "check the number");
    return false;
  }

  // --------------------------------------------------------------------------------------------------- sliding windows
  /// Reads one field of a window for an axis (0 height, 1 width).
  bool extent(const char* field, const Extent& written, std::size_t axis, std::int64_t least,
              std::int64_t otherwise, std::int64_t& value) {
    value = written.empty() ? otherwise : written[std::min(axis, written.size() - 1)];
    if (value >= least && value <= largest_extent) return true;
    fail(field, "out-of-range",
         std::string(field) + " must be between " + std::to_string(least) + " and " +
             std::to_string(largest_extent) + ", not " + std::to_string(value),
         "check the number");
    return false;
  }

  std::optional<std::int64_t> slide(std::int64_t in, const Window& window, const char* axis) {
    const std::int64_t out = windows(in, window);
    if (out > 0) return out;
    fail("kernel", "kernel-too-large",
         std::string("a kernel of ") + axis + " " + std::to_string(window.span()) +
             " does not fit the padded input of " + axis + " " +
             std::to_string(in + 2 * window.pad),
         "use a smaller kernel, more padding, or less pooling before it");
    return std::nullopt;
  }

  Inferred conv2d(Layer& layer, const Conv2dSpec& spec) {
    const Shape& in = input(layer);
    if (in.layout != Layout::image) return wrong_layout(in, "an image", "convolutions come first");
    if (!positive_number("out", spec.out, most_elements) ||
        !positive_number("groups", spec.groups, most_elements) || !groups_divide(in, spec)) {
      return std::nullopt;
    }
    Window axis[2];
    std::optional<std::int64_t> out[2];
    for (std::size_t a = 0; a < 2; ++a) {
      if (!extent("kernel", spec.kernel, a, 1, 0, axis[a].kernel) ||
          !extent("stride", spec.stride, a, 1, 1, axis[a].stride) ||
          !extent("pad", spec.pad, a, 0, 0, axis[a].pad) ||
          !extent("dilation", spec.dilation, a, 1, 1, axis[a].dilation)) {
        return std::nullopt;
      }
      out[a] = slide(in.dims[a + 1], axis[a], a == 0 ? "height" : "width");
      if (!out[a]) return std::nullopt;
    }
    const std::int64_t taps =
        capped_product({in.dims[0] / spec.groups, axis[0].kernel, axis[1].kernel}, most_parameters);
    if (!add_weights(layer, capped_product({spec.out, taps}, most_parameters),
                     spec.bias ? spec.out : 0)) {
      return std::nullopt;
    }
    layer.conv = {1,
                  in.dims[0],
                  in.dims[1],
                  in.dims[2],
                  spec.out,
                  *out[0],
                  *out[1],
                  axis[0].kernel,
                  axis[1].kernel,
                  axis[0].stride,
                  axis[1].stride,
                  axis[0].pad,
                  axis[1].pad,
                  axis[0].dilation,
                  axis[1].dilation,
                  spec.groups};
    layer.macs = capped_product({spec.out, *out[0], *out[1], taps}, most_macs);
    layer.other_ops = spec.bias ? capped_product({spec.out, *out[0], *out[1]}, most_macs) : 0;
    return Shape{Layout::image, {spec.out, *out[0], *out[1]}};
  }

  bool groups_divide(const Shape& in, const Conv2dSpec& spec) {
    const std::int64_t channels = in.dims[0];
    if (channels % spec.groups == 0 && spec.out % spec.groups == 0) return true;
    fail("groups", "groups-do-not-divide",
         std::to_string(spec.groups) + " groups do not divide " + std::to_string(channels) +
             " input and " + std::to_string(spec.out) + " output channels",
         "both channel counts must be multiples of groups");
    return false;
  }

  Inferred pool(Layer& layer, const PoolSpec& spec) {
    const Shape& in = input(layer);
    if (in.layout != Layout::image) return wrong_layout(in, "an image", "pool before flattening");
    Window axis[2];
    std::optional<std::int64_t> out[2];
    for (std::size_t a = 0; a < 2; ++a) {
      axis[a].ceil = spec.rounding == Rounding::ceil;
      if (!extent("kernel", spec.kernel, a, 1, 0, axis[a].kernel) ||
          !extent("stride", spec.stride, a, 1, axis[a].kernel, axis[a].stride) ||
          !extent("pad", spec.pad, a, 0, 0, axis[a].pad) || !pad_fits(axis[a])) {
        return std::nullopt;
      }
      out[a] = slide(in.dims[a + 1], axis[a], a == 0 ? "height" : "width");
      if (!out[a]) return std::nullopt;
    }
    const bool max = layer.kind == LayerKind::max_pool;
    layer.pool = {max ? PoolKind::max : PoolKind::average,
                  1,
                  in.dims[0],
                  in.dims[1],
                  in.dims[2],
                  *out[0],
                  *out[1],
                  axis[0].kernel,
                  axis[1].kernel,
                  axis[0].stride,
                  axis[1].stride};
    const std::int64_t window = axis[0].kernel * axis[1].kernel;
    layer.other_ops =
        capped_product({in.dims[0], *out[0], *out[1], max ? window - 1 : window}, most_macs);
    return Shape{Layout::image, {in.dims[0], *out[0], *out[1]}};
  }

  bool pad_fits(const Window& window) {
    if (2 * window.pad <= window.kernel) return true;
    fail("pad", "pad-too-large",
         "padding " + std::to_string(window.pad) + " is more than half the kernel of " +
             std::to_string(window.kernel) + ": some windows would see no input",
         "pad at most half the kernel");
    return false;
  }

  Inferred global_pool(Layer& layer) {
    const Shape& in = input(layer);
    if (in.layout != Layout::image) return wrong_layout(in, "an image", "pool before flattening");
    layer.pool = {PoolKind::global_average,
                  1,
                  in.dims[0],
                  in.dims[1],
                  in.dims[2],
                  1,
                  1,
                  in.dims[1],
                  in.dims[2],
                  in.dims[1],
                  in.dims[2]};
    layer.other_ops = in.elements();
    return Shape{Layout::image, {in.dims[0], 1, 1}};
  }

  // ---------------------------------------------------------------------------------------------------------- products
  Inferred linear(Layer& layer, const LinearSpec& spec) {
    const Shape& in = input(layer);
    if (in.layout == Layout::heads) {
      return wrong_layout(in, "a vector, an image or a sequence", "put merge_heads before it");
    }
    if (!positive_number("out", spec.out, most_elements)) return std::nullopt;
    const bool row_wise = in.layout == Layout::sequence;  // an image is read as one long vector
    const std::int64_t rows = row_wise ? in.dims[0] : 1;
    const std::int64_t length = row_wise ? in.dims[1] : in.elements();
    if (!add_weights(layer, capped_product({spec.out, length}, most_parameters),
                     spec.bias ? spec.out : 0)) {
      return std::nullopt;
    }
    layer.gemm = {1, rows, spec.out, length, false, true};  // weights lie as out x in
    layer.macs = capped_product({rows, spec.out, length}, most_macs);
    layer.other_ops = spec.bias ? capped_product({rows, spec.out}, most_macs) : 0;
    if (row_wise) return Shape{Layout::sequence, {rows, spec.out}};
    return Shape{Layout::features, {spec.out}};
  }

  Inferred matmul(Layer& layer, const MatmulSpec& spec) {
    const Shape& a = input(layer, 0);
    const Shape& b = input(layer, 1);
    const bool matrices =
        a.layout == b.layout && (a.layout == Layout::sequence || a.layout == Layout::heads);
    if (!matrices || (a.layout == Layout::heads && a.dims[0] != b.dims[0])) {
      fail("from", "shape-mismatch", "cannot multiply a " + to_text(a) + " by a " + to_text(b),
           "both must be sequences, or heads in equal number");
      return std::nullopt;
    }
    const std::size_t row = a.dims.size() - 2;
    const std::int64_t m = a.dims[row + (spec.transpose_a ? 1 : 0)];
    const std::int64_t k = a.dims[row + (spec.transpose_a ? 0 : 1)];
    const std::int64_t k_of_b = b.dims[row + (spec.transpose_b ? 1 : 0)];
    const std::int64_t n = b.dims[row + (spec.transpose_b ? 0 : 1)];
    if (k != k_of_b) {
      fail("from", "shape-mismatch",
           "the first input is " + std::to_string(m) + " x " + std::to_string(k) + ", the second " +
               std::to_string(k_of_b) + " x " + std::to_string(n),
           "the inner sizes must agree; transpose_a and transpose_b turn an input");
      return std::nullopt;
    }
    const std::int64_t heads = a.layout == Layout::heads ? a.dims[0] : 1;
    layer.gemm = {heads, m, n, k, spec.transpose_a, spec.transpose_b};
    layer.macs = capped_product({heads, m, n, k}, most_macs);
    if (a.layout == Layout::heads) return Shape{Layout::heads, {heads, m, n}};
    return Shape{Layout::sequence, {m, n}};
  }

  Inferred embedding(Layer& layer, const EmbeddingSpec& spec) {
    if (!positive_number("rows", spec.rows, most_elements) ||
        !positive_number("width", spec.width, most_elements) ||
        !add_weights(layer, capped_product({spec.rows, spec.width}, most_parameters), 0)) {
      return std::nullopt;
    }
    return Shape{Layout::sequence, {input(layer).dims[0], spec.width}};
  }

  // ----------------------------------------------------------------------------------------------- element- and row-wise
  Inferred element_wise(Layer& layer, std::int64_t ops) {
    layer.other_ops = input(layer).elements() * ops;
    return input(layer);
  }

  Inferred lrn(Layer& layer, const LrnSpec& spec) {
    const Shape& in = input(layer);
    if (in.layout != Layout::image)
      return wrong_layout(in, "an image", "normalise before flattening");
    if (!positive_number("size", spec.size, largest_extent)) return std::nullopt;
    layer.other_ops =
        capped_product({in.elements(), ops_per_element(RowFn::lrn, spec.size)}, most_macs);
    return in;
  }

  Inferred batch_norm(Layer& layer) {
    const Shape& in = input(layer);
    if (in.layout != Layout::image && in.layout != Layout::features) {
      return wrong_layout(in, "an image or a vector", "sequences take layer_norm");
    }
    add_norm(layer, in.dims[0]);
    layer.buffers = 2 * in.dims[0];
    layer.other_ops = in.elements() * batch_norm_inference_ops;
    return in;
  }

  Inferred layer_norm(Layer& layer) {
    const Shape& in = input(layer);
    if (in.layout == Layout::image) {
      return wrong_layout(in, "a vector or a sequence", "images take batch_norm");
    }
    add_norm(layer, in.last());
    layer.other_ops = in.elements() * ops_per_element(RowFn::layer_norm);
    return in;
  }

  void add_norm(Layer& layer, std::int64_t width) {
    layer.weight = own(layer, "weight", width);
    layer.bias = own(layer, "bias", width);
  }

  Inferred join(Layer& layer) {
    const Shape& first = input(layer);
    for (std::size_t i = 1; i < layer.inputs.size(); ++i) {
      if (input(layer, i) == first) continue;
      fail("from", "shape-mismatch",
           "cannot " + std::string(name_of(layer.kind)) + " a " + to_text(first) + " ('" +
               network_.activations[layer.inputs[0]].name + "') and a " + to_text(input(layer, i)) +
               " ('" + network_.activations[layer.inputs[i]].name + "')",
           "all inputs must have the same shape");
      return std::nullopt;
    }
    const auto more = static_cast<std::int64_t>(layer.inputs.size()) - 1;
    layer.other_ops = capped_product({first.elements(), more}, most_macs);
    return first;
  }

  /// Images are stacked along their channels, vectors and the rows of sequences along their length.
  Inferred concat(Layer& layer) {
    Shape joined = input(layer);
    const std::size_t axis = joined.layout == Layout::image ? 0 : joined.dims.size() - 1;
    for (std::size_t i = 1; i < layer.inputs.size(); ++i) {
      Shape other = input(layer, i);
      if (other.layout == joined.layout) {
        joined.dims[axis] = std::min(joined.dims[axis] + other.dims[axis], most_elements + 1);
        other.dims[axis] = joined.dims[axis];
      }
      if (other == joined) continue;
      fail("from", "shape-mismatch",
           "cannot put a " + to_text(input(layer)) + " beside a " + to_text(input(layer, i)),
           "only the channels (of images) or the last dimension may differ");
      return std::nullopt;
    }
    return joined;
  }

  Inferred slice(Layer& layer, const SliceSpec& spec) {
    Shape shape = input(layer);
    if (shape.layout == Layout::image || shape.layout == Layout::heads) {
      return wrong_layout(shape, "a vector or a sequence", "slice before split_heads");
    }
    if (spec.parts < 1 || spec.part < 0 || spec.part >= spec.parts ||
        shape.last() % spec.parts != 0) {
      fail("parts", "parts-do-not-divide",
           "part " + std::to_string(spec.part) + " of " + std::to_string(spec.parts) +
               " equal parts of " + std::to_string(shape.last()) + " numbers does not exist",
           "parts must divide the last dimension");
      return std::nullopt;
    }
    shape.dims.back() /= spec.parts;
    return shape;
  }

  Inferred split_heads(Layer& layer, const HeadsSpec& spec) {
    const Shape& in = input(layer);
    if (in.layout != Layout::sequence)
      return wrong_layout(in, "a sequence", "heads come from a sequence");
    if (spec.heads < 1 || in.dims[1] % spec.heads != 0) {
      fail("heads", "heads-do-not-divide",
           std::to_string(spec.heads) + " heads do not divide a width of " +
               std::to_string(in.dims[1]),
           "the width must be a multiple of heads");
      return std::nullopt;
    }
    return Shape{Layout::heads, {spec.heads, in.dims[0], in.dims[1] / spec.heads}};
  }

  Inferred merge_heads(Layer& layer) {
    const Shape& in = input(layer);
    if (in.layout != Layout::heads) return wrong_layout(in, "heads", "split_heads makes them");
    return Shape{Layout::sequence, {in.dims[1], in.dims[0] * in.dims[2]}};
  }

  // ---------------------------------------------------------------------------------------------------------- the whole
  void check_totals() {
    Int128 macs = 0, other = 0, parameters = 0;
    for (const Layer& layer : network_.layers) {
      macs += layer.macs;
      other += layer.other_ops;
    }
    for (const Parameter& parameter : network_.parameters) parameters += parameter.elements;
    if (macs <= most_macs && other <= most_macs && parameters <= most_parameters) return;
    found_.push_back({Severity::error, "too-large", spec_.place.where, "layers",
                      "the network is larger than any machine: more than 2^54 operations or 2^42 "
                      "parameters a sample",
                      "check its sizes", spec_.place.width});
  }

  void check_classes() {
    if (!spec_.classes || spec_.layers.empty() || broken_.back()) return;
    const Shape& last = network_.activations.back().shape;
    const std::int64_t outputs = last.layout == Layout::image ? last.dims[0] : last.last();
    if (outputs == *spec_.classes) return;
    found_.push_back({Severity::error, "class-mismatch", spec_.classes_place.where, "classes",
                      "there are " + std::to_string(*spec_.classes) +
                          " classes, and the last layer '" + spec_.layers.back().name + "' gives " +
                          std::to_string(outputs),
                      "change one of them", spec_.classes_place.width});
  }

  const NetworkSpec& spec_;
  LayerGraph graph_;
  Network network_;
  Diagnostics found_;
  std::vector<bool> broken_;  // of each activation: its shape is not known
  const LayerSpec* spec_now_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace

std::int64_t Network::parameter_count() const {
  std::int64_t sum = 0;
  for (const Parameter& parameter : parameters) sum += parameter.elements;
  return sum;
}

std::int64_t Network::parameters_of(std::size_t layer) const {
  std::int64_t sum = 0;
  for (const auto& index : {layers[layer].weight, layers[layer].bias}) {
    if (index && parameters[*index].owner == layer) sum += parameters[*index].elements;
  }
  return sum;
}

std::int64_t Network::parameters_read_by(std::size_t layer) const {
  std::int64_t sum = 0;
  for (const auto& index : {layers[layer].weight, layers[layer].bias}) {
    if (index) sum += parameters[*index].elements;
  }
  return sum;
}

std::int64_t Network::macs() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.macs;
  return sum;
}

Result<Network> infer(const NetworkSpec& spec) { return Inference(spec).run(); }

}  // namespace tantalus

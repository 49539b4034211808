#include "models/dnn/lower.hpp"

#include <algorithm>
#include <utility>

#include "models/dnn/lowering.hpp"
#include "models/dnn/op_counts.hpp"
#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr std::int64_t most_copies_of_layers =
    1'000'000;  // micro-batches x layers: tasks cost memory of our own

Diagnostic wrong(std::string code, std::string path, std::string message, std::string hint) {
  return {Severity::error, std::move(code),    {},
          std::move(path), std::move(message), std::move(hint)};
}

/// Whether every later sum stays inside 64 bits: 64 bytes a number and 16 operations a counted one are more than any pass
/// of any kind needs.
bool fits_64_bits(const Network& network, std::int64_t batch) {
  Int128 elements = 0, operations = 0;
  for (const Activation& activation : network.activations) elements += activation.shape.elements();
  for (const Layer& layer : network.layers) operations += Int128{layer.macs} + layer.other_ops;
  const Int128 limit = Int128{1} << 62;
  return elements * batch < limit / 64 && (operations + elements) * batch < limit / 16;
}

std::int64_t state_per_parameter(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return 0;
    case Optimizer::sgd_momentum:
      return 1;
    case Optimizer::adam:
      return 2;
  }
  return 0;
}

}  // namespace

Diagnostics check_run(const Network& network, const RunSpec& run) {
  Diagnostics found;
  if (run.batch < 1 || !fits_64_bits(network, std::max<std::int64_t>(run.batch, 1))) {
    found.push_back(
        wrong("bad-batch", "batch",
              run.batch < 1 ? "a step needs at least one sample, not " + std::to_string(run.batch)
                            : "a batch of " + std::to_string(run.batch) + " is beyond any machine",
              run.batch < 1 ? "write a number of samples" : "ask for fewer samples"));
    return found;
  }
  const std::int64_t micro = run.micro_batch.value_or(run.batch);
  if (micro < 1 || run.batch % micro != 0) {
    found.push_back(wrong("bad-micro-batch", "micro_batch",
                          "a micro-batch of " + std::to_string(micro) +
                              " does not divide the batch of " + std::to_string(run.batch),
                          "choose a divisor of the batch"));
  } else if (run.batch / micro >
             most_copies_of_layers / static_cast<std::int64_t>(network.layers.size() + 1)) {
    found.push_back(wrong("bad-micro-batch", "micro_batch",
                          std::to_string(run.batch / micro) + " micro-batches a step are too many",
                          "choose a larger micro-batch"));
  }
  if (run.mode == Mode::training && element_size(run.precision) < 2) {
    found.push_back(wrong("bad-precision", "precision",
                          "training in " + std::string(name_of(run.precision)) + " is not modelled",
                          "train in fp32, tf32, fp16 or bf16"));
  }
  if (run.precision == DType::int64) {
    found.push_back(wrong("bad-precision", "precision", "networks do not compute in int64",
                          "choose fp32, tf32, fp16, bf16, fp8 or int8"));
  }
  return found;
}

TaskGraph lower(const Network& network, const RunSpec& run) {
  TANTALUS_CHECK(check_run(network, run).empty(),
                 "lower() is asked for a run that check_run() refuses");
  return Lowering(network, run).run();
}

Lowering::Lowering(const Network& network, const RunSpec& run)
    : network_(network),
      run_(run),
      micro_(run.micro_batch.value_or(run.batch)),
      element_(element_size(run.precision)),
      storage_(run.precision == DType::tf32 ? DType::fp32 : run.precision),
      readers_(network.activations.size(), 0) {
  for (const Layer& layer : network.layers) {
    for (const std::size_t input : layer.inputs) ++readers_[input];
  }
  plan_fusion();
}

TaskGraph Lowering::run() {
  add_layers();
  add_parameters();
  for (std::int64_t i = 0; i < run_.batch / micro_; ++i) run_micro_batch(i);
  if (training()) update();
  builder_.plan_memory();
  return std::move(builder_.graph);
}

void Lowering::add_layers() {
  const std::int64_t micro_batches = run_.batch / micro_;
  for (std::size_t i = 0; i < network_.layers.size(); ++i) {
    const Layer& layer = network_.layers[i];
    LayerInfo info;
    info.name = layer.name;
    info.kind = std::string(name_of(layer.kind));
    info.parameters = network_.parameters_of(i);
    for (const std::size_t input : layer.inputs)
      info.input_bytes += bytes_of(input) * micro_batches;
    info.output_bytes = bytes_of(layer.output) * micro_batches;
    info.parameter_bytes = Bytes{network_.parameters_read_by(i) * element_};
    builder_.graph.add_layer(std::move(info));
  }
}

// Training keeps fp32 masters whatever it multiplies in. Running statistics of norms are kept in fp32, in both modes.
void Lowering::add_parameters() {
  const std::int64_t size = kept_element();
  for (const Parameter& parameter : network_.parameters) {
    ParameterTensors tensors;
    tensors.master = builder_.add_tensor(Bytes{parameter.elements * size}, TensorRole::parameter);
    if (training()) {
      const Bytes full{parameter.elements * size};
      tensors.gradient = builder_.add_tensor(full, TensorRole::gradient);
      for (std::int64_t i = 0; i < state_per_parameter(run_.software.optimizer); ++i) {
        tensors.state.push_back(builder_.add_tensor(full, TensorRole::optimizer));
      }
    }
    parameters_.push_back(std::move(tensors));
  }
  for (const Layer& layer : network_.layers) {
    if (layer.buffers > 0) builder_.add_tensor(Bytes{layer.buffers * 4}, TensorRole::parameter);
  }
}

void Lowering::run_micro_batch(std::int64_t index) {
  name_suffix_ = index == 0 ? "" : "#" + std::to_string(index);
  value_.assign(network_.activations.size(), TensorId{});
  saved_.assign(network_.layers.size(), std::nullopt);
  gradients_.assign(network_.activations.size(), std::nullopt);
  for (ParameterTensors& tensors : parameters_) tensors.cast.reset();
  value_[0] = transient(bytes_of(0));
  if (autocast() && !network_.activations[0].tokens) cast_input();
  for (const Layer& layer : network_.layers) {
    if (emitted_later(layer)) continue;
    if (has_followers(layer)) {
      forward_joined(layer);
    } else {
      forward(layer);
    }
  }
  if (!training()) {
    for (const Layer& layer : network_.layers) {
      if (readers_[layer.output] == 0) builder_.mark_result(value_[layer.output]);
    }
    return;
  }
  if (index == 0 && run_.software.gradients == GradientStore::accumulated) zero_gradients();
  for (std::size_t i = network_.layers.size(); i-- > 0;) {
    const Layer& layer = network_.layers[i];
    if (needs_gradient(layer.output)) backward(layer);
  }
}

void Lowering::update() {
  name_suffix_.clear();
  for (std::size_t i = 0; i < network_.layers.size(); ++i) {
    if (network_.parameters_of(i) > 0) update_layer(i);
  }
}

void Lowering::update_layer(std::size_t number) {
  const Layer& layer = network_.layers[number];
  std::vector<TensorUse> operands;
  for (const auto& index : {layer.weight, layer.bias}) {
    if (!index || network_.parameters[*index].owner != number) continue;
    const ParameterTensors& tensors = parameters_[*index];
    operands.push_back(whole(tensors.gradient));
    operands.push_back(whole(tensors.master, true));
    for (const TensorId state : tensors.state) operands.push_back(whole(state, true));
  }
  const ElementFn fn =
      run_.software.optimizer == Optimizer::adam ? ElementFn::adam : ElementFn::sgd_momentum;
  const std::int64_t ops = run_.software.optimizer == Optimizer::sgd ? 2 : ops_per_element(fn);
  emit_elements(layer, Pass::update, "", fn, network_.parameters_of(number), std::move(operands),
                ops);
}

void Lowering::cast_parameters(const Layer& layer) {
  if (!mixed()) return;
  std::vector<TensorUse> operands;
  std::int64_t elements = 0;
  for (const auto& index : {layer.weight, layer.bias}) {
    if (!index || parameters_[*index].cast) continue;
    ParameterTensors& tensors = parameters_[*index];
    const std::int64_t count = network_.parameters[*index].elements;
    tensors.cast = transient(Bytes{count * element_});
    operands.push_back(whole(tensors.master));
    operands.push_back(whole(*tensors.cast, true));
    elements += count;
  }
  if (elements == 0) return;
  emit_elements(layer, Pass::forward, ".cast", ElementFn::copy, elements, std::move(operands), 0);
}

// Under autocast the input arrives in fp32 and the first convolution or product rounds it.
void Lowering::cast_input() {
  const Layer& first = network_.layers.front();
  const TensorId full = transient(bytes_of(0) * 2);
  emit_elements(first, Pass::forward, ".input_cast", ElementFn::copy, elements_of(0),
                {whole(full), whole(value_[0], true)}, 0);
}

void Lowering::zero_gradients() {
  for (std::size_t i = 0; i < network_.layers.size(); ++i) {
    const Layer& layer = network_.layers[i];
    std::vector<TensorUse> operands;
    for (const auto& index : {layer.weight, layer.bias}) {
      if (!index || network_.parameters[*index].owner != i) continue;
      operands.push_back(whole(parameters_[*index].gradient, true));
      parameters_[*index].written = true;
    }
    if (operands.empty()) continue;
    emit_elements(layer, Pass::weight_gradient, ".zero", ElementFn::copy, network_.parameters_of(i),
                  std::move(operands), 0);
  }
}

TensorId Lowering::begin_parameter_gradient(std::size_t parameter, bool half) {
  const ParameterTensors& tensors = parameters_[parameter];
  if (!half && (!tensors.written || adds_in_place(half))) return tensors.gradient;
  return transient(
      Bytes{network_.parameters[parameter].elements * (half ? element_ : kept_element())});
}

void Lowering::end_parameter_gradient(std::size_t parameter, const char* what, TensorId tensor,
                                      bool half) {
  ParameterTensors& tensors = parameters_[parameter];
  const std::int64_t elements = network_.parameters[parameter].elements;
  const Layer& layer = network_.layers[network_.parameters[parameter].owner];
  if (half) {
    const TensorId full = tensors.written ? transient(Bytes{elements * 4}) : tensors.gradient;
    emit_elements(layer, Pass::weight_gradient, std::string(".") + what + ".cast", ElementFn::copy,
                  elements, {whole(tensor), whole(full, true)}, 0);
    tensor = full;
  }
  if (tensors.written && !adds_in_place(half)) {
    emit_elements(layer, Pass::weight_gradient, std::string(".") + what + ".accumulate",
                  ElementFn::add, elements,
                  {whole(tensor), whole(tensors.gradient), whole(tensors.gradient, true)}, 1);
  }
  tensors.written = true;
}

// ------------------------------------------------------------------------------------------------- sizes and operands

Bytes Lowering::bytes_of(std::size_t activation) const {
  return Bytes{elements_of(activation)} * (network_.activations[activation].tokens ? 8 : element_);
}

TensorUse Lowering::read_parameter(std::size_t parameter) const {
  const ParameterTensors& tensors = parameters_[parameter];
  return whole(tensors.cast ? *tensors.cast : tensors.master);
}

Operation Lowering::operation(const Layer& layer, Pass pass, const Work& work) const {
  Operation operation;
  operation.name = layer.name + name_suffix_;
  operation.layer = LayerId{static_cast<std::uint32_t>(number_of(layer))};
  operation.pass = pass;
  operation.type = storage_;
  operation.work = work;
  return operation;
}

void Lowering::emit_elements(const Layer& layer, Pass pass, const std::string& suffix, ElementFn fn,
                             std::int64_t elements, std::vector<TensorUse> operands,
                             std::int64_t ops_each) {
  Operation made = operation(layer, pass, ElementwiseShape{fn, elements});
  made.name += suffix;
  if (pass == Pass::update) made.type = DType::fp32;
  made.operands = std::move(operands);
  made.other_ops = elements * ops_each;
  builder_.emit(std::move(made));
}

TensorId Lowering::make_output(const Layer& layer) {
  return value_[layer.output] = transient(bytes_of(layer.output));
}

ConvShape Lowering::batched(ConvShape conv) const {
  conv.batch = micro_;
  return conv;
}

// Rows of a linear layer are the samples' rows, one below the other; heads of a matmul are products of their own.
GemmShape Lowering::batched(const Layer& layer) const {
  GemmShape gemm = layer.gemm;
  (layer.kind == LayerKind::linear ? gemm.m : gemm.batch) *= micro_;
  return gemm;
}

PoolShape Lowering::batched(PoolShape pool) const {
  pool.batch = micro_;
  return pool;
}

RowShape Lowering::rows_of(const Layer& layer, RowFn fn) const {
  const Shape& shape = network_.activations[layer.inputs[0]].shape;
  const bool along_channels =
      shape.layout == Layout::image;  // softmax and lrn look across the channels of a position
  const std::int64_t length = along_channels ? shape.dims[0] : shape.last();
  const std::int64_t rows = elements_of(layer.inputs[0]) / length;
  if (fn == RowFn::batch_norm)
    return {fn, shape.dims[0], elements_of(layer.inputs[0]) / shape.dims[0]};
  return {fn, rows, length, fn == RowFn::lrn ? std::get<LrnSpec>(layer.body).size : 1};
}

}  // namespace tantalus

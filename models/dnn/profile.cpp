#include "models/dnn/profile.hpp"

#include <set>
#include <utility>

#include "models/dnn/lower.hpp"

namespace tantalus {

namespace {

/// How the lecture counts one layer's forward pass of one sample; empty for arithmetic that it lacks.
std::optional<std::int64_t> lecture_ops(const Network& network, const Layer& layer) {
  const std::int64_t outputs = network.activations[layer.output].shape.elements();
  switch (layer.kind) {
    case LayerKind::conv2d:
      return layer.macs + outputs;  // outputs x (taps + 1)
    case LayerKind::linear:
      return layer.macs;
    case LayerKind::relu:
      return 2 * outputs;
    case LayerKind::max_pool:
    case LayerKind::avg_pool:
    case LayerKind::global_avg_pool:
      return outputs * (layer.pool.kernel_h * layer.pool.kernel_w - 1);
    case LayerKind::flatten:  // these move or drop numbers and compute none
    case LayerKind::dropout:
    case LayerKind::concat:
    case LayerKind::slice:
    case LayerKind::split_heads:
    case LayerKind::merge_heads:
    case LayerKind::embedding:
      return 0;
    default:
      return std::nullopt;
  }
}

Diagnostic warning(std::string code, std::string message, std::string hint) {
  return {Severity::warning, std::move(code),    {},
          "convention",      std::move(message), std::move(hint)};
}

class Profiler {
 public:
  Profiler(const Network& network, const ProfileOptions& options) : network_(network) {
    profile_.network = network.name;
    profile_.options = options;
  }

  Profile run() {
    const ProfileOptions& options = profile_.options;
    RunSpec run;
    run.batch = options.batch;
    run.mode = options.mode;
    run.precision = options.precision;
    const TaskGraph step = lower(network_, run);
    for (std::size_t i = 0; i < network_.layers.size(); ++i) add_layer(i, step.layers()[i]);
    count_operations(step);
    for (std::size_t i = 0; i < profile_.layers.size(); ++i) finish_layer(i);
    profile_.totals.parameters = network_.parameter_count();
    profile_.totals.parameter_bytes =
        Bytes{network_.parameter_count() * element_size(options.precision)};
    add_warnings();
    return std::move(profile_);
  }

 private:
  void add_layer(std::size_t number, const LayerInfo& info) {
    LayerProfile row;
    row.name = info.name;
    row.kind = info.kind;
    row.output_shape = {profile_.options.batch};
    const Shape& shape = network_.activations[network_.layers[number].output].shape;
    row.output_shape.insert(row.output_shape.end(), shape.dims.begin(), shape.dims.end());
    row.parameters = info.parameters;
    row.input_bytes = info.input_bytes;
    row.output_bytes = info.output_bytes;
    row.parameter_bytes = info.parameter_bytes;
    row.working_set_bytes = row.input_bytes + row.output_bytes + row.parameter_bytes;
    profile_.layers.push_back(std::move(row));
  }

  void count_operations(const TaskGraph& step) {
    for (const Task& task : step.tasks()) {
      const auto* operation = std::get_if<Operation>(&task.work);
      if (operation == nullptr) continue;
      LayerProfile& row = profile_.layers[operation->layer.value];
      row.macs += operation->macs;
      row.other_ops += operation->other_ops;
    }
  }

  void finish_layer(std::size_t number) {
    LayerProfile& row = profile_.layers[number];
    row.flops = 2 * row.macs;
    row.ops = ops_of(number, row);
    profile_.totals.ops += row.ops;
    profile_.totals.macs += row.macs;
    profile_.totals.flops += row.flops;
    profile_.totals.other_ops += row.other_ops;
  }

  std::int64_t ops_of(std::size_t number, const LayerProfile& row) {
    switch (profile_.options.convention) {
      case Convention::macs:
        return row.macs;
      case Convention::flops:
        return row.flops;
      case Convention::lecture:
        break;
    }
    const auto ops = lecture_ops(network_, network_.layers[number]);
    if (!ops) lacking_.insert(row.kind);
    return ops.value_or(0) * profile_.options.batch;
  }

  void add_warnings() {
    if (!lacking_.empty()) {
      std::string kinds;
      for (const std::string& kind : lacking_) kinds += (kinds.empty() ? "" : ", ") + kind;
      profile_.warnings.push_back(
          warning("lecture-lacks-kind", "the lecture has no count for " + kinds + ": they count 0",
                  "use the convention macs or flops"));
    }
    if (profile_.options.convention == Convention::lecture &&
        profile_.options.mode == Mode::training) {
      profile_.warnings.push_back(
          warning("lecture-counts-forward",
                  "the lecture counts the forward pass only: ops leave the backward pass out",
                  "use the convention macs or flops"));
    }
  }

  const Network& network_;
  Profile profile_;
  std::set<std::string> lacking_;
};

}  // namespace

std::string_view name_of(Convention convention) {
  switch (convention) {
    case Convention::macs:
      return "macs";
    case Convention::flops:
      return "flops";
    case Convention::lecture:
      return "lecture";
  }
  return "macs";
}

Profile profile(const Network& network, const ProfileOptions& options) {
  return Profiler(network, options).run();
}

}  // namespace tantalus

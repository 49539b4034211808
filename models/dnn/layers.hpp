// A network whose shapes are known: what infer() makes of a NetworkSpec, and what profile() and lower() read. Everything is
// per sample; the batch is a matter of the run. It knows no hardware and no number format. Promises: layers stand in an order
// in which each reads only earlier ones, every shape has at least one element, and the totals fit the limits below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/dnn/shape.hpp"
#include "sim/base/result.hpp"
#include "sim/config/network_spec.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

/// A value that flows between layers. Index 0 is the network's input.
struct Activation {
  std::string name;  // of the layer that makes it, or "input"
  Shape shape;
  bool tokens = false;          // word numbers (64-bit integers), not numbers of the run's format
  bool needs_gradient = false;  // something before it learns
};

/// A tensor that training changes. Layers that share one hold the same index.
struct Parameter {
  std::string name;  // "conv1.weight"
  std::int64_t elements = 0;
  std::size_t owner = 0;  // the layer that counts it
};

struct Layer {
  std::string name;
  LayerKind kind = LayerKind::relu;
  std::vector<std::size_t> inputs;  // of Network::activations
  std::size_t output = 0;
  std::optional<std::size_t> weight, bias;  // of Network::parameters; scale and shift of the norms
  LayerBody body;

  std::int64_t macs = 0;       // forward, one sample; convolution, linear and matmul only
  std::int64_t other_ops = 0;  // arithmetic that is not a MAC; forward in inference, one sample
  std::int64_t buffers = 0;    // numbers kept but not learnt: running mean and variance

  // The shape of the forward operation for one sample, where the kind has one.
  ConvShape conv;  // conv2d
  GemmShape gemm;  // linear (m = rows), matmul (batch = heads)
  PoolShape pool;  // max, average, global average
};

struct Network {
  std::string name, source;
  std::vector<Activation> activations;
  std::vector<Parameter> parameters;
  std::vector<Layer> layers;

  /// Counted once, shared ones too.
  std::int64_t parameter_count() const;
  /// Of the layer itself: what it owns.
  std::int64_t parameters_of(std::size_t layer) const;
  /// All that the layer reads, shared ones too.
  std::int64_t parameters_read_by(std::size_t layer) const;
  std::int64_t macs() const;
};

/// Limits per sample: far above any network that fits a machine, and they keep all later sums inside 64 bits for every batch
/// that check_batch() (lower.hpp) accepts.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 38;    // of one tensor
inline constexpr std::int64_t most_parameters = std::int64_t{1} << 42;  // together
inline constexpr std::int64_t most_macs = std::int64_t{1} << 54;        // together

/// Shapes, parameters and operation counts of every layer, or all that is wrong: names that nobody has, cycles, forward
/// references, layers that do not fit their inputs, numbers past the limits. After a mistake, layers that depend on the
/// broken one are skipped, not blamed.
Result<Network> infer(const NetworkSpec& spec);

}  // namespace tantalus

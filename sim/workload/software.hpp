// What the software on top makes of a network's layers, whatever the device: which layers share a kernel, which numbers are
// kept in which format, what a training step does besides the mathematics. A stack file (sim/hardware/stack_spec.hpp) writes
// it, the lowering (models/dnn) reads it; neither knows the other. Plain data.
#pragma once

#include <cstdint>

namespace tantalus {

/// none: every layer is a kernel of its own. pointwise: chains of element-wise layers are one kernel (a compiler that leaves
/// convolutions to a library). epilogue: they are part of the convolution or product before them (inference engines).
enum class Fusion : std::uint8_t { none, pointwise, epilogue };

/// How 16-bit runs keep their weights. trained_mixed: fp32 masters in training, 16-bit weights in inference. autocast: fp32
/// masters and input always, cast in every step. pure: 16 bits throughout.
enum class HalfPrecision : std::uint8_t { trained_mixed, autocast, pure };

/// written: a step's gradients replace those before. accumulated: they are zeroed once a step and added to, by kernels of their
/// own. in_place: the kernels that compute the gradients of weights add them to what is there.
enum class GradientStore : std::uint8_t { written, accumulated, in_place };

/// How a training step updates a parameter p with its gradient g. sgd: p -= lr g. sgd_momentum keeps one more number a parameter,
/// adam two.
enum class Optimizer : std::uint8_t { sgd, sgd_momentum, adam };

struct Software {
  Fusion fusion = Fusion::none;
  HalfPrecision half = HalfPrecision::trained_mixed;
  GradientStore gradients = GradientStore::written;
  Optimizer optimizer = Optimizer::sgd_momentum;
  bool gradient_of_input = false;   // the backward pass goes through to the network's input
  std::int64_t bytes_of_index = 8;  // of the winner that max pooling remembers in training
  bool operator==(const Software&) const = default;
};

}  // namespace tantalus

// Arithmetic that is not a multiply-add: operations per element, counted from the formulas (a maximum, an exponential, a
// square root and a division count one each). It informs reports and the compute side of element-wise kernels, which are
// bound by memory on every machine we know; no accuracy is claimed below a factor of two.
#pragma once

#include <cstdint>

#include "sim/workload/operation.hpp"

namespace tantalus {

/// One output element of y = f(x).
constexpr std::int64_t ops_per_element(ElementFn fn) {
  switch (fn) {
    case ElementFn::copy:
      return 0;
    case ElementFn::gelu:  // 0.5 x (1 + tanh(c (x + 0.044715 x^3)))
      return 9;
    case ElementFn::sigmoid:  // 1 / (1 + exp(-x))
      return 4;
    case ElementFn::dropout:  // compare, scale
      return 2;
    case ElementFn::sgd_momentum:  // v = mu v + g; p -= lr v
      return 4;
    case ElementFn::adam:  // two moments, square root, division, step
      return 12;
    default:
      return 1;
  }
}

/// One element of dx from dy.
constexpr std::int64_t gradient_ops_per_element(ElementFn fn) {
  switch (fn) {
    case ElementFn::gelu:
      return 16;
    case ElementFn::tanh:     // dy (1 - y y)
    case ElementFn::sigmoid:  // dy y (1 - y)
      return 3;
    case ElementFn::copy:
      return 0;
    default:
      return 1;
  }
}

/// One element of a row-wise operation. lrn depends on its window: squares and sum, then scale, add, power, multiply.
constexpr std::int64_t ops_per_element(RowFn fn, std::int64_t window = 1) {
  switch (fn) {
    case RowFn::softmax:  // maximum, subtract, exponential, sum, divide
      return 5;
    case RowFn::layer_norm:  // mean, subtract, square, mean, scale, multiply, add
    case RowFn::batch_norm:
      return 7;
    case RowFn::lrn:
      return window + 4;
    case RowFn::reduce:
      return 1;
  }
  return 1;
}

/// Batch norm with stored statistics is one multiply and one add.
inline constexpr std::int64_t batch_norm_inference_ops = 2;

/// One element of dx of a row-wise operation.
constexpr std::int64_t gradient_ops_per_element(RowFn fn, std::int64_t window = 1) {
  switch (fn) {
    case RowFn::softmax:  // y (dy - sum(dy y))
      return 4;
    case RowFn::layer_norm:
    case RowFn::batch_norm:  // two sums of two operations, then four
      return 8;
    case RowFn::lrn:
      return window + 6;
    case RowFn::reduce:
      return 1;
  }
  return 1;
}

}  // namespace tantalus

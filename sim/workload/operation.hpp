// An Operation is one piece of arithmetic that a layer asks for: shapes, number format, operands. It names no device and no
// kernel; the device that runs it picks kernels from its library's catalogue. It has no clock.
//
// MACs and FLOPs are nominal (what the mathematics asks for); what a chosen algorithm really executes is in KernelCost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"
#include "sim/workload/tensor.hpp"

namespace tantalus {

enum class Pass : std::uint8_t { forward, input_gradient, weight_gradient, bias_gradient, update };
std::string_view name_of(Pass pass);

/// C[m x n] = A[m x k] B[k x n], `batch` times. A transposed operand is stored transposed (trans_b: B is kept n x k).
struct GemmShape {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  bool trans_a = false, trans_b = false;
  bool operator==(const GemmShape&) const = default;
};

/// A 2-D convolution of the forward pass; a gradient pass carries the same forward shape and says so in `Operation::pass`.
struct ConvShape {
  std::int64_t batch = 1, in_ch = 1, in_h = 1, in_w = 1;
  std::int64_t out_ch = 1, out_h = 1, out_w = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  std::int64_t pad_h = 0, pad_w = 0;  // before the first row and column
  std::int64_t dilation_h = 1, dilation_w = 1, groups = 1;
  bool operator==(const ConvShape&) const = default;
};

enum class PoolKind : std::uint8_t { max, average, global_average };

struct PoolShape {
  PoolKind kind = PoolKind::max;
  std::int64_t batch = 1, channels = 1, in_h = 1, in_w = 1, out_h = 1, out_w = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  bool operator==(const PoolShape&) const = default;
};

/// What an element-wise operation computes for each element; decides the instruction count, not the traffic.
enum class ElementFn : std::uint8_t {
  copy,
  add,
  mul,
  div,
  pow,
  relu,
  gelu,
  tanh,
  sigmoid,
  bias,
  scale,
  dropout,
  sgd_momentum,
  adam
};
std::string_view name_of(ElementFn fn);

/// `elements` results; traffic is the sum of the operand sizes in Operation::operands.
struct ElementwiseShape {
  ElementFn fn = ElementFn::copy;
  std::int64_t elements = 1;
  bool operator==(const ElementwiseShape&) const = default;
};

/// Operations that look along a row: `rows` independent rows of `cols` elements.
enum class RowFn : std::uint8_t { softmax, layer_norm, batch_norm, lrn, reduce };
std::string_view name_of(RowFn fn);

/// lrn: rows = batch x height x width positions, cols = channels, window = local size. batch_norm: rows = channels,
/// cols = batch x height x width. reduce: sums each row to one value.
struct RowShape {
  RowFn fn = RowFn::softmax;
  std::int64_t rows = 1, cols = 1, window = 1;
  std::int64_t images =
      1;  // that each row runs through, one stretch of `cols / images` columns after the other
  bool operator==(const RowShape&) const = default;
};

/// Gathers `rows` rows of `width` elements from a table (scatters them back in the weight gradient).
struct EmbeddingShape {
  std::int64_t rows = 1, width = 1, table_rows = 1;
  bool operator==(const EmbeddingShape&) const = default;
};

using Work =
    std::variant<GemmShape, ConvShape, PoolShape, ElementwiseShape, RowShape, EmbeddingShape>;

/// Which algorithm a caller insists on; `automatic` leaves the choice to the device's catalogue.
enum class Algorithm : std::uint8_t {
  automatic,
  gemm,
  im2col_gemm,
  implicit_gemm,
  winograd,
  fft,
  direct
};
std::string_view name_of(Algorithm algorithm);

struct Operation {
  std::string name;  // "conv1", unique per layer and pass within a task graph
  LayerId layer;
  Pass pass = Pass::forward;
  DType type = DType::fp32;
  Work work;
  std::vector<TensorUse>
      operands;       // every tensor read or written, each once; in an update, writes read first
  bool bias = false;  // adds a bias as part of the operation (gemm and convolution only)
  Algorithm algorithm = Algorithm::automatic;
  std::int64_t macs = 0;       // multiply-adds of convolution, linear, matmul; else 0
  std::int64_t other_ops = 0;  // arithmetic that is not a MAC
};

/// Sum of the sizes of all operands: what must cross any memory level that holds none of them.
Bytes operand_bytes(const Operation& operation);

}  // namespace tantalus

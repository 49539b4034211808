// What a machine is asked to run: a list of layer steps over numbered tensors, in order, as a framework would issue them. Plain
// data; it names no library. A step reads and writes tensors by role; a role that a step does not have is `none`.
//
// All numbers are fp32. A tensor's size is in bytes, because some hold indices or masks. Activations are N x C x H x W or
// rows x columns, weights O x I x H x W (grouped: I of one group) or out x in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tantalus::kernels {

inline constexpr int none = -1;

struct ConvSize {
  std::int64_t batch = 1, in_ch = 1, in_h = 1, in_w = 1;
  std::int64_t out_ch = 1, out_h = 1, out_w = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  std::int64_t pad_h = 0, pad_w = 0;  // before the first row and column
  std::int64_t dilation_h = 1, dilation_w = 1, groups = 1;
};

/// y[batch x out] = x[batch x in] w^T + bias, w stored out x in.
struct LinearSize {
  std::int64_t batch = 1, in = 1, out = 1;
};

/// Windows begin inside the image; what reaches past its far edges is left out, of the average too.
struct PoolSize {
  bool average = false;
  std::int64_t batch = 1, channels = 1, in_h = 1, in_w = 1, out_h = 1, out_w = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
};

/// y = x (k + alpha / window x sum of squares over `window` channels) ^ -beta, with the constants of AlexNet.
struct LrnSize {
  std::int64_t batch = 1, channels = 1, height = 1, width = 1, window = 5;
};
inline constexpr float lrn_alpha = 1e-4F, lrn_beta = 0.75F, lrn_k = 1.0F;

struct SoftmaxSize {
  std::int64_t rows = 1, cols = 1;
};

enum class ElementKind : std::uint8_t { relu, tanh, sigmoid, dropout, add, copy };
struct ElementSize {
  ElementKind kind = ElementKind::relu;
  std::int64_t elements = 1;
};

/// SGD with momentum over the parameters of one layer: v = momentum v + g, w = w - rate v.
struct UpdateSize {
  struct Part {
    int gradient = none, weights = none, momentum = none;
    std::int64_t elements = 0;
  };
  std::vector<Part> parts;
};
inline constexpr float sgd_rate = 1e-6F, sgd_momentum = 0.9F;
/// Dropout keeps every second element in the mean and doubles it.
inline constexpr float dropout_scale = 2.0F;

using StepSize =
    std::variant<ConvSize, LinearSize, PoolSize, LrnSize, SoftmaxSize, ElementSize, UpdateSize>;

enum class Direction : std::uint8_t {
  forward,
  input_gradient,
  weight_gradient,
  bias_gradient,
  update
};

struct Roles {
  int x = none, x2 = none, w = none, bias = none, y = none;
  int dy = none, dx = none, dw = none, db = none;
  int saved = none;  // index, mask or scale that forward leaves for backward
  int like = none;   // not touched: the forward tensor whose shape and layout a gradient takes
};

struct Step {
  std::string name;
  Direction direction = Direction::forward;
  StepSize size;
  Roles at;
};

struct Program {
  std::vector<std::int64_t> tensor_bytes;
  std::vector<Step> steps;
  bool training = false;
};

/// Multiply-adds counted as two, over the taps that fall inside the image; 0 for what only moves data.
double flops_of(const Step& step);
/// Each tensor of the step once.
double bytes_of(const Step& step, const Program& program);
/// Positions of a convolution's kernel that fall inside the image, summed over outputs, along one axis.
std::int64_t taps_inside(std::int64_t in, std::int64_t out, std::int64_t kernel,
                         std::int64_t stride, std::int64_t pad, std::int64_t dilation);

}  // namespace tantalus::kernels

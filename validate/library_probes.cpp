#include "validate/library_probes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/chain.hpp"
#include "kernels/cpu/loops.hpp"

namespace tantalus::validation {

namespace {

using kernels::ConvSize;
using kernels::Direction;
using kernels::ElementKind;
using kernels::ElementSize;
using kernels::LinearSize;
using kernels::LrnSize;
using kernels::PoolSize;
using kernels::Program;
using kernels::Roles;
using kernels::SoftmaxSize;
using kernels::Step;
using kernels::StepSize;
using kernels::UpdateSize;

std::string text_of(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3g", std::max(0.0, value));
  return text.data();
}

// Tensors of the one-layer programs.
enum Number : int { x, w, y, dy, dx, dw, saved, momentum, count };

struct Sizes {
  std::int64_t in = 0, weights = 0, out = 0;
};

Program program_of(const StepSize& size, const Sizes& n, bool training) {
  Program p;
  p.training = training;
  p.tensor_bytes = {4 * n.in, 4 * n.weights, 4 * n.out, 4 * n.out,
                    4 * n.in, 4 * n.weights, 8 * n.out, 4 * n.weights};
  Roles forward, input, weights;
  forward.x = x, forward.y = y, forward.saved = saved;
  if (n.weights > 0) forward.w = w;
  p.steps.push_back({"probe", Direction::forward, size, forward});
  if (!training) return p;
  input.dy = dy, input.dx = dx, input.w = w, input.like = x, input.saved = saved;
  weights.x = x, weights.dy = dy, weights.dw = dw;
  p.steps.push_back({"probe", Direction::input_gradient, size, input});
  p.steps.push_back({"probe", Direction::weight_gradient, size, weights});
  return p;
}

ConvSize conv_of(std::int64_t in_ch, std::int64_t out_ch, std::int64_t image, std::int64_t kernel) {
  ConvSize s;
  s.in_ch = in_ch, s.out_ch = out_ch, s.in_h = s.in_w = s.out_h = s.out_w = image;
  s.kernel_h = s.kernel_w = kernel, s.pad_h = s.pad_w = kernel / 2;
  return s;
}

Sizes sizes_of(const ConvSize& s) {
  return {s.batch * s.in_ch * s.in_h * s.in_w, s.out_ch * s.in_ch * s.kernel_h * s.kernel_w,
          s.batch * s.out_ch * s.out_h * s.out_w};
}

class Constants {
 public:
  explicit Constants(const LibraryProbes& probes) : p_(probes) {}

  std::vector<LibraryConstant> run() {
    loops();
    pooling();
    rows();
    p_.onednn ? direct() : products();
    return std::move(found_);
  }

 private:
  void add(std::string field, double value, double spread, std::string how) {
    found_.push_back({std::move(field), text_of(value), spread, std::move(how)});
  }

  /// The seconds of each step of a program, changes of layout left out.
  std::vector<Timing> time(const Program& program) {
    const auto chain = p_.onednn ? kernels::dnn_chain(program) : kernels::blas_chain(program);
    for (const kernels::Kernel& kernel : chain->kernels()) kernel.run();
    std::vector<Timing> timings;
    for (const kernels::Kernel& kernel : chain->kernels()) {
      if (!kernel.reorder) timings.push_back(measure(kernel.run, p_.probe, p_.rule));
    }
    return timings;
  }
  Timing forward(const StepSize& size, const Sizes& n) {
    return time(program_of(size, n, false)).front();
  }
  double cycles(const Timing& t) const { return t.seconds * p_.hertz; }
  /// Elements that one count of a loop's cycles covers.
  double unit() const { return p_.onednn ? static_cast<double>(p_.lanes) : 1.0; }

  void loops();
  void pooling();
  void rows();
  void direct();
  void products();
  void columns();
  double efficiency(const ConvSize& s, double& spread);

  LibraryProbes p_;
  std::vector<LibraryConstant> found_;
  double call_ = 0;  // cycles of an empty loop
};

void Constants::loops() {
  constexpr std::int64_t n = 2048;
  const auto element = [&](ElementKind kind, std::int64_t elements) {
    return forward(ElementSize{kind, elements}, {elements, 0, elements});
  };
  const Timing empty = element(ElementKind::relu, 16);
  call_ = cycles(empty);
  found_.push_back(
      {"loops.call", text_of(empty.seconds * 1e9) + " ns", empty.spread, "ReLU of 16"});
  const Timing relu = element(ElementKind::relu, n);
  add("loops.simple", (cycles(relu) - call_) / (n / unit()), relu.spread, "ReLU of 2048");
  found_.push_back({"loops.relu_in_place", "false", 0, "the harness keeps the input"});
  const Timing dropout = element(ElementKind::dropout, n);
  add("loops.dropout", (cycles(dropout) - call_) / (n / unit()), dropout.spread, "dropout of 2048");

  Program update;
  update.tensor_bytes = {4 * n, 4 * n, 4 * n};
  update.steps.push_back({"probe", Direction::update, UpdateSize{{{0, 1, 2, n}}}, {}});
  const Timing sgd = time(update).front();
  add("loops.sgd_momentum", (cycles(sgd) - call_) / (n / unit()), sgd.spread, "update of 2048");
}

// Windows of 2 x 2 and 3 x 3 without overlap: taps and outputs apart.
void Constants::pooling() {
  constexpr std::int64_t channels = 32, outputs = 10;
  const auto per_output = [&](std::int64_t kernel, Timing& t) {
    const PoolSize s{false,   1,       channels, outputs * kernel, outputs * kernel,
                     outputs, outputs, kernel,   kernel,           kernel,
                     kernel};
    t = forward(s, {channels * s.in_h * s.in_w, 0, channels * outputs * outputs});
    return (cycles(t) - call_) / (channels * outputs * outputs / unit());
  };
  Timing two, three;
  const double small = per_output(2, two), large = per_output(3, three);
  const double tap = std::max(0.05, (large - small) / 5.0);
  const std::string how = "max pooling of 32 channels, windows of 2 and 3";
  add("loops.max_tap", tap, three.spread, how);
  add("loops.pool_output", std::max(0.0, small - 4.0 * tap), two.spread, how);
  if (p_.onednn) add("loops.pool_line", 0.0, 0, "part of pool_output here");
}

void Constants::rows() {
  const LrnSize lrn{1, 64, 8, 8, 5};
  const double elements = 64 * 8 * 8;
  const Timing norm = forward(lrn, {64 * 64, 0, 64 * 64});
  add("loops.lrn", (cycles(norm) - call_) / (elements / unit()), norm.spread, "LRN of 64 x 8 x 8");
  if (p_.onednn) add("loops.lrn_row", 0.0, 0, "part of lrn here");
  const Timing narrow = forward(SoftmaxSize{32, 16}, {512, 0, 512});
  const Timing wide = forward(SoftmaxSize{32, 256}, {8192, 0, 8192});
  const double element = (cycles(wide) - cycles(narrow)) / (32 * 240);
  const std::string how = "softmax of 32 rows, 16 and 256 wide";
  add("loops.softmax", element, wide.spread, how);
  add("loops.softmax_row", (cycles(narrow) - call_) / 32 - 16 * element, narrow.spread, how);
}

double Constants::efficiency(const ConvSize& s, double& spread) {
  const Timing t = forward(s, sizes_of(s));
  spread = t.spread;
  return std::min(1.0,
                  kernels::flops_of(Step{"", Direction::forward, s, {}}) / t.seconds / p_.peak);
}

// Channel blocks of a vector of the library: 1, 2, 3, 4 of them; 24 x 24 outputs, all in L1 and L2.
void Constants::direct() {
  const std::int64_t vector = kernels::dnn_name().ends_with("AVX-512") ? 16 : 8;
  std::string list;
  double spread = 0;
  for (std::int64_t blocks = 1; blocks <= 4; ++blocks) {
    const double e = efficiency(conv_of(32, blocks * vector, 24, 3), spread);
    list += (list.empty() ? "[" : ", ") + text_of(e);
  }
  found_.push_back({"direct.block_efficiency", list + "]", spread,
                    "3 x 3 convolutions of 32 channels to 1, 2, 3 and 4 blocks, 24 x 24"});
  const ConvSize s = conv_of(64, 64, 24, 3);
  const std::vector<Timing> t = time(program_of(s, sizes_of(s), true));
  const std::string how =
      "3 x 3 convolution of 64 to 64 channels, 24 x 24, against its forward pass";
  add("direct.input_gradient", std::max(1.0, t[1].seconds / t[0].seconds), t[1].spread, how);
  add("direct.weight_gradient", std::max(1.0, t[2].seconds / t[0].seconds), t[2].spread, how);
  const LinearSize fc{64, 256, 256};
  const Timing product = forward(fc, {64 * 256, 256 * 256, 64 * 256});
  add("gemm.efficiency", std::min(1.0, 2.0 * 64 * 256 * 256 / product.seconds / p_.peak),
      product.spread, "fully connected 256 to 256, batch 64");
}

// A 1 x 1 convolution is one matrix product: out_ch x positions x in_ch.
void Constants::products() {
  const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    ConvSize s = conv_of(k, m, 1, 1);
    s.in_w = s.out_w = n;
    return forward(s, sizes_of(s));
  };
  const Timing square = product(512, 512, 512);
  const Timing thin = product(16, 1024, 1024);
  // seconds = FLOPs u + packed elements v, for both products: u = 1 / (peak x efficiency), v = pack_b / clock
  const double f1 = 2.0 * 512 * 512 * 512, n1 = 512.0 * 512, f2 = 2.0 * 16 * 1024 * 1024,
               n2 = 1024.0 * 1024;
  const double u = (square.seconds * n2 - thin.seconds * n1) / (f1 * n2 - f2 * n1);
  const double v = (thin.seconds - f2 * u) / n2;
  const std::string how = "products of 512 x 512 x 512 and 16 x 1024 x 1024";
  add("gemm.efficiency", std::clamp(1.0 / (u * p_.peak), 0.1, 1.0), square.spread, how);
  add("gemm.pack_b", v * p_.hertz, thin.spread, how);
  columns();
}

// Cycles an element are element + row / width: two widths tell them apart.
void Constants::columns() {
  constexpr std::int64_t channels = 8, wide = 32, narrow = 8;
  kernels::Buffer image(channels * wide * wide), columns(channels * 9 * wide * wide);
  const auto per_element = [&](std::int64_t width, double& spread) {
    const ConvSize s = conv_of(channels, channels, width, 3);
    const Timing t =
        measure([&] { kernels::im2col(s, image.data(), columns.data()); }, p_.probe, p_.rule);
    spread = t.spread;
    return cycles(t) / static_cast<double>(channels * 9 * width * width);
  };
  double spread = 0;
  const double at_narrow = per_element(narrow, spread), at_wide = per_element(wide, spread);
  const double row = std::max(0.0, (at_narrow - at_wide) / (1.0 / narrow - 1.0 / wide));
  const std::string how = "columns of 8 channels, 3 x 3, images 8 and 32 wide";
  add("im2col.row", row, spread, how);
  add("im2col.element", std::max(0.1, at_wide - row / wide), spread, how);
}

}  // namespace

std::vector<LibraryConstant> library_constants(const LibraryProbes& probes) {
  return Constants(probes).run();
}

}  // namespace tantalus::validation

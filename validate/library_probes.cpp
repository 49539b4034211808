#include "validate/library_probes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/libraries.hpp"
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
enum Number : int { x, w, y, dy, dx, dw, saved, momentum, image, filter, count };

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

// A loop and its gradient, with every role that one of them has, behind a convolution of so many channels and this size: loops take
// an image in the layout that convolutions leave.
Program loop_of(const StepSize& size, const Sizes& n, std::int64_t channels, std::int64_t side) {
  Program p = program_of(size, n, false);
  p.training = true;
  p.tensor_bytes.resize(count);
  p.tensor_bytes[image] = 4 * n.in, p.tensor_bytes[filter] = 4 * channels * channels;
  Roles before;
  before.x = image, before.w = filter, before.y = x;
  p.steps.insert(p.steps.begin(),
                 {"before", Direction::forward, conv_of(channels, channels, side, 1), before});
  Roles back;
  back.dy = dy, back.x = x, back.y = y, back.dx = dx, back.saved = saved, back.like = x;
  p.steps.push_back({"probe", Direction::input_gradient, size, back});
  return p;
}

Sizes sizes_of(const ConvSize& s) {
  return {s.batch * s.in_ch * s.in_h * s.in_w, s.out_ch * s.in_ch * s.kernel_h * s.kernel_w,
          s.batch * s.out_ch * s.out_h * s.out_w};
}

// Four equations a0 x0 + ... + a3 x3 = a4, by elimination with the greatest pivot.
using Equations = std::array<std::array<double, 5>, 4>;
std::array<double, 4> solved(Equations e) {
  for (std::size_t i = 0; i < 4; ++i) {
    std::size_t best = i;
    for (std::size_t r = i; r < 4; ++r) {
      if (std::fabs(e[r][i]) > std::fabs(e[best][i])) best = r;
    }
    std::swap(e[i], e[best]);
    for (std::size_t r = 0; r < 4; ++r) {
      const double share = r == i ? 0.0 : e[r][i] / e[i][i];
      for (std::size_t c = i; c < 5; ++c) e[r][c] -= share * e[i][c];
    }
  }
  return {e[0][4] / e[0][0], e[1][4] / e[1][1], e[2][4] / e[2][2], e[3][4] / e[3][3]};
}

class Constants {
 public:
  explicit Constants(const LibraryProbes& probes) : p_(probes) {}

  std::vector<LibraryConstant> run() {
    loops();
    pooling();
    rows();
    if (p_.onednn) {
      layout();
      direct();
    } else {
      sums();
      products();
    }
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
  void sums();
  void layout();
  void direct();
  void products();
  void packed_rate();
  void add_packed_rate(const std::string& field, std::int64_t width);
  void columns();

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
  const auto both = [&](const char* there, const char* back, ElementKind kind, const char* how) {
    const std::vector<Timing> t = time(loop_of(ElementSize{kind, n}, {n, 0, n}, 32, 8));
    add(there, (cycles(t[1]) - call_) / (n / unit()), t[1].spread, how);
    add(back, (cycles(t[2]) - call_) / (n / unit()), t[2].spread, how);
  };
  both("loops.simple", "loops.relu_gradient", ElementKind::relu, "ReLU of 2048 and its gradient");
  found_.push_back({"loops.relu_in_place", "false", 0, "the harness keeps the input"});
  both("loops.dropout", "loops.dropout_gradient", ElementKind::dropout,
       "dropout of 2048 and its gradient");
  const Timing copied = element(ElementKind::copy, n);
  if (!p_.onednn)
    add("loops.copy", (cycles(copied) - call_) / (n / unit()), copied.spread, "copy of 2048");

  Program update;
  update.tensor_bytes = {4 * n, 4 * n, 4 * n};
  update.steps.push_back({"probe", Direction::update, UpdateSize{{{0, 1, 2, n}}}, {}});
  const Timing sgd = time(update).front();
  add("loops.sgd_momentum", (cycles(sgd) - call_) / (n / unit()), sgd.spread, "update of 2048");
}

// Windows of 2 x 2 and 3 x 3 without overlap: taps and outputs apart.
void Constants::pooling() {
  constexpr std::int64_t channels = 32, outputs = 10;
  const auto per_output = [&](std::int64_t kernel, Timing& there, Timing& back) {
    const PoolSize s{false,   1,       channels, outputs * kernel, outputs * kernel,
                     outputs, outputs, kernel,   kernel,           kernel,
                     kernel};
    const Sizes n{channels * s.in_h * s.in_w, 0, channels * outputs * outputs};
    const std::vector<Timing> t = time(loop_of(s, n, channels, s.in_h));
    there = t[1], back = t[2];
    return (cycles(there) - call_) / (channels * outputs * outputs / unit());
  };
  Timing two, three, back, back_of_three;
  const double small = per_output(2, two, back), large = per_output(3, three, back_of_three);
  add("loops.max_gradient", (cycles(back) - call_) / (channels * outputs * outputs / unit()),
      back.spread, "gradient of max pooling of 32 channels, windows of 2");
  const double tap = std::max(0.05, (large - small) / 5.0);
  const std::string how = "max pooling of 32 channels, windows of 2 and 3";
  add("loops.max_tap", tap, three.spread, how);
  add("loops.pool_output", std::max(0.0, small - 4.0 * tap), two.spread, how);
  if (p_.onednn) add("loops.pool_line", 0.0, 0, "part of pool_output here");
}

void Constants::rows() {
  const LrnSize lrn{1, 64, 8, 8, 5};
  const double elements = 64 * 8 * 8;
  const std::vector<Timing> norm = time(loop_of(lrn, {64 * 64, 0, 64 * 64}, 64, 8));
  const std::string lrn_how = "LRN of 64 x 8 x 8 and its gradient";
  add("loops.lrn", (cycles(norm[1]) - call_) / (elements / unit()), norm[1].spread, lrn_how);
  add("loops.lrn_gradient", (cycles(norm[2]) - call_) / (elements / unit()), norm[2].spread,
      lrn_how);
  if (p_.onednn) add("loops.lrn_row", 0.0, 0, "part of lrn here");
  const Timing narrow = forward(SoftmaxSize{32, 16}, {512, 0, 512});
  const Timing wide = forward(SoftmaxSize{32, 256}, {8192, 0, 8192});
  const double element = (cycles(wide) - cycles(narrow)) / (32 * 240);
  const std::string how = "softmax of 32 rows, 16 and 256 wide";
  add("loops.softmax", element, wide.spread, how);
  add("loops.softmax_row", (cycles(narrow) - call_) / 32 - 16 * element, narrow.spread, how);
}

// The bias gradient of a convolution, where it is a step of its own.
void Constants::sums() {
  const ConvSize s = conv_of(16, 16, 24, 3);
  Program p;
  p.training = true;
  p.tensor_bytes = {4 * 16 * 24 * 24, 4 * 16};
  Roles roles;
  roles.dy = 0, roles.db = 1;
  p.steps.push_back({"probe", Direction::bias_gradient, s, roles});
  const Timing t = time(p).front();
  add("loops.reduce", (cycles(t) - call_) / (16 * 24 * 24), t.spread,
      "bias gradient of 16 channels of 24 x 24");
}

// Gradients of convolutions want their weights in another layout than forward: a change of layout of 147 kB, in the nearer caches.
void Constants::layout() {
  const ConvSize s = conv_of(64, 64, 8, 3);
  const auto chain = kernels::dnn_chain(program_of(s, sizes_of(s), true));
  for (const kernels::Kernel& kernel : chain->kernels()) kernel.run();
  for (const kernels::Kernel& kernel : chain->kernels()) {
    if (!kernel.reorder) continue;
    const Timing t = measure(kernel.run, p_.probe, p_.rule);
    add("loops.copy", (cycles(t) - call_) / (kernel.bytes / 8 / unit()), t.spread,
        "change of layout of the weights of 64 x 64 x 3 x 3, " + kernel.implementation);
    break;
  }
  const auto inference = kernels::dnn_chain(program_of(s, sizes_of(s), false));
  const std::string& kernel = inference->kernels().front().implementation;
  found_.push_back({"loops.channels_last", kernel.rfind("brg", 0) == 0 ? "true" : "false", 0,
                    "convolutions run as " + kernel});
}

// Channel blocks of a vector of the library: 1, 2, 3, 4 of them; 24 x 24 outputs, all in L1 and L2. Images of 8 x 8 beside those of
// 24 x 24 tell the cost of a row from that of its arithmetic.
void Constants::direct() {
  const std::int64_t vector = kernels::dnn_name().ends_with("AVX-512") ? 16 : 8;
  const ConvSize tiny = conv_of(vector, vector, 1, 1);
  const Timing call = forward(tiny, sizes_of(tiny));
  found_.push_back({"direct.call", text_of(call.seconds * 1e9) + " ns", call.spread,
                    "1 x 1 convolution of one block and one position"});
  double spread = 0;
  const auto seconds = [&](std::int64_t blocks, std::int64_t image) {
    const ConvSize s = conv_of(vector, blocks * vector, image, 3);
    const Timing t = forward(s, sizes_of(s));
    spread = t.spread;
    return std::pair(t.seconds - call.seconds,
                     kernels::flops_of(Step{"", Direction::forward, s, {}}) / p_.peak);
  };
  // measured = least / efficiency + rows x row, for both sizes.
  const auto [large, large_least] = seconds(1, 24);
  const auto [small, small_least] = seconds(1, 8);
  const double row = std::max(
      0.0, (small * large_least - large * small_least) / (8 * large_least - 24 * small_least));
  add("direct.row", row * p_.hertz, spread,
      "3 x 3 convolutions of one block of channels to one, 24 x 24 and 8 x 8");
  std::string list;
  for (std::int64_t blocks = 1; blocks <= 4; ++blocks) {
    const auto [time, least] = seconds(blocks, 24);
    const double e = std::clamp(least / (time - 24 * row), 0.05, 1.0);
    list += (list.empty() ? "[" : ", ") + text_of(e);
  }
  found_.push_back({"direct.block_efficiency", list + "]", spread,
                    "3 x 3 convolutions of one block of channels to 1, 2, 3 and 4, 24 x 24"});
  const ConvSize s = conv_of(64, 64, 24, 3);
  const std::vector<Timing> t = time(program_of(s, sizes_of(s), true));
  const std::string how =
      "3 x 3 convolution of 64 to 64 channels, 24 x 24, against its forward pass";
  add("direct.input_gradient", std::max(1.0, t[1].seconds / t[0].seconds), t[1].spread, how);
  add("direct.weight_gradient", std::max(1.0, t[2].seconds / t[0].seconds), t[2].spread, how);
  const LinearSize fc{64, 256, 256};
  const std::vector<Timing> product = time(program_of(fc, {64 * 256, 256 * 256, 64 * 256}, true));
  add("gemm.efficiency", std::min(1.0, 2.0 * 64 * 256 * 256 / product[0].seconds / p_.peak),
      product[0].spread, "fully connected 256 to 256, batch 64");
  // The weights as they lie suit forward; its gradient copies them into panels first.
  found_.push_back({"gemm.pack_transposed", "0", 0, "weights lie as the forward pass wants them"});
  const LinearSize thin{16, 256, 256};
  const std::vector<Timing> packed = time(program_of(thin, {16 * 256, 256 * 256, 16 * 256}, true));
  add("gemm.pack_b", (packed[1].seconds - packed[0].seconds) * p_.hertz / (256 * 256),
      packed[1].spread,
      "input gradient of fully connected 256 to 256 beyond its forward pass, batch 16");
  packed_rate();
}

// A 1 x 1 convolution is one matrix product: out_ch x positions x in_ch. Everything fits into L2 together, so that no wait for memory
// is taken for packing. Four products, four unknowns: FLOPs at the efficiency, and elements of A, B and C.
void Constants::products() {
  const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    ConvSize s = conv_of(k, m, 1, 1);
    s.in_w = s.out_w = n;
    return forward(s, sizes_of(s));
  };
  const Timing call = product(4, 4, 4);
  found_.push_back(
      {"gemm.call", text_of(call.seconds * 1e9) + " ns", call.spread, "product of 4 x 4 x 4"});
  constexpr std::array<std::array<std::int64_t, 3>, 4> sizes{
      {{256, 256, 256}, {16, 512, 256}, {512, 16, 256}, {320, 320, 16}}};
  Equations equations{};
  double spread = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto [m, n, k] = sizes[i];
    const Timing t = product(m, n, k);
    spread = std::max(spread, t.spread);
    equations[i] = {static_cast<double>(2 * m * n * k) / p_.peak * p_.hertz,
                    static_cast<double>(m * k), static_cast<double>(k * n),
                    static_cast<double>(m * n), (t.seconds - call.seconds) * p_.hertz};
  }
  const std::array<double, 4> found = solved(equations);
  const std::string how =
      "products of 256 x 256 x 256, 16 x 512 x 256, 512 x 16 x 256 and 320 x 320 x 16";
  add("gemm.efficiency", std::clamp(1.0 / found[0], 0.1, 1.0), spread, how);
  add("gemm.pack_a", found[1], spread, how);
  add("gemm.pack_b", found[2], spread, how);
  add("gemm.update_c", found[3], spread, how);
  const LinearSize fc{16, 256, 512};
  const Timing turned = forward(fc, {16 * 256, 256 * 512, 16 * 512});
  const double rest = 16.0 * 256 * 512 * 2 / p_.peak * p_.hertz * found[0] +
                      std::max(0.0, found[1]) * 16 * 256 + std::max(0.0, found[3]) * 16 * 512;
  add("gemm.pack_transposed", (cycles(turned) - rest) / (256 * 512), turned.spread,
      "fully connected 256 to 512, batch 16");
  const Timing small = product(16, 128, 64);
  add("gemm.unpacked_efficiency",
      std::clamp(2.0 * 16 * 128 * 64 / p_.peak / (small.seconds - call.seconds), 0.05, 1.0),
      small.spread, "product of 16 x 128 x 64");
  packed_rate();
  columns();
}

// Weights of 38 MB, which no cache keeps, beside the same arithmetic on 0.5 MB; rows of them 12000 and 12288 bytes apart.
void Constants::packed_rate() {
  add_packed_rate("gemm.packed_rate", 3000);
  add_packed_rate("gemm.aliased_rate", 3072);
}

void Constants::add_packed_rate(const std::string& field, std::int64_t width) {
  const auto seconds = [&](std::int64_t in, std::int64_t out, Timing& forward, Timing& back) {
    const LinearSize fc{16, in, out};
    const std::vector<Timing> t = time(program_of(fc, {16 * in, in * out, 16 * out}, true));
    forward = t[0], back = t[1];
  };
  Timing forward_small, back_small, forward_large, back_large;
  seconds(250, 512, forward_small, back_small);
  seconds(width, 3136, forward_large, back_large);
  const double elements = static_cast<double>(width) * 3136;
  const double times = elements / (250 * 512);
  const auto share = [&](const Timing& small, const Timing& large) {
    const double moving = large.seconds - times * small.seconds;
    return std::clamp(4.0 * elements / p_.memory / std::max(1e-9, moving), 0.05, 1.0);
  };
  // oneDNN packs in the gradient only; forward, its weights lie in order.
  const double found =
      p_.onednn ? share(back_small, back_large)
                : (share(forward_small, forward_large) + share(back_small, back_large)) / 2;
  add(field, found, p_.onednn ? back_large.spread : forward_large.spread,
      "fully connected " + std::to_string(width) + " to 3136 beside 250 to 512, batch 16");
}

// Cycles an element are element + row / width: two widths tell them apart.
void Constants::columns() {
  constexpr std::int64_t channels = 8, wide = 32, narrow = 8;
  kernels::Buffer image(channels * (wide + 2) * (wide + 2)), columns(channels * 9 * wide * wide);
  const auto per_element = [&](std::int64_t width, double& spread) {
    ConvSize s = conv_of(channels, channels, width, 3);
    s.pad_h = s.pad_w = 0, s.in_h = s.in_w = width + 2;
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

// "0.98", "80 ns", "[0.9, 0.8]"; words are equal to each other.
double first_number(const std::string& value) {
  const std::size_t at = value.find_first_of("0123456789");
  return at == std::string::npos ? 0.0 : std::strtod(value.c_str() + at, nullptr);
}

}  // namespace

std::vector<LibraryConstant> middle_of(const std::vector<std::vector<LibraryConstant>>& passes) {
  std::vector<LibraryConstant> middle;
  for (std::size_t i = 0; i < passes.front().size(); ++i) {
    std::vector<LibraryConstant> candidates;
    candidates.reserve(passes.size());
    for (const auto& pass : passes) candidates.push_back(pass.at(i));
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return first_number(a.value) < first_number(b.value);
    });
    middle.push_back(candidates[candidates.size() / 2]);
  }
  return middle;
}

std::vector<LibraryConstant> library_constants(const LibraryProbes& probes) {
  return Constants(probes).run();
}

}  // namespace tantalus::validation

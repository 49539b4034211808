// Every layer of both libraries, and of the CUDA kernels under the emulator, against a double-precision reference, on odd sizes, groups and strides. A program of one layer,
// forward and backward, is built; results are poisoned with NaN before it runs, so that what a kernel leaves out is seen.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "kernels/cpu/libraries.hpp"
#include "kernels/gpu/gpu_chain.cuh"
#include "tests/kernels/cpu/reference.hpp"

namespace tantalus::test {
namespace {

using kernels::blas_chain;
using kernels::Chain;
using kernels::ConvSize;
using kernels::Direction;
using kernels::dnn_chain;
using kernels::ElementKind;
using kernels::ElementSize;
using kernels::Kernel;
using kernels::LinearSize;
using kernels::LrnSize;
using kernels::PoolSize;
using kernels::Program;
using kernels::Roles;
using kernels::SoftmaxSize;
using kernels::StepSize;
using kernels::UpdateSize;

// Tensors of the one-layer programs, by number.
enum : int { x = 0, w, bias, y, dy, dx, dw, db, saved, count };

struct Case {
  Program program;
  std::unique_ptr<Chain> chain;

  Values of(int tensor) const {
    const std::vector<float> values = chain->values(tensor);
    return {values.begin(), values.end()};
  }
  void run() {
    for (const Kernel& kernel : chain->kernels()) kernel.run();
  }
};

using Maker = std::unique_ptr<Chain> (*)(const Program&);

Program one_layer(const StepSize& size, std::vector<std::int64_t> elements,
                  const std::vector<std::pair<Direction, Roles>>& steps) {
  Program program;
  program.training = true;
  for (const std::int64_t n : elements) program.tensor_bytes.push_back(n * 4);
  program.tensor_bytes.push_back(elements[y] * 8);  // saved: 64-bit indices at most
  for (const auto& [direction, roles] : steps) {
    program.steps.push_back({"layer", direction, size, roles});
  }
  return program;
}

Case run_poisoned(Maker make, Program program) {
  Case c{std::move(program), nullptr};
  c.chain = make(c.program);
  for (const int result : {int{y}, int{dx}, int{dw}, int{db}}) {
    const std::size_t n = c.chain->values(result).size();
    if (n == 0) continue;
    c.chain->set_values(result, std::vector<float>(n, std::numeric_limits<float>::quiet_NaN()));
  }
  c.run();
  return c;
}

/// Relative to the largest value: sums of fp32 products lose digits where they cancel.
void expect_close(const Values& got, const Values& expected, double tolerance = 2e-5) {
  REQUIRE(got.size() == expected.size());
  double most = 0, error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    most = std::max(most, std::fabs(expected[i]));
    const double off = std::fabs(got[i] - expected[i]);
    error = off <= error ? error : off;  // a NaN stays
    if (std::isnan(off)) error = off;
    if (std::isnan(error)) break;
  }
  CHECK(error <= tolerance * most);
}

Case conv_case(Maker make, const ConvSize& s) {
  const std::int64_t in = s.batch * s.in_ch * s.in_h * s.in_w;
  const std::int64_t out = s.batch * s.out_ch * s.out_h * s.out_w;
  const std::int64_t weights = s.out_ch * (s.in_ch / s.groups) * s.kernel_h * s.kernel_w;
  Roles forward, input, weight, biases;
  forward.x = x, forward.w = w, forward.bias = bias, forward.y = y;
  input.dy = dy, input.w = w, input.dx = dx, input.like = x;
  weight.x = x, weight.dy = dy, weight.dw = dw, weight.db = db;
  biases.dy = dy, biases.db = db;
  return run_poisoned(make, one_layer(s, {in, weights, s.out_ch, out, out, in, weights, s.out_ch},
                                      {{Direction::forward, forward},
                                       {Direction::input_gradient, input},
                                       {Direction::weight_gradient, weight},
                                       {Direction::bias_gradient, biases}}));
}

void expect_conv(Maker make, const ConvSize& s) {
  const Case c = conv_case(make, s);

  expect_close(c.of(y), conv(s, c.of(x), c.of(w), c.of(bias)));
  expect_close(c.of(dx), conv_input_gradient(s, c.of(dy), c.of(w)));
  expect_close(c.of(dw), conv_weight_gradient(s, c.of(x), c.of(dy)));
  expect_close(c.of(db), conv_bias_gradient(s, c.of(dy)));
}

ConvSize conv_size(std::int64_t batch, std::int64_t in_ch, std::int64_t in, std::int64_t out_ch,
                   std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                   std::int64_t groups = 1) {
  ConvSize s;
  s.batch = batch, s.in_ch = in_ch, s.in_h = in, s.in_w = in + 2, s.out_ch = out_ch;
  s.kernel_h = s.kernel_w = kernel, s.stride_h = s.stride_w = stride, s.pad_h = s.pad_w = pad;
  s.out_h = (s.in_h + 2 * pad - kernel) / stride + 1;
  s.out_w = (s.in_w + 2 * pad - kernel) / stride + 1;
  s.groups = groups;
  return s;
}

/// The CUDA kernels under the emulator, on the column matrix or not.
template <bool Columns>
std::unique_ptr<Chain> cuda_chain(const Program& program) {
  const auto choose = [](const kernels::Step& step) {
    kernels::ProductChoice choice = kernels::usual_choice(step, 16);
    choice.columns = Columns;
    return choice;
  };
  return std::make_unique<kernels::GpuChain>(kernels::Stream{}, program, choose);
}

const Maker makers[] = {&blas_chain, &dnn_chain, &cuda_chain<false>, &cuda_chain<true>};

TEST_CASE("a convolution and its gradients equal their definition everywhere") {
  for (const Maker make : makers) {
    expect_conv(make, conv_size(2, 3, 13, 7, 5, 1, 2));
    expect_conv(make, conv_size(3, 16, 9, 32, 3, 1, 1));
  }
}

TEST_CASE("a convolution with strides, no padding and odd channels does too") {
  for (const Maker make : makers) {
    expect_conv(make, conv_size(2, 3, 23, 10, 11, 4, 0));
    expect_conv(make, conv_size(1, 5, 8, 6, 1, 1, 0));
  }
}

TEST_CASE("a grouped convolution does too") {
  for (const Maker make : makers) {
    expect_conv(make, conv_size(2, 6, 7, 4, 3, 1, 1, 2));
    expect_conv(make, conv_size(2, 32, 7, 48, 3, 2, 1, 2));
  }
}

TEST_CASE("a fully connected layer and its gradients equal their definition everywhere") {
  for (const Maker make : makers) {
    for (const LinearSize s : {LinearSize{1, 37, 11}, LinearSize{5, 64, 33}}) {
      Roles forward, input, weight, biases;
      forward.x = x, forward.w = w, forward.bias = bias, forward.y = y;
      input.dy = dy, input.w = w, input.dx = dx, input.like = x;
      weight.x = x, weight.dy = dy, weight.dw = dw, weight.db = db;
      biases.dy = dy, biases.db = db;
      const std::int64_t in = s.batch * s.in, out = s.batch * s.out, weights = s.in * s.out;
      const Case c =
          run_poisoned(make, one_layer(s, {in, weights, s.out, out, out, in, weights, s.out},
                                       {{Direction::forward, forward},
                                        {Direction::input_gradient, input},
                                        {Direction::weight_gradient, weight},
                                        {Direction::bias_gradient, biases}}));

      expect_close(c.of(y), linear(s, c.of(x), c.of(w), c.of(bias)));
      expect_close(c.of(dx), linear_input_gradient(s, c.of(dy), c.of(w)));
      expect_close(c.of(dw), linear_weight_gradient(s, c.of(x), c.of(dy)));
      expect_close(c.of(db), linear_bias_gradient(s, c.of(dy)));
    }
  }
}

TEST_CASE("pooling with overlapping windows that hang over the edge equals its definition") {
  for (const Maker make : makers) {
    for (const bool average : {false, true}) {
      const PoolSize s{average, 2, 5, 12, 10, 6, 5, 3, 3, 2, 2};  // 12 rows: the last window is cut
      Roles forward, back;
      forward.x = x, forward.y = y, forward.saved = saved;
      back.dy = dy, back.dx = dx, back.saved = saved, back.like = x;
      const std::int64_t in = 2 * 5 * 12 * 10, out = 2 * 5 * 6 * 5;
      const Case c = run_poisoned(
          make, one_layer(s, {in, 1, 1, out, out, in, 1, 1},
                          {{Direction::forward, forward}, {Direction::input_gradient, back}}));

      expect_close(c.of(y), pool(s, c.of(x)));
      expect_close(c.of(dx), pool_gradient(s, c.of(x), c.of(dy)));
    }
  }
}

TEST_CASE("local response normalisation and its gradient equal their definition") {
  for (const Maker make : makers) {
    const LrnSize s{2, 21, 3, 5, 5};
    Roles forward, back;
    forward.x = x, forward.y = y, forward.saved = saved;
    back.dy = dy, back.x = x, back.y = y, back.dx = dx, back.saved = saved;
    const std::int64_t n = 2 * 21 * 3 * 5;
    const Case c = run_poisoned(
        make, one_layer(s, {n, 1, 1, n, n, n, 1, 1},
                        {{Direction::forward, forward}, {Direction::input_gradient, back}}));

    expect_close(c.of(y), lrn(s, c.of(x)));
    expect_close(c.of(dx), lrn_gradient(s, c.of(x), c.of(dy)));
  }
}

TEST_CASE("softmax and its gradient equal their definition") {
  for (const Maker make : makers) {
    const SoftmaxSize s{3, 17};
    Roles forward, back;
    forward.x = x, forward.y = y;
    back.dy = dy, back.y = y, back.dx = dx;
    const Case c = run_poisoned(
        make, one_layer(s, {51, 1, 1, 51, 51, 51, 1, 1},
                        {{Direction::forward, forward}, {Direction::input_gradient, back}}));

    expect_close(c.of(y), softmax(s, c.of(x)));
    expect_close(c.of(dx), softmax_gradient(s, c.of(x), c.of(dy)));
  }
}

struct Element {
  ElementKind kind;
  double (*forward)(double);
  double (*slope)(double);  // of the result
};

TEST_CASE("element-wise layers and their gradients equal their definition") {
  const Element elements[] = {
      {ElementKind::relu, [](double v) { return v > 0 ? v : 0.0; },
       [](double r) { return r > 0 ? 1.0 : 0.0; }},
      {ElementKind::tanh, [](double v) { return std::tanh(v); },
       [](double r) { return 1 - r * r; }},
      {ElementKind::sigmoid, [](double v) { return 1 / (1 + std::exp(-v)); },
       [](double r) { return r * (1 - r); }}};
  for (const Maker make : makers) {
    for (const Element& element : elements) {
      Roles forward, back;
      forward.x = x, forward.y = y;
      back.dy = dy, back.y = y, back.dx = dx;
      const Case c = run_poisoned(
          make, one_layer(ElementSize{element.kind, 77}, {77, 1, 1, 77, 77, 77, 1, 1},
                          {{Direction::forward, forward}, {Direction::input_gradient, back}}));
      Values result = c.of(x), gradient = c.of(dy);
      for (double& value : result) value = element.forward(value);
      for (std::size_t i = 0; i < result.size(); ++i) gradient[i] *= element.slope(result[i]);

      expect_close(c.of(y), result, 1e-4);  // oneDNN's tanh is a table
      expect_close(c.of(dx), gradient, 1e-4);
    }
  }
}

TEST_CASE("dropout keeps about half of the values, doubled, and its gradient the same ones") {
  for (const Maker make : makers) {
    Roles forward, back;
    forward.x = x, forward.y = y, forward.saved = saved;
    back.dy = dy, back.dx = dx, back.saved = saved, back.like = y;
    const Case c = run_poisoned(
        make,
        one_layer(ElementSize{ElementKind::dropout, 1000}, {1000, 1, 1, 1000, 1000, 1000, 1, 1},
                  {{Direction::forward, forward}, {Direction::input_gradient, back}}));
    const Values in = c.of(x), out = c.of(y), gradient = c.of(dy), back_out = c.of(dx);
    int kept = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool keeps = out[i] != 0.0;
      kept += keeps ? 1 : 0;
      CHECK(out[i] == (keeps ? 2.0 * in[i] : 0.0));
      CHECK(back_out[i] == (keeps ? 2.0 * gradient[i] : 0.0));
    }
    CHECK(kept > 400);
    CHECK(kept < 600);
  }
}

// conv - relu - pool - fc with an update: layouts of one layer meet those of the next, forward and backward.
Program small_network() {
  enum : int {
    image,
    w1,
    b1,
    c1,
    r1,
    p1,
    index,
    w2,
    b2,
    out,
    dout,
    dp,
    dr,
    dc,
    dw1,
    db1,
    dw2,
    db2,
    v1,
    v2,
    u1,
    u2,
    all
  };
  Program p;
  p.training = true;
  p.tensor_bytes.assign(all, 0);
  const auto size = [&](int tensor, std::int64_t n) {
    p.tensor_bytes[static_cast<std::size_t>(tensor)] = n * 4;
  };
  const ConvSize conv = conv_size(3, 3, 10, 6, 3, 1, 1);  // 10 x 12 outputs
  const PoolSize pool{false, 3, 6, 10, 12, 5, 6, 2, 2, 2, 2};
  const LinearSize linear{3, 6 * 5 * 6, 10};
  for (const int t : {int{c1}, int{r1}, int{dr}, int{dc}}) size(t, 3 * 6 * 10 * 12);
  for (const int t : {int{p1}, int{dp}}) size(t, 3 * 6 * 5 * 6);
  size(index, 2 * 3 * 6 * 5 * 6);
  size(image, 3 * 3 * 10 * 12);
  for (const int t : {int{w1}, int{dw1}, int{v1}}) size(t, 6 * 3 * 9);
  for (const int t : {int{b1}, int{db1}, int{u1}}) size(t, 6);
  for (const int t : {int{w2}, int{dw2}, int{v2}}) size(t, 180 * 10);
  for (const int t : {int{b2}, int{db2}, int{u2}}) size(t, 10);
  for (const int t : {int{out}, int{dout}}) size(t, 30);
  const auto step = [&](Direction direction, StepSize what, Roles at) {
    p.steps.push_back({"step", direction, std::move(what), at});
  };
  using D = Direction;
  const ElementSize relu{ElementKind::relu, 3 * 6 * 10 * 12};
  step(D::forward, conv, {.x = image, .w = w1, .bias = b1, .y = c1});
  step(D::forward, relu, {.x = c1, .y = r1});
  step(D::forward, pool, {.x = r1, .y = p1, .saved = index});
  step(D::forward, linear, {.x = p1, .w = w2, .bias = b2, .y = out});
  step(D::input_gradient, linear, {.w = w2, .dy = dout, .dx = dp, .like = p1});
  step(D::weight_gradient, linear, {.x = p1, .dy = dout, .dw = dw2, .db = db2});
  step(D::bias_gradient, linear, {.dy = dout, .db = db2});
  step(D::input_gradient, pool, {.dy = dp, .dx = dr, .saved = index, .like = r1});
  step(D::input_gradient, relu, {.y = r1, .dy = dr, .dx = dc});
  step(D::weight_gradient, conv, {.x = image, .dy = dc, .dw = dw1, .db = db1});
  step(D::bias_gradient, conv, {.dy = dc, .db = db1});
  step(D::update, UpdateSize{{{dw1, w1, v1, 6 * 3 * 9}, {db1, b1, u1, 6}}}, {});
  step(D::update, UpdateSize{{{dw2, w2, v2, 1800}, {db2, b2, u2, 10}}}, {});
  return p;
}

TEST_CASE("a training step of a small network leaves the same numbers everywhere") {
  const Program program = small_network();
  const auto blas = blas_chain(program);
  std::vector<std::unique_ptr<Chain>> others;
  for (const Maker make : {&dnn_chain, &cuda_chain<false>, &cuda_chain<true>})
    others.push_back(make(program));
  const auto each_tensor = [&](const auto& use) {
    for (std::size_t i = 0; i < program.tensor_bytes.size(); ++i) {
      const int tensor = static_cast<int>(i);
      if (kernels::holds_numbers(program, tensor)) use(tensor, blas->values(tensor));
    }
  };
  for (const auto& other : others)
    each_tensor([&](int tensor, const auto& values) { other->set_values(tensor, values); });

  for (int pass = 0; pass < 2; ++pass) {
    for (const Kernel& kernel : blas->kernels()) kernel.run();
    for (const auto& other : others) {
      for (const Kernel& kernel : other->kernels()) kernel.run();
    }
  }

  for (const auto& other : others) {
    each_tensor([&](int tensor, const std::vector<float>& expected) {
      const std::vector<float> got = other->values(tensor);
      INFO("tensor ", tensor);
      expect_close({got.begin(), got.end()}, {expected.begin(), expected.end()}, 1e-4);
    });
  }
}

TEST_CASE("each kernel names what the library chose, and the library names its instruction set") {
  const Program program = small_network();
  for (const Maker make : makers) {
    const std::unique_ptr<Chain> chain = make(program);
    for (const Kernel& kernel : chain->kernels()) CHECK_FALSE(kernel.implementation.empty());
  }
  CHECK(kernels::blas_name().rfind("OpenBLAS ", 0) == 0);
  CHECK(kernels::dnn_name().rfind("oneDNN 2.", 0) == 0);
}

}  // namespace
}  // namespace tantalus::test

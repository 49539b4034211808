// Layers through BLAS as Caffe runs them: im2col one image at a time, a matrix product for each group, bias as a product of
// depth one, everything else a plain loop.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <cblas.h>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/libraries.hpp"
#include "kernels/cpu/loops.hpp"

namespace tantalus::kernels {

namespace {

using Index = std::int64_t;

/// C[m x n] = A B + beta C, row-major, either operand perhaps stored turned.
void multiply(bool turn_a, bool turn_b, Index m, Index n, Index k, const float* a, const float* b,
              float beta, float* c) {
  const auto rows = static_cast<blasint>(m), columns = static_cast<blasint>(n),
             depth = static_cast<blasint>(k);
  cblas_sgemm(CblasRowMajor, turn_a ? CblasTrans : CblasNoTrans, turn_b ? CblasTrans : CblasNoTrans,
              rows, columns, depth, 1.0F, a, turn_a ? rows : depth, b, turn_b ? depth : columns,
              beta, c, columns);
}

class BlasChain final : public Chain {
 public:
  explicit BlasChain(const Program& program);
  std::vector<float> values(int tensor) const override {
    const Buffer& b = buffers_[static_cast<std::size_t>(tensor)];
    return {b.data(), b.data() + b.size()};
  }
  void set_values(int tensor, std::span<const float> values) override {
    std::copy(values.begin(), values.end(), at(tensor));
  }

 private:
  float* at(int tensor) { return buffers_.at(static_cast<std::size_t>(tensor)).data(); }
  std::uint8_t* bytes_at(int tensor) { return reinterpret_cast<std::uint8_t*>(at(tensor)); }
  Index* indices_at(int tensor) { return reinterpret_cast<Index*>(at(tensor)); }

  void grow_columns(const ConvSize& s);
  void grow_ones(Index count) {
    if (static_cast<Index>(ones_.size()) >= count) return;
    ones_ = Buffer(static_cast<std::size_t>(count));
    std::fill(ones_.data(), ones_.data() + count, 1.0F);
  }

  void conv_forward(const ConvSize& s, const float* x, const float* w, const float* bias, float* y);
  void conv_input(const ConvSize& s, const float* dy, const float* w, float* dx);
  void conv_weights(const ConvSize& s, const float* x, const float* dy, float* dw);
  const float* columns_of(const ConvSize& s, const float* image);

  std::function<void()> work(const Step& step, const ConvSize& s);
  std::function<void()> work(const Step& step, const LinearSize& s);
  std::function<void()> work(const Step& step, const PoolSize& s);
  std::function<void()> work(const Step& step, const LrnSize& s);
  std::function<void()> work(const Step& step, const SoftmaxSize& s);
  std::function<void()> work(const Step& step, const ElementSize& s);
  std::function<void()> work(const Step& step, const UpdateSize& s);

  std::vector<Buffer> buffers_;
  Buffer columns_, ones_;
  std::uint64_t random_ = 88172645463325252ULL;
};

bool is_forward(const Step& step) { return step.direction == Direction::forward; }

bool needs_columns(const ConvSize& s) {
  return s.kernel_h != 1 || s.kernel_w != 1 || s.stride_h != 1 || s.stride_w != 1 || s.pad_h != 0 ||
         s.pad_w != 0;
}

Index depth_of(const ConvSize& s) { return s.in_ch / s.groups * s.kernel_h * s.kernel_w; }

std::string implementation_of(const Step& step) {
  const bool product =
      std::holds_alternative<ConvSize>(step.size) || std::holds_alternative<LinearSize>(step.size);
  if (!product) return "loop";
  if (step.direction == Direction::bias_gradient) return "sgemv";
  const auto* conv = std::get_if<ConvSize>(&step.size);
  if (conv == nullptr || !needs_columns(*conv)) return "sgemm";
  return step.direction == Direction::input_gradient ? "sgemm+col2im" : "im2col+sgemm";
}

BlasChain::BlasChain(const Program& program) {
  buffers_.reserve(program.tensor_bytes.size());
  for (std::size_t i = 0; i < program.tensor_bytes.size(); ++i) {
    buffers_.emplace_back(static_cast<std::size_t>((program.tensor_bytes[i] + 3) / 4));
    const int tensor = static_cast<int>(i);
    if (holds_numbers(program, tensor)) {
      set_values(tensor, first_values(program, tensor, buffers_[i].size()));
    }
  }
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    kernels_.push_back({i, false, implementation_of(step), flops_of(step), bytes_of(step, program),
                        std::visit([&](const auto& size) { return work(step, size); }, step.size)});
  }
}

void BlasChain::grow_columns(const ConvSize& s) {
  const auto count = static_cast<std::size_t>(s.groups * depth_of(s) * s.out_h * s.out_w);
  if (columns_.size() < count) columns_ = Buffer(count);
  grow_ones(s.out_h * s.out_w);
}

const float* BlasChain::columns_of(const ConvSize& s, const float* image) {
  if (!needs_columns(s)) return image;
  im2col(s, image, columns_.data());
  return columns_.data();
}

void BlasChain::conv_forward(const ConvSize& s, const float* x, const float* w, const float* bias,
                             float* y) {
  const Index positions = s.out_h * s.out_w, depth = depth_of(s), outputs = s.out_ch / s.groups;
  for (Index n = 0; n < s.batch; ++n) {
    const float* columns = columns_of(s, x + n * s.in_ch * s.in_h * s.in_w);
    float* image = y + n * s.out_ch * positions;
    for (Index g = 0; g < s.groups; ++g) {
      multiply(false, false, outputs, positions, depth, w + g * outputs * depth,
               columns + g * depth * positions, 0.0F, image + g * outputs * positions);
    }
    if (bias != nullptr) {
      multiply(false, false, s.out_ch, positions, 1, bias, ones_.data(), 1.0F, image);
    }
  }
}

void BlasChain::conv_input(const ConvSize& s, const float* dy, const float* w, float* dx) {
  const Index positions = s.out_h * s.out_w, depth = depth_of(s), outputs = s.out_ch / s.groups;
  for (Index n = 0; n < s.batch; ++n) {
    const float* image = dy + n * s.out_ch * positions;
    float* target = dx + n * s.in_ch * s.in_h * s.in_w;
    float* columns = needs_columns(s) ? columns_.data() : target;
    for (Index g = 0; g < s.groups; ++g) {
      multiply(true, false, depth, positions, outputs, w + g * outputs * depth,
               image + g * outputs * positions, 0.0F, columns + g * depth * positions);
    }
    if (needs_columns(s)) col2im(s, columns, target);
  }
}

void BlasChain::conv_weights(const ConvSize& s, const float* x, const float* dy, float* dw) {
  const Index positions = s.out_h * s.out_w, depth = depth_of(s), outputs = s.out_ch / s.groups;
  for (Index n = 0; n < s.batch; ++n) {
    const float* columns = columns_of(s, x + n * s.in_ch * s.in_h * s.in_w);
    const float* image = dy + n * s.out_ch * positions;
    for (Index g = 0; g < s.groups; ++g) {
      multiply(false, true, outputs, depth, positions, image + g * outputs * positions,
               columns + g * depth * positions, n == 0 ? 0.0F : 1.0F, dw + g * outputs * depth);
    }
  }
}

std::function<void()> BlasChain::work(const Step& step, const ConvSize& s) {
  grow_columns(s);
  const Roles r = step.at;
  switch (step.direction) {
    case Direction::forward:
      return [this, s, r] {
        conv_forward(s, at(r.x), at(r.w), r.bias == none ? nullptr : at(r.bias), at(r.y));
      };
    case Direction::input_gradient:
      return [this, s, r] { conv_input(s, at(r.dy), at(r.w), at(r.dx)); };
    case Direction::weight_gradient:
      return [this, s, r] { conv_weights(s, at(r.x), at(r.dy), at(r.dw)); };
    default:
      return [this, s, r] {  // bias: every image's rows summed
        const auto positions = static_cast<blasint>(s.out_h * s.out_w);
        for (Index n = 0; n < s.batch; ++n) {
          cblas_sgemv(CblasRowMajor, CblasNoTrans, static_cast<blasint>(s.out_ch), positions, 1.0F,
                      at(r.dy) + n * s.out_ch * positions, positions, ones_.data(), 1,
                      n == 0 ? 0.0F : 1.0F, at(r.db), 1);
        }
      };
  }
}

std::function<void()> BlasChain::work(const Step& step, const LinearSize& s) {
  grow_ones(s.batch);
  const Roles r = step.at;
  switch (step.direction) {
    case Direction::forward:
      return [this, s, r] {
        multiply(false, true, s.batch, s.out, s.in, at(r.x), at(r.w), 0.0F, at(r.y));
        if (r.bias == none) return;
        multiply(false, false, s.batch, s.out, 1, ones_.data(), at(r.bias), 1.0F, at(r.y));
      };
    case Direction::input_gradient:
      return [this, s, r] {
        multiply(false, false, s.batch, s.in, s.out, at(r.dy), at(r.w), 0.0F, at(r.dx));
      };
    case Direction::weight_gradient:
      return [this, s, r] {
        multiply(true, false, s.out, s.in, s.batch, at(r.dy), at(r.x), 0.0F, at(r.dw));
      };
    default:
      return [this, s, r] {
        const auto out = static_cast<blasint>(s.out);
        cblas_sgemv(CblasRowMajor, CblasTrans, static_cast<blasint>(s.batch), out, 1.0F, at(r.dy),
                    out, ones_.data(), 1, 0.0F, at(r.db), 1);
      };
  }
}

std::function<void()> BlasChain::work(const Step& step, const PoolSize& s) {
  const Roles r = step.at;
  if (s.average && is_forward(step)) return [=, this] { average_pool(s, at(r.x), at(r.y)); };
  if (s.average) return [=, this] { average_pool_gradient(s, at(r.dy), at(r.dx)); };
  if (!is_forward(step)) {
    return [=, this] { max_pool_gradient(s, at(r.dy), indices_at(r.saved), at(r.dx)); };
  }
  return
      [=, this] { max_pool(s, at(r.x), at(r.y), r.saved == none ? nullptr : indices_at(r.saved)); };
}

std::function<void()> BlasChain::work(const Step& step, const LrnSize& s) {
  const Roles r = step.at;
  if (is_forward(step)) return [=, this] { lrn(s, at(r.x), at(r.saved), at(r.y)); };
  return [=, this] { lrn_gradient(s, at(r.dy), at(r.x), at(r.y), at(r.saved), at(r.dx)); };
}

std::function<void()> BlasChain::work(const Step& step, const SoftmaxSize& s) {
  const Roles r = step.at;
  if (is_forward(step)) return [=, this] { softmax(s, at(r.x), at(r.y)); };
  return [=, this] { softmax_gradient(s, at(r.dy), at(r.y), at(r.dx)); };
}

std::function<void()> BlasChain::work(const Step& step, const ElementSize& s) {
  const Roles r = step.at;
  const Index n = s.elements;
  const bool forward = is_forward(step);
  using Forward = void (*)(const float*, float*, Index);
  using Backward = void (*)(const float*, const float*, float*, Index);
  const auto plain = [&](Forward there, Backward back) -> std::function<void()> {
    if (forward) return [=, this] { there(at(r.x), at(r.y), n); };
    return [=, this] { back(at(r.dy), at(r.y), at(r.dx), n); };
  };
  switch (s.kind) {
    case ElementKind::relu:
      return plain(&relu, &relu_gradient);
    case ElementKind::tanh:
      return plain(&tanh, &tanh_gradient);
    case ElementKind::sigmoid:
      return plain(&sigmoid, &sigmoid_gradient);
    case ElementKind::dropout:
      if (forward) {
        return [=, this] { dropout(at(r.x), bytes_at(r.saved), at(r.y), n, random_); };
      }
      return [=, this] { dropout_gradient(at(r.dy), bytes_at(r.saved), at(r.dx), n); };
    case ElementKind::add:
      return [=, this] { add(at(r.x), at(r.x2), at(r.y), n); };
    case ElementKind::copy:
      return
          [=, this] { std::memcpy(at(r.y), at(r.x), static_cast<std::size_t>(n) * sizeof(float)); };
  }
  throw std::runtime_error("an element-wise step of no kind");
}

std::function<void()> BlasChain::work(const Step&, const UpdateSize& s) {
  return [this, s] {
    for (const UpdateSize::Part& part : s.parts) {
      sgd(at(part.gradient), at(part.weights), at(part.momentum), part.elements);
    }
  };
}

}  // namespace

std::unique_ptr<Chain> blas_chain(const Program& program) {
  return std::make_unique<BlasChain>(program);
}

std::string blas_name() {
#ifdef OPENBLAS_VERSION
  std::string words = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ... "
  const std::size_t second = words.find(' ', words.find(' ') + 1);
  return words.substr(0, second) + " " + openblas_get_corename();
#else
  return "BLAS";
#endif
}

}  // namespace tantalus::kernels

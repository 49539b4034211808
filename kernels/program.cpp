#include "kernels/program.hpp"

#include <algorithm>

namespace tantalus::kernels {

namespace {

double product(std::initializer_list<std::int64_t> factors) {
  double all = 1.0;
  for (const std::int64_t factor : factors) all *= static_cast<double>(factor);
  return all;
}

double flops_of(const ConvSize& s) {
  const std::int64_t rows =
      taps_inside(s.in_h, s.out_h, s.kernel_h, s.stride_h, s.pad_h, s.dilation_h);
  const std::int64_t columns =
      taps_inside(s.in_w, s.out_w, s.kernel_w, s.stride_w, s.pad_w, s.dilation_w);
  return 2.0 * product({s.batch, s.out_ch, s.in_ch / s.groups, rows, columns});
}

}  // namespace

std::int64_t taps_inside(std::int64_t in, std::int64_t out, std::int64_t kernel,
                         std::int64_t stride, std::int64_t pad, std::int64_t dilation) {
  std::int64_t inside = 0;
  for (std::int64_t o = 0; o < out; ++o) {
    for (std::int64_t k = 0; k < kernel; ++k) {
      const std::int64_t i = o * stride - pad + k * dilation;
      inside += i >= 0 && i < in ? 1 : 0;
    }
  }
  return inside;
}

double flops_of(const Step& step) {
  if (step.direction == Direction::bias_gradient) return 0.0;
  if (const auto* conv = std::get_if<ConvSize>(&step.size)) return flops_of(*conv);
  if (const auto* linear = std::get_if<LinearSize>(&step.size)) {
    return 2.0 * product({linear->batch, linear->in, linear->out});
  }
  return 0.0;
}

double bytes_of(const Step& step, const Program& program) {
  const Roles& r = step.at;
  std::vector<int> tensors{r.x, r.x2, r.w, r.bias, r.y, r.dy, r.dx, r.dw, r.db, r.saved};
  if (const auto* update = std::get_if<UpdateSize>(&step.size)) {
    for (const UpdateSize::Part& part : update->parts) {
      tensors.insert(tensors.end(), {part.gradient, part.weights, part.momentum});
    }
  }
  std::sort(tensors.begin(), tensors.end());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  double bytes = 0.0;
  for (const int tensor : tensors) {
    if (tensor == none) continue;
    bytes += static_cast<double>(program.tensor_bytes.at(static_cast<std::size_t>(tensor)));
  }
  return bytes;
}

}  // namespace tantalus::kernels

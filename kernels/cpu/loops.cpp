#include "kernels/cpu/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tantalus::kernels {

namespace {

// One row of the column matrix: one tap (kr, kc) of one channel, at every output position.
void fill_row(const ConvSize& s, const float* plane, std::int64_t kr, std::int64_t kc,
              float* columns) {
  for (std::int64_t oh = 0; oh < s.out_h; ++oh, columns += s.out_w) {
    const std::int64_t row = oh * s.stride_h - s.pad_h + kr * s.dilation_h;
    if (row < 0 || row >= s.in_h) {
      std::fill(columns, columns + s.out_w, 0.0F);
      continue;
    }
    std::int64_t column = kc * s.dilation_w - s.pad_w;
    for (std::int64_t ow = 0; ow < s.out_w; ++ow, column += s.stride_w) {
      const bool inside = column >= 0 && column < s.in_w;
      columns[ow] = inside ? plane[row * s.in_w + column] : 0.0F;
    }
  }
}

void add_row(const ConvSize& s, const float* columns, std::int64_t kr, std::int64_t kc,
             float* plane) {
  for (std::int64_t oh = 0; oh < s.out_h; ++oh, columns += s.out_w) {
    const std::int64_t row = oh * s.stride_h - s.pad_h + kr * s.dilation_h;
    if (row < 0 || row >= s.in_h) continue;
    std::int64_t column = kc * s.dilation_w - s.pad_w;
    for (std::int64_t ow = 0; ow < s.out_w; ++ow, column += s.stride_w) {
      if (column >= 0 && column < s.in_w) plane[row * s.in_w + column] += columns[ow];
    }
  }
}

struct Window {
  std::int64_t row, row_end, column, column_end;
};

Window window_of(const PoolSize& s, std::int64_t oh, std::int64_t ow) {
  const std::int64_t row = oh * s.stride_h, column = ow * s.stride_w;
  return {row, std::min(row + s.kernel_h, s.in_h), column, std::min(column + s.kernel_w, s.in_w)};
}

// Calls visit(plane's first input, plane's first output, output's place, window) for every output.
template <class Visit>
void each_output(const PoolSize& s, Visit visit) {
  for (std::int64_t plane = 0; plane < s.batch * s.channels; ++plane) {
    const std::int64_t in = plane * s.in_h * s.in_w, out = plane * s.out_h * s.out_w;
    for (std::int64_t oh = 0; oh < s.out_h; ++oh) {
      for (std::int64_t ow = 0; ow < s.out_w; ++ow) {
        visit(in, out + oh * s.out_w + ow, window_of(s, oh, ow));
      }
    }
  }
}

}  // namespace

void im2col(const ConvSize& s, const float* image, float* columns) {
  const std::int64_t plane = s.in_h * s.in_w, row = s.out_h * s.out_w;
  for (std::int64_t c = 0; c < s.in_ch; ++c, image += plane) {
    for (std::int64_t kr = 0; kr < s.kernel_h; ++kr) {
      for (std::int64_t kc = 0; kc < s.kernel_w; ++kc, columns += row) {
        fill_row(s, image, kr, kc, columns);
      }
    }
  }
}

void col2im(const ConvSize& s, const float* columns, float* image) {
  const std::int64_t plane = s.in_h * s.in_w, row = s.out_h * s.out_w;
  std::fill(image, image + s.in_ch * plane, 0.0F);
  for (std::int64_t c = 0; c < s.in_ch; ++c, image += plane) {
    for (std::int64_t kr = 0; kr < s.kernel_h; ++kr) {
      for (std::int64_t kc = 0; kc < s.kernel_w; ++kc, columns += row) {
        add_row(s, columns, kr, kc, image);
      }
    }
  }
}

// Without branches, in both: what a branch costs would hang on the values, and be ten times the arithmetic.
void relu(const float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = 0.5F * (x[i] + std::fabs(x[i]));
}
void relu_gradient(const float* dy, const float* y, float* dx, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float gradient = dy[i];
    dx[i] = y[i] > 0.0F ? gradient : 0.0F;
  }
}
void tanh(const float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::tanh(x[i]);
}
void tanh_gradient(const float* dy, const float* y, float* dx, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) dx[i] = dy[i] * (1.0F - y[i] * y[i]);
}
void sigmoid(const float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = 1.0F / (1.0F + std::exp(-x[i]));
}
void sigmoid_gradient(const float* dy, const float* y, float* dx, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) dx[i] = dy[i] * y[i] * (1.0F - y[i]);
}
void add(const float* a, const float* b, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

void dropout(const float* x, std::uint8_t* mask, float* y, std::int64_t n, std::uint64_t& state) {
  std::uint64_t random = state;
  for (std::int64_t i = 0; i < n; ++i) {
    random ^= random << 13U;
    random ^= random >> 7U;
    random ^= random << 17U;
    mask[i] = static_cast<std::uint8_t>(random >> 63U);
    y[i] = x[i] * static_cast<float>(mask[i]) * dropout_scale;
  }
  state = random;
}
void dropout_gradient(const float* dy, const std::uint8_t* mask, float* dx, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) dx[i] = dy[i] * static_cast<float>(mask[i]) * dropout_scale;
}

void sgd(const float* gradient, float* weights, float* momentum, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    momentum[i] = sgd_momentum * momentum[i] + gradient[i];
    weights[i] -= sgd_rate * momentum[i];
  }
}

void max_pool(const PoolSize& s, const float* x, float* y, std::int64_t* index) {
  each_output(s, [&](std::int64_t in, std::int64_t out, const Window& w) {
    std::int64_t best = in + w.row * s.in_w + w.column;
    for (std::int64_t r = w.row; r < w.row_end; ++r) {
      for (std::int64_t c = w.column; c < w.column_end; ++c) {
        const std::int64_t at = in + r * s.in_w + c;
        if (x[at] > x[best]) best = at;
      }
    }
    y[out] = x[best];
    if (index != nullptr) index[out] = best;
  });
}

void max_pool_gradient(const PoolSize& s, const float* dy, const std::int64_t* index, float* dx) {
  std::fill(dx, dx + s.batch * s.channels * s.in_h * s.in_w, 0.0F);
  const std::int64_t outputs = s.batch * s.channels * s.out_h * s.out_w;
  for (std::int64_t i = 0; i < outputs; ++i) dx[index[i]] += dy[i];
}

void average_pool(const PoolSize& s, const float* x, float* y) {
  each_output(s, [&](std::int64_t in, std::int64_t out, const Window& w) {
    float sum = 0.0F;
    for (std::int64_t r = w.row; r < w.row_end; ++r) {
      for (std::int64_t c = w.column; c < w.column_end; ++c) sum += x[in + r * s.in_w + c];
    }
    y[out] = sum / static_cast<float>((w.row_end - w.row) * (w.column_end - w.column));
  });
}

void average_pool_gradient(const PoolSize& s, const float* dy, float* dx) {
  std::fill(dx, dx + s.batch * s.channels * s.in_h * s.in_w, 0.0F);
  each_output(s, [&](std::int64_t in, std::int64_t out, const Window& w) {
    const auto count = static_cast<float>((w.row_end - w.row) * (w.column_end - w.column));
    const float share = dy[out] / count;
    for (std::int64_t r = w.row; r < w.row_end; ++r) {
      for (std::int64_t c = w.column; c < w.column_end; ++c) dx[in + r * s.in_w + c] += share;
    }
  });
}

// Caffe's order: the scale of every position by a sliding sum over channels, then one power each.
void lrn(const LrnSize& s, const float* x, float* scale, float* y) {
  const std::int64_t plane = s.height * s.width, half = s.window / 2;
  const float step = lrn_alpha / static_cast<float>(s.window);
  for (std::int64_t n = 0; n < s.batch; ++n) {
    const float* image = x + n * s.channels * plane;
    float* sums = scale + n * s.channels * plane;
    for (std::int64_t c = 0; c < s.channels; ++c) {
      float* sum = sums + c * plane;
      std::fill(sum, sum + plane, lrn_k);
      for (std::int64_t o = std::max<std::int64_t>(0, c - half);
           o <= std::min(s.channels - 1, c + half); ++o) {
        const float* other = image + o * plane;
        for (std::int64_t i = 0; i < plane; ++i) sum[i] += step * other[i] * other[i];
      }
    }
  }
  const std::int64_t all = s.batch * s.channels * plane;
  for (std::int64_t i = 0; i < all; ++i) y[i] = x[i] * std::pow(scale[i], -lrn_beta);
}

void lrn_gradient(const LrnSize& s, const float* dy, const float* x, const float* y,
                  const float* scale, float* dx) {
  const std::int64_t plane = s.height * s.width, half = s.window / 2;
  const float step = 2.0F * lrn_alpha * lrn_beta / static_cast<float>(s.window);
  const std::int64_t all = s.batch * s.channels * plane;
  for (std::int64_t i = 0; i < all; ++i) dx[i] = dy[i] * std::pow(scale[i], -lrn_beta);
  for (std::int64_t n = 0; n < s.batch; ++n) {
    const std::int64_t image = n * s.channels * plane;
    for (std::int64_t c = 0; c < s.channels; ++c) {
      for (std::int64_t o = std::max<std::int64_t>(0, c - half);
           o <= std::min(s.channels - 1, c + half); ++o) {
        const std::int64_t here = image + c * plane, there = image + o * plane;
        for (std::int64_t i = 0; i < plane; ++i) {
          dx[here + i] -= step * x[here + i] * dy[there + i] * y[there + i] / scale[there + i];
        }
      }
    }
  }
}

void softmax(const SoftmaxSize& s, const float* x, float* y) {
  for (std::int64_t r = 0; r < s.rows; ++r, x += s.cols, y += s.cols) {
    const float most = *std::max_element(x, x + s.cols);
    float sum = 0.0F;
    for (std::int64_t c = 0; c < s.cols; ++c) {
      y[c] = std::exp(x[c] - most);
      sum += y[c];
    }
    for (std::int64_t c = 0; c < s.cols; ++c) y[c] /= sum;
  }
}

void softmax_gradient(const SoftmaxSize& s, const float* dy, const float* y, float* dx) {
  for (std::int64_t r = 0; r < s.rows; ++r, dy += s.cols, y += s.cols, dx += s.cols) {
    float dot = 0.0F;
    for (std::int64_t c = 0; c < s.cols; ++c) dot += dy[c] * y[c];
    for (std::int64_t c = 0; c < s.cols; ++c) dx[c] = y[c] * (dy[c] - dot);
  }
}

}  // namespace tantalus::kernels

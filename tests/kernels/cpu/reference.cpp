#include "tests/kernels/cpu/reference.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus::test {

using kernels::ConvSize;
using kernels::LinearSize;
using kernels::LrnSize;
using kernels::PoolSize;
using kernels::SoftmaxSize;

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Calls visit(x, w, y) for every product that the convolution sums up.
template <class Visit>
void each_product(const ConvSize& s, Visit visit) {
  const std::int64_t in = s.in_ch / s.groups, out = s.out_ch / s.groups;
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t o = 0; o < s.out_ch; ++o)
      for (std::int64_t oh = 0; oh < s.out_h; ++oh)
        for (std::int64_t ow = 0; ow < s.out_w; ++ow)
          for (std::int64_t c = 0; c < in; ++c)
            for (std::int64_t kh = 0; kh < s.kernel_h; ++kh)
              for (std::int64_t kw = 0; kw < s.kernel_w; ++kw) {
                const std::int64_t ih = oh * s.stride_h - s.pad_h + kh * s.dilation_h;
                const std::int64_t iw = ow * s.stride_w - s.pad_w + kw * s.dilation_w;
                if (ih < 0 || ih >= s.in_h || iw < 0 || iw >= s.in_w) continue;
                const std::int64_t channel = o / out * in + c;
                visit(at(((n * s.in_ch + channel) * s.in_h + ih) * s.in_w + iw),
                      at(((o * in + c) * s.kernel_h + kh) * s.kernel_w + kw),
                      at(((n * s.out_ch + o) * s.out_h + oh) * s.out_w + ow));
              }
}

// Calls visit(x, y) for every input of every window; windows of one output follow each other.
template <class Visit>
void each_input(const PoolSize& s, Visit visit) {
  for (std::int64_t p = 0; p < s.batch * s.channels; ++p)
    for (std::int64_t oh = 0; oh < s.out_h; ++oh)
      for (std::int64_t ow = 0; ow < s.out_w; ++ow)
        for (std::int64_t kh = 0; kh < s.kernel_h; ++kh)
          for (std::int64_t kw = 0; kw < s.kernel_w; ++kw) {
            const std::int64_t ih = oh * s.stride_h + kh, iw = ow * s.stride_w + kw;
            if (ih >= s.in_h || iw >= s.in_w) continue;
            visit(at((p * s.in_h + ih) * s.in_w + iw), at((p * s.out_h + oh) * s.out_w + ow));
          }
}

std::size_t outputs_of(const PoolSize& s) { return at(s.batch * s.channels * s.out_h * s.out_w); }
std::size_t inputs_of(const PoolSize& s) { return at(s.batch * s.channels * s.in_h * s.in_w); }

double scale_at(const LrnSize& s, const Values& x, std::int64_t n, std::int64_t c, std::int64_t i) {
  const std::int64_t plane = s.height * s.width;
  double sum = 0;
  for (std::int64_t o = c - s.window / 2; o <= c + s.window / 2; ++o) {
    if (o < 0 || o >= s.channels) continue;
    const double value = x[at((n * s.channels + o) * plane + i)];
    sum += value * value;
  }
  return kernels::lrn_k + double{kernels::lrn_alpha} / static_cast<double>(s.window) * sum;
}

}  // namespace

Values conv(const ConvSize& s, const Values& x, const Values& w, const Values& bias) {
  Values y(at(s.batch * s.out_ch * s.out_h * s.out_w));
  const std::int64_t plane = s.out_h * s.out_w;
  for (std::size_t i = 0; i < y.size() && !bias.empty(); ++i) {
    y[i] = bias[at(static_cast<std::int64_t>(i) / plane % s.out_ch)];
  }
  each_product(s, [&](std::size_t i, std::size_t k, std::size_t o) { y[o] += x[i] * w[k]; });
  return y;
}

Values conv_input_gradient(const ConvSize& s, const Values& dy, const Values& w) {
  Values dx(at(s.batch * s.in_ch * s.in_h * s.in_w));
  each_product(s, [&](std::size_t i, std::size_t k, std::size_t o) { dx[i] += dy[o] * w[k]; });
  return dx;
}

Values conv_weight_gradient(const ConvSize& s, const Values& x, const Values& dy) {
  Values dw(at(s.out_ch * (s.in_ch / s.groups) * s.kernel_h * s.kernel_w));
  each_product(s, [&](std::size_t i, std::size_t k, std::size_t o) { dw[k] += x[i] * dy[o]; });
  return dw;
}

Values conv_bias_gradient(const ConvSize& s, const Values& dy) {
  Values db(at(s.out_ch));
  const std::int64_t plane = s.out_h * s.out_w;
  for (std::size_t i = 0; i < dy.size(); ++i) {
    db[at(static_cast<std::int64_t>(i) / plane % s.out_ch)] += dy[i];
  }
  return db;
}

Values linear(const LinearSize& s, const Values& x, const Values& w, const Values& bias) {
  Values y(at(s.batch * s.out));
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t o = 0; o < s.out; ++o) {
      double sum = bias.empty() ? 0.0 : bias[at(o)];
      for (std::int64_t i = 0; i < s.in; ++i) sum += x[at(n * s.in + i)] * w[at(o * s.in + i)];
      y[at(n * s.out + o)] = sum;
    }
  return y;
}

Values linear_input_gradient(const LinearSize& s, const Values& dy, const Values& w) {
  Values dx(at(s.batch * s.in));
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t o = 0; o < s.out; ++o)
      for (std::int64_t i = 0; i < s.in; ++i)
        dx[at(n * s.in + i)] += dy[at(n * s.out + o)] * w[at(o * s.in + i)];
  return dx;
}

Values linear_weight_gradient(const LinearSize& s, const Values& x, const Values& dy) {
  Values dw(at(s.out * s.in));
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t o = 0; o < s.out; ++o)
      for (std::int64_t i = 0; i < s.in; ++i)
        dw[at(o * s.in + i)] += dy[at(n * s.out + o)] * x[at(n * s.in + i)];
  return dw;
}

Values linear_bias_gradient(const LinearSize& s, const Values& dy) {
  Values db(at(s.out));
  for (std::size_t i = 0; i < dy.size(); ++i) db[i % at(s.out)] += dy[i];
  return db;
}

Values pool(const PoolSize& s, const Values& x) {
  Values y(outputs_of(s), s.average ? 0.0 : -HUGE_VAL), count(y.size());
  each_input(s, [&](std::size_t i, std::size_t o) {
    y[o] = s.average ? y[o] + x[i] : std::max(y[o], x[i]);
    ++count[o];
  });
  for (std::size_t o = 0; o < y.size() && s.average; ++o) y[o] /= count[o];
  return y;
}

Values pool_gradient(const PoolSize& s, const Values& x, const Values& dy) {
  const Values y = pool(s, x);
  Values dx(inputs_of(s)), count(y.size());
  each_input(s, [&](std::size_t, std::size_t o) { ++count[o]; });
  each_input(s, [&](std::size_t i, std::size_t o) {
    if (s.average) dx[i] += dy[o] / count[o];
    if (!s.average && x[i] == y[o]) dx[i] += dy[o];
  });
  return dx;
}

Values lrn(const LrnSize& s, const Values& x) {
  Values y(x.size());
  const std::int64_t plane = s.height * s.width;
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t c = 0; c < s.channels; ++c)
      for (std::int64_t i = 0; i < plane; ++i) {
        const std::size_t here = at((n * s.channels + c) * plane + i);
        y[here] = x[here] * std::pow(scale_at(s, x, n, c, i), -double{kernels::lrn_beta});
      }
  return y;
}

Values lrn_gradient(const LrnSize& s, const Values& x, const Values& dy) {
  Values dx(x.size());
  const std::int64_t plane = s.height * s.width;
  const double beta = kernels::lrn_beta;
  const double factor = 2.0 * double{kernels::lrn_alpha} * beta / static_cast<double>(s.window);
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t c = 0; c < s.channels; ++c)
      for (std::int64_t i = 0; i < plane; ++i) {
        const std::size_t here = at((n * s.channels + c) * plane + i);
        double sum = dy[here] * std::pow(scale_at(s, x, n, c, i), -beta);
        for (std::int64_t o = c - s.window / 2; o <= c + s.window / 2; ++o) {
          if (o < 0 || o >= s.channels) continue;
          const std::size_t there = at((n * s.channels + o) * plane + i);
          sum -= factor * x[here] * dy[there] * x[there] *
                 std::pow(scale_at(s, x, n, o, i), -beta - 1.0);
        }
        dx[here] = sum;
      }
  return dx;
}

Values softmax(const SoftmaxSize& s, const Values& x) {
  Values y(x.size());
  for (std::int64_t r = 0; r < s.rows; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < s.cols; ++c) sum += std::exp(x[at(r * s.cols + c)]);
    for (std::int64_t c = 0; c < s.cols; ++c) {
      y[at(r * s.cols + c)] = std::exp(x[at(r * s.cols + c)]) / sum;
    }
  }
  return y;
}

Values softmax_gradient(const SoftmaxSize& s, const Values& x, const Values& dy) {
  const Values y = softmax(s, x);
  Values dx(x.size());
  for (std::int64_t r = 0; r < s.rows; ++r) {
    double dot = 0;
    for (std::int64_t c = 0; c < s.cols; ++c) dot += dy[at(r * s.cols + c)] * y[at(r * s.cols + c)];
    for (std::int64_t c = 0; c < s.cols; ++c) {
      const std::size_t here = at(r * s.cols + c);
      dx[here] = y[here] * (dy[here] - dot);
    }
  }
  return dx;
}

}  // namespace tantalus::test

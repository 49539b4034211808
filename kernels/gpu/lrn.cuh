// Local response normalisation across channels, as AlexNet has it: y = x scale^-beta, scale = k + alpha / window * (sum of x^2 over
// the channels around). A thread takes one pixel and goes along its channels with a running sum, so that a warp asks for pixels
// side by side; what leaves the window is loaded again, from cache.
#pragma once

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/linear.cuh"

namespace tantalus::kernels {

struct LrnShape {
  int images = 1, channels = 1, pixels = 1;
  int window = 5;  // odd
  float alpha = 1e-4F, beta = 0.75F, k = 1.0F;
};

/// Where channel 0 of the thread's pixel lies.
__device__ inline int first_of_pixel(const LrnShape& s, int i) {
  return i / s.pixels * s.channels * s.pixels + i % s.pixels;
}

TANTALUS_KERNEL lrn_kernel(LrnShape s, ConstFloats x, Floats scale, Floats y) {
  const int i = thread_element();
  if (i >= s.images * s.pixels) return;
  const int first = first_of_pixel(s, i);
  const int reach = s.window / 2;
  float sum = 0.0F;
  for (int c = -reach; c < s.channels; ++c) {
    const int enters = c + reach;
    const int leaves = c - reach - 1;
    const float ahead = TANTALUS_LOAD_IF(enters < s.channels, x, first + enters * s.pixels);
    const float behind = TANTALUS_LOAD_IF(leaves >= 0, x, first + leaves * s.pixels);
    sum += ahead * ahead - behind * behind;
    const int here = first + c * s.pixels;
    const float value = TANTALUS_LOAD_IF(c >= 0, x, here);
    const float total = s.k + s.alpha / static_cast<float>(s.window) * sum;
    TANTALUS_STORE_IF(c >= 0, scale, here, total);
    TANTALUS_STORE_IF(c >= 0, y, here, value * powf(total, -s.beta));
  }
}

/// What one output adds to the slopes of the inputs in its window, but for their own values.
__device__ inline float lrn_share(const ConstFloats& y, const ConstFloats& scale,
                                  const ConstFloats& dy, bool active, int at) {
  const float out = TANTALUS_LOAD_IF(active, y, at);
  const float total = TANTALUS_LOAD_IF(active, scale, at);
  const float slope = TANTALUS_LOAD_IF(active, dy, at);
  return active ? slope * out / total : 0.0F;
}

TANTALUS_KERNEL lrn_gradient_kernel(LrnShape s, ConstFloats x, ConstFloats y, ConstFloats scale,
                                    ConstFloats dy, Floats dx) {
  const int i = thread_element();
  if (i >= s.images * s.pixels) return;
  const int first = first_of_pixel(s, i);
  const int reach = s.window / 2;
  const float factor = 2.0F * s.alpha * s.beta / static_cast<float>(s.window);
  float sum = 0.0F;
  for (int c = -reach; c < s.channels; ++c) {
    const int enters = c + reach;
    const int leaves = c - reach - 1;
    sum += lrn_share(y, scale, dy, enters < s.channels, first + enters * s.pixels);
    sum -= lrn_share(y, scale, dy, leaves >= 0, first + leaves * s.pixels);
    const int here = first + c * s.pixels;
    const float value = TANTALUS_LOAD_IF(c >= 0, x, here);
    const float total = TANTALUS_LOAD_IF(c >= 0, scale, here);
    const float slope = TANTALUS_LOAD_IF(c >= 0, dy, here);
    TANTALUS_STORE_IF(c >= 0, dx, here, slope * powf(total, -s.beta) - factor * value * sum);
  }
}

/// y and its scale, which the gradient needs
inline Claim lrn(Stream stream, const LrnShape& s, ConstFloats x, Floats scale, Floats y) {
  const std::int64_t pixels = std::int64_t{s.images} * s.pixels;
  launch(stream, "lrn", thread_shape(pixels), lrn_kernel, s, x, scale, y);
  return {bytes_of(x), bytes_of(scale, y), (s.window + 4) * std::int64_t{y.size}};
}

/// dx = dy scale^-beta - 2 alpha beta / window x (sum of dy y / scale over the channels around)
inline Claim lrn_gradient(Stream stream, const LrnShape& s, ConstFloats x, ConstFloats y,
                          ConstFloats scale, ConstFloats dy, Floats dx) {
  const std::int64_t pixels = std::int64_t{s.images} * s.pixels;
  launch(stream, "lrn_gradient", thread_shape(pixels), lrn_gradient_kernel, s, x, y, scale, dy, dx);
  return {bytes_of(x, y, scale, dy), bytes_of(dx), (s.window + 6) * std::int64_t{dx.size}};
}

}  // namespace tantalus::kernels

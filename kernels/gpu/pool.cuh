// Max and average pooling of planes (image after image, channel after channel), one thread an output; the gradients take one thread
// an input, which gathers from the windows that cover it, so that no two threads add to one place. Windows are cut at the border:
// an average is over the elements that are there. Each window must cover at least one.
#pragma once

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/linear.cuh"

namespace tantalus::kernels {

struct PoolShape {
  int planes = 1, in_h = 1, in_w = 1, out_h = 1, out_w = 1;
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  int pad_h = 0, pad_w = 0;
};

/// From (included) and to (not included).
struct Span {
  int from = 0, to = 0;
  __host__ __device__ int size() const { return to - from; }
};

/// What the window of output `out` covers of one dimension.
__device__ inline Span window_of(int out, int kernel, int stride, int pad, int inputs) {
  const int start = out * stride - pad;
  return {start > 0 ? start : 0, start + kernel < inputs ? start + kernel : inputs};
}

/// The outputs whose windows cover input `in` in one dimension.
__device__ inline Span windows_over(int in, int kernel, int stride, int pad, int outputs) {
  const int last = (in + pad) / stride + 1;
  const int before = in + pad - kernel;  // the last input that a window may start after
  return {before < 0 ? 0 : before / stride + 1, last < outputs ? last : outputs};
}

/// One element of a plane by its place in the whole tensor.
struct PlanePlace {
  int plane = 0, h = 0, w = 0;
};

__device__ inline PlanePlace place_in_planes(int i, int height, int width) {
  return {i / (height * width), i / width % height, i % width};
}

// `index` is the maximum's place in its plane, the first of equals; nobody wants it when it has no room.
TANTALUS_KERNEL max_pool_kernel(PoolShape s, ConstFloats x, Floats y, View<int> index) {
  const int i = thread_element();
  if (i >= y.size) return;
  const PlanePlace out = place_in_planes(i, s.out_h, s.out_w);
  const Span rows = window_of(out.h, s.kernel_h, s.stride_h, s.pad_h, s.in_h);
  const Span columns = window_of(out.w, s.kernel_w, s.stride_w, s.pad_w, s.in_w);
  const int plane = out.plane * s.in_h * s.in_w;
  float largest = -INFINITY;
  int at = rows.from * s.in_w + columns.from;
  for (int h = rows.from; h < rows.to; ++h) {
    for (int w = columns.from; w < columns.to; ++w) {
      const float value = TANTALUS_LOAD(x, plane + h * s.in_w + w);
      if (value > largest) {
        largest = value;
        at = h * s.in_w + w;
      }
    }
  }
  TANTALUS_STORE(y, i, largest);
  TANTALUS_STORE_IF(index.size > 0, index, i, at);
}

TANTALUS_KERNEL max_pool_gradient_kernel(PoolShape s, ConstFloats dy, View<const int> index,
                                         Floats dx) {
  const int i = thread_element();
  if (i >= dx.size) return;
  const PlanePlace in = place_in_planes(i, s.in_h, s.in_w);
  const Span rows = windows_over(in.h, s.kernel_h, s.stride_h, s.pad_h, s.out_h);
  const Span columns = windows_over(in.w, s.kernel_w, s.stride_w, s.pad_w, s.out_w);
  float sum = 0.0F;
  for (int h = rows.from; h < rows.to; ++h) {
    for (int w = columns.from; w < columns.to; ++w) {
      const int out = (in.plane * s.out_h + h) * s.out_w + w;
      const int at = TANTALUS_LOAD(index, out);
      const float slope = TANTALUS_LOAD(dy, out);
      if (at == in.h * s.in_w + in.w) sum += slope;
    }
  }
  TANTALUS_STORE(dx, i, sum);
}

TANTALUS_KERNEL average_pool_kernel(PoolShape s, ConstFloats x, Floats y) {
  const int i = thread_element();
  if (i >= y.size) return;
  const PlanePlace out = place_in_planes(i, s.out_h, s.out_w);
  const Span rows = window_of(out.h, s.kernel_h, s.stride_h, s.pad_h, s.in_h);
  const Span columns = window_of(out.w, s.kernel_w, s.stride_w, s.pad_w, s.in_w);
  const int plane = out.plane * s.in_h * s.in_w;
  float sum = 0.0F;
  for (int h = rows.from; h < rows.to; ++h) {
    for (int w = columns.from; w < columns.to; ++w) sum += TANTALUS_LOAD(x, plane + h * s.in_w + w);
  }
  TANTALUS_STORE(y, i, sum / static_cast<float>(rows.size() * columns.size()));
}

TANTALUS_KERNEL average_pool_gradient_kernel(PoolShape s, ConstFloats dy, Floats dx) {
  const int i = thread_element();
  if (i >= dx.size) return;
  const PlanePlace in = place_in_planes(i, s.in_h, s.in_w);
  const Span rows = windows_over(in.h, s.kernel_h, s.stride_h, s.pad_h, s.out_h);
  const Span columns = windows_over(in.w, s.kernel_w, s.stride_w, s.pad_w, s.out_w);
  float sum = 0.0F;
  for (int h = rows.from; h < rows.to; ++h) {
    const int height = window_of(h, s.kernel_h, s.stride_h, s.pad_h, s.in_h).size();
    TANTALUS_ROLLED
    for (int w = columns.from; w < columns.to; ++w) {
      const int width = window_of(w, s.kernel_w, s.stride_w, s.pad_w, s.in_w).size();
      const float slope = TANTALUS_LOAD(dy, (in.plane * s.out_h + h) * s.out_w + w);
      sum += slope / static_cast<float>(height * width);
    }
  }
  TANTALUS_STORE(dx, i, sum);
}

inline std::int64_t pool_flops(const PoolShape& s, std::int64_t outputs) {
  return outputs * s.kernel_h * s.kernel_w;
}

/// y = maximum of each window, index = its place in the plane of x; an empty `index` is not written
inline Claim max_pool(Stream stream, const PoolShape& s, ConstFloats x, Floats y, View<int> index) {
  launch(stream, "max_pool", thread_shape(y.size), max_pool_kernel, s, x, y, index);
  return {bytes_of(x), bytes_of(y, index), pool_flops(s, y.size)};
}

/// dx = sum of dy of the windows whose maximum it was
inline Claim max_pool_gradient(Stream stream, const PoolShape& s, ConstFloats dy,
                               View<const int> index, Floats dx) {
  launch(stream, "max_pool_gradient", thread_shape(dx.size), max_pool_gradient_kernel, s, dy, index,
         dx);
  return {bytes_of(dy, index), bytes_of(dx), pool_flops(s, dy.size)};
}

/// y = average of each window
inline Claim average_pool(Stream stream, const PoolShape& s, ConstFloats x, Floats y) {
  launch(stream, "average_pool", thread_shape(y.size), average_pool_kernel, s, x, y);
  return {bytes_of(x), bytes_of(y), pool_flops(s, y.size)};
}

/// dx = sum of dy of the windows that cover it, each divided by the window's elements
inline Claim average_pool_gradient(Stream stream, const PoolShape& s, ConstFloats dy, Floats dx) {
  launch(stream, "average_pool_gradient", thread_shape(dx.size), average_pool_gradient_kernel, s,
         dy, dx);
  return {bytes_of(dy), bytes_of(dx), pool_flops(s, dy.size)};
}

}  // namespace tantalus::kernels

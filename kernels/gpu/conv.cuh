// Convolutions, each pass in two ways. Implicit GEMM: the tiled product gathers patches of the image itself. im2col: the patches
// are written as a matrix first (taps x pixels, groups one below the other) and plain products read it; the gradient of the
// input forms such a matrix and adds it back (col2im). A bias is a kernel of its own (elementwise.cuh).
#pragma once

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/conv_operands.cuh"
#include "kernels/gpu/gemm.cuh"
#include "kernels/gpu/matrix.cuh"
#include "kernels/gpu/pool.cuh"
#include "kernels/gpu/tiled_product.cuh"

namespace tantalus::kernels {

/// Elements of the column matrix.
inline std::int64_t column_elements(const ConvShape& s) {
  return std::int64_t{s.groups} * s.taps() * s.pixels();
}

inline Claim conv_claim(const ProductPlan& plan, const ConvShape& s, std::int64_t read,
                        const Floats& written) {
  const std::int64_t outputs = std::int64_t{s.out_ch} * s.pixels();
  Claim claim = product_claim(read, bytes_of(written), written.size, 0, plan.split);
  claim.flops += 2 * outputs * s.taps();
  return claim;
}

// ---- Implicit GEMM

/// y = x * w
inline Claim conv(Stream stream, const ProductPlan& plan, const ConvShape& s, ConstFloats x,
                  ConstFloats w, Floats y) {
  run_product(stream, "conv", plan,
              product_size(s.filters(), s.pixels(), s.taps(), s.groups, plan.split),
              AlongK{w, s.taps(), s.filters() * s.taps()}, PixelRows{x, Unfolded(s)},
              OutputStore{y, OutputPlaces(s)});
  return conv_claim(plan, s, bytes_of(x, w), y);
}

/// dx; inputs that no filter reaches are 0
inline Claim conv_input_gradient(Stream stream, const ProductPlan& plan, const ConvShape& s,
                                 ConstFloats dy, ConstFloats w, Floats dx) {
  const Reached reached(s);
  run_product(
      stream, "conv_input_gradient", plan,
      product_size(s.channels(), reached.inputs(), reached.depth(), reached.products(), plan.split),
      ChannelRows{w, reached}, InputRows{dy, reached}, InputStore{dx, reached});
  return conv_claim(plan, s, bytes_of(dy, w), dx);
}

/// dw of all images together
inline Claim conv_weight_gradient(Stream stream, const ProductPlan& plan, const ConvShape& s,
                                  ConstFloats dy, ConstFloats x, Floats dw) {
  run_product(stream, "conv_weight_gradient", plan,
              product_size(s.filters(), s.taps(), s.pixels(), s.groups, plan.split),
              FilterRows{dy, OutputPlaces(s)}, TapRows{x, Unfolded(s)},
              MatrixStore{dw, s.taps(), s.filters() * s.taps()});
  return conv_claim(plan, s, bytes_of(dy, x), dw);
}

// ---- im2col

TANTALUS_KERNEL im2col_kernel(Unfolded unfolded, Divisor pixels, ConstFloats x, Floats columns) {
  TANTALUS_UNROLL
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    const bool inside = i < columns.size;
    const int row = inside ? pixels.quotient(i) : 0;
    // A row is a tap of all channels, whatever the groups.
    const PixelPlace pixel = unfolded.pixel(inside ? i - row * pixels.value() : 0);
    const float value = unfolded.load(x, pixel, unfolded.tap(row, 0), inside);
    TANTALUS_STORE_IF(inside, columns, i, value);
  }
}

TANTALUS_KERNEL col2im_kernel(ConvShape s, ConstFloats columns, Floats dx) {
  const int i = thread_element();
  if (i >= dx.size) return;
  const PlanePlace in = place_in_planes(i, s.in_h, s.in_w);
  const int image = in.plane / s.in_ch;
  const int channel = in.plane % s.in_ch;
  const Span rows = windows_over(in.h, s.kernel_h, s.stride_h, s.pad_h, s.out_h);
  const Span across = windows_over(in.w, s.kernel_w, s.stride_w, s.pad_w, s.out_w);
  float sum = 0.0F;
  for (int h = rows.from; h < rows.to; ++h) {
    for (int w = across.from; w < across.to; ++w) {
      const int down = in.h + s.pad_h - h * s.stride_h;
      const int right = in.w + s.pad_w - w * s.stride_w;
      const int tap = (channel * s.kernel_h + down) * s.kernel_w + right;
      const int pixel = (image * s.out_h + h) * s.out_w + w;
      sum += TANTALUS_LOAD(columns, tap * s.pixels() + pixel);
    }
  }
  TANTALUS_STORE(dx, i, sum);
}

/// columns = the patches of x; 0 outside of the image
inline Claim im2col(Stream stream, const ConvShape& s, ConstFloats x, Floats columns) {
  launch(stream, "im2col", linear_shape(columns.size), im2col_kernel, Unfolded(s),
         Divisor(s.pixels()), x, columns);
  return {bytes_of(x), bytes_of(columns), 0};
}

/// dx = sum of the columns' elements that were taken from it
inline Claim col2im(Stream stream, const ConvShape& s, ConstFloats columns, Floats dx) {
  launch(stream, "col2im", thread_shape(dx.size), col2im_kernel, s, columns, dx);
  return {bytes_of(columns), bytes_of(dx), columns.size};
}

/// y from the columns
inline Claim columns_conv(Stream stream, const ProductPlan& plan, const ConvShape& s,
                          ConstFloats columns, ConstFloats w, Floats y) {
  run_product(stream, "columns_conv", plan,
              product_size(s.filters(), s.pixels(), s.taps(), s.groups, plan.split),
              AlongK{w, s.taps(), s.filters() * s.taps()},
              AlongRows{columns, s.pixels(), s.taps() * s.pixels()},
              OutputStore{y, OutputPlaces(s)});
  return conv_claim(plan, s, bytes_of(columns, w), y);
}

/// The columns' gradient: w^T dy
inline Claim columns_input_gradient(Stream stream, const ProductPlan& plan, const ConvShape& s,
                                    ConstFloats dy, ConstFloats w, Floats columns) {
  run_product(stream, "columns_input_gradient", plan,
              product_size(s.taps(), s.pixels(), s.filters(), s.groups, plan.split),
              AlongRows{w, s.taps(), s.filters() * s.taps()}, OutputPixelRows{dy, OutputPlaces(s)},
              MatrixStore{columns, s.pixels(), s.taps() * s.pixels()});
  return conv_claim(plan, s, bytes_of(dy, w), columns);
}

/// dw = dy columns^T
inline Claim columns_weight_gradient(Stream stream, const ProductPlan& plan, const ConvShape& s,
                                     ConstFloats dy, ConstFloats columns, Floats dw) {
  run_product(stream, "columns_weight_gradient", plan,
              product_size(s.filters(), s.taps(), s.pixels(), s.groups, plan.split),
              FilterRows{dy, OutputPlaces(s)}, AlongK{columns, s.pixels(), s.taps() * s.pixels()},
              MatrixStore{dw, s.taps(), s.filters() * s.taps()});
  return conv_claim(plan, s, bytes_of(dy, columns), dw);
}

/// y = x * w by way of the columns
inline Claim im2col_conv(Stream stream, const ProductPlan& plan, const ConvShape& s, ConstFloats x,
                         ConstFloats w, Floats columns, Floats y) {
  const Claim first = im2col(stream, s, x, columns);
  return first + columns_conv(stream, plan, s, columns, w, y);
}

inline Claim im2col_input_gradient(Stream stream, const ProductPlan& plan, const ConvShape& s,
                                   ConstFloats dy, ConstFloats w, Floats columns, Floats dx) {
  const Claim first = columns_input_gradient(stream, plan, s, dy, w, columns);
  return first + col2im(stream, s, columns, dx);
}

inline Claim im2col_weight_gradient(Stream stream, const ProductPlan& plan, const ConvShape& s,
                                    ConstFloats dy, ConstFloats x, Floats columns, Floats dw) {
  const Claim first = im2col(stream, s, x, columns);
  return first + columns_weight_gradient(stream, plan, s, dy, columns, dw);
}

}  // namespace tantalus::kernels

// Layers as plain C++ loops over N x C x H x W data, compiled at -O2 without vector flags: what a framework without a DNN
// library runs around its matrix products (Caffe's CPU layers). No allocation, no threads; sizes are the caller's promise.
#pragma once

#include <cstdint>

#include "kernels/program.hpp"

namespace tantalus::kernels {

/// Columns of one image: (in_ch x kernel_h x kernel_w) rows of out_h x out_w.
void im2col(const ConvSize& s, const float* image, float* columns);
/// Adds the columns back into one image, which is zeroed first.
void col2im(const ConvSize& s, const float* columns, float* image);

void relu(const float* x, float* y, std::int64_t n);
void relu_gradient(const float* dy, const float* y, float* dx, std::int64_t n);
void tanh(const float* x, float* y, std::int64_t n);
void tanh_gradient(const float* dy, const float* y, float* dx, std::int64_t n);
void sigmoid(const float* x, float* y, std::int64_t n);
void sigmoid_gradient(const float* dy, const float* y, float* dx, std::int64_t n);
void add(const float* a, const float* b, float* y, std::int64_t n);
/// A mask of one byte each from a xorshift generator that `state` carries on.
void dropout(const float* x, std::uint8_t* mask, float* y, std::int64_t n, std::uint64_t& state);
void dropout_gradient(const float* dy, const std::uint8_t* mask, float* dx, std::int64_t n);
void sgd(const float* gradient, float* weights, float* momentum, std::int64_t n);

/// `index` receives the flat input position of each maximum when it is not null.
void max_pool(const PoolSize& s, const float* x, float* y, std::int64_t* index);
void max_pool_gradient(const PoolSize& s, const float* dy, const std::int64_t* index, float* dx);
void average_pool(const PoolSize& s, const float* x, float* y);
void average_pool_gradient(const PoolSize& s, const float* dy, float* dx);

void lrn(const LrnSize& s, const float* x, float* scale, float* y);
void lrn_gradient(const LrnSize& s, const float* dy, const float* x, const float* y,
                  const float* scale, float* dx);

void softmax(const SoftmaxSize& s, const float* x, float* y);
void softmax_gradient(const SoftmaxSize& s, const float* dy, const float* y, float* dx);

}  // namespace tantalus::kernels

// The layers of kernels/cpu once more, in double precision and by their definition: one sum for each result, no library, no
// columns, no blocks. Tensors are vectors in the order of kernels/program.hpp.
#pragma once

#include <vector>

#include "kernels/program.hpp"

namespace tantalus::test {

using Values = std::vector<double>;

Values conv(const kernels::ConvSize& s, const Values& x, const Values& w, const Values& bias);
Values conv_input_gradient(const kernels::ConvSize& s, const Values& dy, const Values& w);
Values conv_weight_gradient(const kernels::ConvSize& s, const Values& x, const Values& dy);
Values conv_bias_gradient(const kernels::ConvSize& s, const Values& dy);

Values linear(const kernels::LinearSize& s, const Values& x, const Values& w, const Values& bias);
Values linear_input_gradient(const kernels::LinearSize& s, const Values& dy, const Values& w);
Values linear_weight_gradient(const kernels::LinearSize& s, const Values& x, const Values& dy);
Values linear_bias_gradient(const kernels::LinearSize& s, const Values& dy);

Values pool(const kernels::PoolSize& s, const Values& x);
Values pool_gradient(const kernels::PoolSize& s, const Values& x, const Values& dy);
Values lrn(const kernels::LrnSize& s, const Values& x);
Values lrn_gradient(const kernels::LrnSize& s, const Values& x, const Values& dy);
Values softmax(const kernels::SoftmaxSize& s, const Values& x);
Values softmax_gradient(const kernels::SoftmaxSize& s, const Values& x, const Values& dy);

}  // namespace tantalus::test

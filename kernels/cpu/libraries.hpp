// The libraries that run a program on the CPU, and what they call themselves.
#pragma once

#include <memory>
#include <string>

#include "kernels/chain.hpp"
#include "kernels/program.hpp"

namespace tantalus::kernels {

/// im2col and matrix products by BLAS, loops of our own, everything as Caffe does it.
std::unique_ptr<Chain> blas_chain(const Program& program);
/// oneDNN primitives on the layouts that they prefer. A bias gradient is part of the weight gradient, and has no kernel.
std::unique_ptr<Chain> dnn_chain(const Program& program);

/// Version and the kernels in use: "OpenBLAS 0.3.21 Cooperlake", "oneDNN 2.6.3 AVX-512".
std::string blas_name();
std::string dnn_name();

}  // namespace tantalus::kernels

// Matrix products of plain matrices, and the fully connected layer that is made of them. Operands by BLAS's letters, first A then
// B, all stored by rows: n as it is, t turned.
#pragma once

#include "kernels/gpu/claim.hpp"
#include "kernels/gpu/matrix.cuh"
#include "kernels/gpu/tiled_product.cuh"

namespace tantalus::kernels {

struct GemmSize {
  int m = 1, n = 1, k = 1;
};

/// A multiply-add of every part is two operations; adding up the parts is one a part.
inline Claim product_claim(std::int64_t read, std::int64_t written, std::int64_t results,
                           std::int64_t k, int split) {
  Claim claim{read, written, 2 * results * k};
  if (split > 1) {
    const std::int64_t parts = part_elements(results, split);
    claim = claim +
            Claim{parts * std::int64_t{sizeof(float)}, parts * std::int64_t{sizeof(float)}, parts};
  }
  return claim;
}

inline Claim gemm_claim(const ProductPlan& plan, const GemmSize& s, const ConstFloats& a,
                        const ConstFloats& b, const Floats& c) {
  return product_claim(bytes_of(a, b), bytes_of(c), std::int64_t{s.m} * s.n, s.k, plan.split);
}

/// C = A B: A m x k, B k x n.
inline Claim gemm_nn(Stream stream, const ProductPlan& plan, const GemmSize& s, ConstFloats a,
                     ConstFloats b, Floats c) {
  run_product(stream, "gemm_nn", plan, product_size(s.m, s.n, s.k, 1, plan.split),
              AlongK{a, s.k, 0}, AlongRows{b, s.n, 0}, MatrixStore{c, s.n, 0});
  return gemm_claim(plan, s, a, b, c);
}

/// C = A B: B stored n x k.
inline Claim gemm_nt(Stream stream, const ProductPlan& plan, const GemmSize& s, ConstFloats a,
                     ConstFloats b, Floats c) {
  run_product(stream, "gemm_nt", plan, product_size(s.m, s.n, s.k, 1, plan.split),
              AlongK{a, s.k, 0}, AlongK{b, s.k, 0}, MatrixStore{c, s.n, 0});
  return gemm_claim(plan, s, a, b, c);
}

/// C = A B: A stored k x m.
inline Claim gemm_tn(Stream stream, const ProductPlan& plan, const GemmSize& s, ConstFloats a,
                     ConstFloats b, Floats c) {
  run_product(stream, "gemm_tn", plan, product_size(s.m, s.n, s.k, 1, plan.split),
              AlongRows{a, s.m, 0}, AlongRows{b, s.n, 0}, MatrixStore{c, s.n, 0});
  return gemm_claim(plan, s, a, b, c);
}

struct LinearShape {
  int batch = 1, in = 1, out = 1;
};

/// y[batch x out] = x[batch x in] w^T, w stored out x in
inline Claim linear(Stream stream, const ProductPlan& plan, const LinearShape& s, ConstFloats x,
                    ConstFloats w, Floats y) {
  return gemm_nt(stream, plan, {s.batch, s.out, s.in}, x, w, y);
}

/// dx = dy w
inline Claim linear_input_gradient(Stream stream, const ProductPlan& plan, const LinearShape& s,
                                   ConstFloats dy, ConstFloats w, Floats dx) {
  return gemm_nn(stream, plan, {s.batch, s.in, s.out}, dy, w, dx);
}

/// dw = dy^T x
inline Claim linear_weight_gradient(Stream stream, const ProductPlan& plan, const LinearShape& s,
                                    ConstFloats dy, ConstFloats x, Floats dw) {
  return gemm_tn(stream, plan, {s.out, s.in, s.batch}, dy, x, dw);
}

}  // namespace tantalus::kernels

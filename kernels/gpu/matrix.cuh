// Matrices as operands and results of the tiled product (tiled_product.cuh), stored by rows or turned.
#pragma once

#include "kernels/gpu/cuda_words.cuh"

namespace tantalus::kernels {

/// Row `row`, k `k` lies at row x pitch + k: A of nn and nt, B of nt.
struct AlongK {
  static constexpr bool along_k = true;
  using Row = int;
  ConstFloats matrix;
  int pitch = 0, group_pitch = 0;

  __device__ Row row(int index, int group) const { return group * group_pitch + index * pitch; }
  __device__ float load(Row row, int k, bool inside) const {
    return TANTALUS_LOAD_IF(inside, matrix, row + k);
  }
};

/// Row `row`, k `k` lies at k x pitch + row: A of tn, B of nn and tn.
struct AlongRows {
  static constexpr bool along_k = false;
  using Row = int;
  ConstFloats matrix;
  int pitch = 0, group_pitch = 0;

  __device__ Row row(int index, int group) const { return group * group_pitch + index; }
  __device__ float load(Row row, int k, bool inside) const {
    return TANTALUS_LOAD_IF(inside, matrix, row + k * pitch);
  }
};

/// C by rows.
struct MatrixStore {
  using Column = int;
  Floats matrix;
  int pitch = 0, group_pitch = 0;

  __device__ Column column(int index, int group) const { return group * group_pitch + index; }
  __device__ void put(int row, Column column, int /*part*/, bool inside, float value) const {
    TANTALUS_STORE_IF(inside, matrix, row * pitch + column, value);
  }
};

}  // namespace tantalus::kernels

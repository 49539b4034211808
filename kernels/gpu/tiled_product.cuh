// The one matrix product of this room: C[m x n] = sum over k of A[m x k] B[k x n], a block for each tile of C. What A and B are
// (matrices however stored, patches of an image) and where C goes is said by functors, so that products and convolutions of all
// passes share this loop. Both operands go through shared memory, eight of k at a time, the next eight under way in registers
// meanwhile; a thread has its results in registers. k may be cut into parts, each a block of its own, whose results a second
// kernel sums.
//
// An operand has `along_k` (neighbours in memory lie along k, else along the rows), a `Row` made by row(index, group), and
// load(row, k, inside), which must not touch memory unless `inside`. B's rows are the columns of C. A store has a `Column`
// made by column(index, group), and put(row, column, part, inside, value).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/gpu/cuda_words.cuh"
#include "kernels/gpu/linear.cuh"
#include "kernels/gpu/product_choice.hpp"

namespace tantalus::kernels {

inline constexpr int depth_of_step = 8;

/// A block computes M x N results, a thread ThreadM x ThreadN of them; an SM of 65,536 registers holds `Resident` blocks.
template <int M, int N, int ThreadM, int ThreadN, int Resident>
struct Tile {
  static constexpr int m = M, n = N, thread_m = ThreadM, thread_n = ThreadN, resident = Resident;
  static constexpr int across = N / ThreadN, down = M / ThreadM;
  static constexpr int threads = across * down;
  static_assert(ThreadM % 4 == 0 && M * depth_of_step % threads == 0 &&
                N * depth_of_step % threads == 0);
};

/// What one product is cut into: `groups` products of one shape, each in `parts` of k, `depth` long.
struct ProductSize {
  int m = 1, n = 1, k = 1, groups = 1, parts = 1, depth = 1;
};

/// Parts are whole steps long.
inline ProductSize product_size(int m, int n, int k, int groups, int parts) {
  const int whole = (k - 1) / parts + 1;
  const int depth = ((whole - 1) / depth_of_step + 1) * depth_of_step;
  return {m, n, k, groups, parts, depth};
}

/// How one operand's rows of a tile get into shared memory: each thread takes the same few places in every step.
template <int Rows, int Threads, class Operand>
class Slab {
 public:
  // Four more than the rows: what a warp writes at once lies in different banks, and four neighbours stay aligned.
  static constexpr int pitch = Rows + 4;
  static constexpr int size = 2 * depth_of_step * pitch;  // two steps

  __device__ Slab(const Operand& operand, int first, int rows, int group) {
    TANTALUS_UNROLL
    for (int i = 0; i < each; ++i) {
      const int row = first + row_of(i);
      inside_[i] = row < rows;
      row_[i] = operand.row(inside_[i] ? row : 0, group);
    }
  }

  __device__ void fetch(const Operand& operand, int k, int end) {
    TANTALUS_UNROLL
    for (int i = 0; i < each; ++i) {
      const int at = k + k_of(i);
      value_[i] = operand.load(row_[i], at, inside_[i] && at < end);
    }
  }

  template <class Shared>
  __device__ void put(Shared& shared, int step) const {
    TANTALUS_UNROLL
    for (int i = 0; i < each; ++i)
      shared[(step * depth_of_step + k_of(i)) * pitch + row_of(i)] = value_[i];
  }

 private:
  static constexpr int each = Rows * depth_of_step / Threads;

  __device__ static int place(int i) { return i * Threads + static_cast<int>(threadIdx.x); }
  __device__ static int row_of(int i) {
    return Operand::along_k ? place(i) / depth_of_step : place(i) % Rows;
  }
  __device__ static int k_of(int i) {
    return Operand::along_k ? place(i) % depth_of_step : place(i) / Rows;
  }

  typename Operand::Row row_[each];
  bool inside_[each];
  float value_[each];
};

/// The results of one thread. Its rows lie in fours, which it loads at once; its columns lie as far apart as there are threads
/// across, so that neighbouring threads store neighbours.
template <class T>
class Results {
 public:
  template <class Left, class Right>
  __device__ void add_step(const Left& left, int left_pitch, const Right& right, int right_pitch,
                           int step) {
    TANTALUS_UNROLL
    for (int k = 0; k < depth_of_step; ++k) {
      const int at = step * depth_of_step + k;
      float a[T::thread_m];
      float b[T::thread_n];
      TANTALUS_UNROLL
      for (int i = 0; i < T::thread_m; ++i) a[i] = left[at * left_pitch + row_of(i)];
      TANTALUS_UNROLL
      for (int j = 0; j < T::thread_n; ++j) b[j] = right[at * right_pitch + column_of(j)];
      TANTALUS_UNROLL
      for (int i = 0; i < T::thread_m; ++i) {
        TANTALUS_UNROLL
        for (int j = 0; j < T::thread_n; ++j) sum_[i][j] += a[i] * b[j];
      }
    }
  }

  template <class Store>
  __device__ void put(const ProductSize& size, const Store& store, int group, int part) const {
    const int top = static_cast<int>(blockIdx.y) * T::m;
    const int left = static_cast<int>(blockIdx.x) * T::n;
    TANTALUS_UNROLL
    for (int j = 0; j < T::thread_n; ++j) {
      const int n = left + column_of(j);
      const typename Store::Column column = store.column(n < size.n ? n : 0, group);
      TANTALUS_UNROLL
      for (int i = 0; i < T::thread_m; ++i) {
        const int m = top + row_of(i);
        store.put(m, column, part, m < size.m && n < size.n, sum_[i][j]);
      }
    }
  }

 private:
  __device__ static int row_of(int i) {
    return i / 4 * (4 * T::down) + static_cast<int>(threadIdx.x) / T::across * 4 + i % 4;
  }
  __device__ static int column_of(int j) {
    return j * T::across + static_cast<int>(threadIdx.x) % T::across;
  }

  float sum_[T::thread_m][T::thread_n] = {};
};

template <class T, class A, class B, class C>
TANTALUS_BOUNDED_KERNEL(T::threads, T::resident)
product_kernel(ProductSize size, A a, B b, C c) {
  using ASlab = Slab<T::m, T::threads, A>;
  using BSlab = Slab<T::n, T::threads, B>;
  TANTALUS_SHARED(float, left, ASlab::size);
  TANTALUS_SHARED(float, right, BSlab::size);
  const int group = static_cast<int>(blockIdx.z) / size.parts;
  const int part = static_cast<int>(blockIdx.z) % size.parts;
  const int from = part * size.depth;
  const int end = from + size.depth < size.k ? from + size.depth : size.k;

  ASlab of_a(a, static_cast<int>(blockIdx.y) * T::m, size.m, group);
  BSlab of_b(b, static_cast<int>(blockIdx.x) * T::n, size.n, group);
  Results<T> results;
  of_a.fetch(a, from, end);
  of_b.fetch(b, from, end);
  int step = 0;
  for (int k = from; k < end; k += depth_of_step) {
    of_a.put(left, step);
    of_b.put(right, step);
    __syncthreads();
    if (k + depth_of_step < end) {
      of_a.fetch(a, k + depth_of_step, end);
      of_b.fetch(b, k + depth_of_step, end);
    }
    results.add_step(left, ASlab::pitch, right, BSlab::pitch, step);
    step = 1 - step;
  }
  results.put(size, c, group, part);
}

/// Parts of a product, one matrix after the other: part, group, row, column.
struct PartStore {
  using Column = int;
  Floats parts;
  int m, n, groups;

  __device__ Column column(int index, int group) const { return group * m * n + index; }
  __device__ void put(int row, Column column, int part, bool inside, float value) const {
    TANTALUS_STORE_IF(inside, parts, part * groups * m * n + row * n + column, value);
  }
};

template <class Store>
TANTALUS_KERNEL sum_parts_kernel(ProductSize size, ConstFloats parts, Store store) {
  const int results = size.groups * size.m * size.n;
  for (int turn = 0; turn < linear_per_thread; ++turn) {
    const int i = linear_element(turn);
    float sum = 0.0F;
    for (int part = 0; part < size.parts; ++part)
      sum += TANTALUS_LOAD_IF(i < results, parts, part * results + i);
    const int of_group = i % (size.m * size.n);
    const int group = i < results ? i / (size.m * size.n) : 0;
    store.put(of_group / size.n, store.column(of_group % size.n, group), 0, i < results, sum);
  }
}

// ---- Which tile

/// Calls `use` with the tile itself.
template <class Use>
void with_tile(TileShape shape, const Use& use) {
  switch (shape) {
    case TileShape::m128n128:
      return use(Tile<128, 128, 8, 8, 2>{});
    case TileShape::m64n128:
      return use(Tile<64, 128, 8, 8, 3>{});
    case TileShape::m64n64:
      return use(Tile<64, 64, 8, 4, 4>{});
    case TileShape::m32n32:
      return use(Tile<32, 32, 4, 4, 10>{});
    case TileShape::m16n128:
      return use(Tile<16, 128, 4, 4, 4>{});
  }
}

/// How a product is run: its tile, and in how many parts of k. `parts` holds the results of the parts, when there are several.
struct ProductPlan {
  TileShape tile = TileShape::m64n64;
  int split = 1;
  Floats parts;
};

/// Elements that `ProductPlan::parts` must have.
inline std::int64_t part_elements(std::int64_t results, int split) {
  return split > 1 ? results * split : 0;
}

template <class T>
LaunchShape product_shape(const ProductSize& size) {
  return {{blocks_for(size.n, T::n), blocks_for(size.m, T::m),
           static_cast<unsigned>(size.groups * size.parts)},
          {T::threads}};
}

template <class T, class A, class B, class C>
void launch_tiles(Stream stream, const char* name, const ProductSize& size, const A& a, const B& b,
                  const C& c) {
  const std::string whole =
      std::string(name) + "_" + std::to_string(T::m) + "x" + std::to_string(T::n);
  launch(stream, whole.c_str(), product_shape<T>(size), product_kernel<T, A, B, C>, size, a, b, c);
}

/// Runs the product with the plan's tile, and the sum of its parts when there are several.
template <class A, class B, class C>
void run_product(Stream stream, const char* name, const ProductPlan& plan, const ProductSize& size,
                 const A& a, const B& b, const C& c) {
  if (size.parts == 1) {
    with_tile(plan.tile,
              [&](auto tile) { launch_tiles<decltype(tile)>(stream, name, size, a, b, c); });
    return;
  }
  const PartStore parts{plan.parts, size.m, size.n, size.groups};
  with_tile(plan.tile,
            [&](auto tile) { launch_tiles<decltype(tile)>(stream, name, size, a, b, parts); });
  const std::int64_t results = std::int64_t{size.groups} * size.m * size.n;
  launch(stream, "sum_parts", linear_shape(results), sum_parts_kernel<C>, size,
         ConstFloats(plan.parts), c);
}

}  // namespace tantalus::kernels

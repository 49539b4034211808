#include "kernels/host_cuda/emulator.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kernels/gpu/cuda_words.cuh"

namespace tantalus::kernels {
namespace {

constexpr unsigned all_lanes = 0xffffffffU;

int index_of_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// What the launch complains of; empty when it ran.
template <class Launch>
std::string fault_of(const Launch& run) {
  try {
    run();
  } catch (const emulate::Fault& fault) {
    return fault.what();
  }
  return {};
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void reverse_kernel(ConstFloats x, Floats y) {
  TANTALUS_SHARED(float, tile, 64);
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = TANTALUS_LOAD(x, index_of_thread());
  __syncthreads();
  const float value = tile[63 - t];
  TANTALUS_STORE(y, index_of_thread(), value);
}

TEST_CASE("threads of a block exchange values through shared memory, in either order") {
  std::vector<float> x(128), y(128, -1.0F);
  for (int i = 0; i < 128; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i);

  for (const emulate::Order order : {emulate::Order::ascending, emulate::Order::descending}) {
    emulate::set_order(order);
    launch({}, "reverse", {{2}, {64}}, reverse_kernel, ConstFloats{x.data(), 128},
           Floats{y.data(), 128});
    CHECK(y[0] == 63.0F);
    CHECK(y[63] == 0.0F);
    CHECK(y[64] == 127.0F);
  }
  emulate::set_order(emulate::Order::ascending);
}

void warp_sum_kernel(Floats y) {
  float sum = static_cast<float>(threadIdx.x);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(all_lanes, sum, lanes);
  TANTALUS_STORE(y, static_cast<int>(threadIdx.x), sum);
}

TEST_CASE("a butterfly of shuffles sums over each warp") {
  std::vector<float> y(64);

  launch({}, "warp sum", {{1}, {64}}, warp_sum_kernel, Floats{y.data(), 64});

  CHECK(y[0] == 496.0F);
  CHECK(y[31] == 496.0F);
  CHECK(y[32] == 1520.0F);
}

void count_kernel(View<int> counter) { TANTALUS_ATOMIC_ADD(counter, 0, 1); }

TEST_CASE("atomics see every thread of the grid") {
  int counter = 0;
  launch({}, "count", {{3, 2, 2}, {5, 2}}, count_kernel, View<int>{&counter, 1});
  CHECK(counter == 120);
}

void early_exit_kernel() {
  if (threadIdx.x == 3) return;
  __syncthreads();
}

void two_barriers_kernel() {
  if (threadIdx.x < 8) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

TEST_CASE("a barrier that part of a block never reaches is a fault") {
  CHECK(says(fault_of([] {
               launch({}, "early", {{1}, {32}}, early_exit_kernel);
             }),
             "divergent barrier"));
  CHECK(says(fault_of([] {
               launch({}, "two", {{1}, {32}}, two_barriers_kernel);
             }),
             "divergent barrier"));
}

void absent_lane_kernel() {
  if (threadIdx.x >= 16) return;
  static_cast<void>(__shfl_xor_sync(all_lanes, 1.0F, 1));
}

TEST_CASE("a shuffle that names lanes which never come is a fault") {
  const std::string said = fault_of([] { launch({}, "absent", {{1}, {32}}, absent_lane_kernel); });
  CHECK(says(said, "waits in a shuffle"));
  CHECK(says(fault_of([] {
               launch({}, "short warp", {{1}, {20}}, absent_lane_kernel);
             }),
             "more lanes than its warp has"));
}

void foreign_lane_kernel() {
  if (threadIdx.x < 2) static_cast<void>(__shfl_sync(3U, 1.0F, 5));
}

void foreign_mask_kernel() { static_cast<void>(__shfl_sync(1U, 1.0F, 0)); }

TEST_CASE("a shuffle reads and is called by lanes of its mask only") {
  CHECK(says(fault_of([] {
               launch({}, "lane", {{1}, {32}}, foreign_lane_kernel);
             }),
             "reads lane 5, which is not in the shuffle's mask"));
  CHECK(says(fault_of([] {
               launch({}, "mask", {{1}, {2}}, foreign_mask_kernel);
             }),
             "leaves its own lane out"));
}

void copy_kernel(ConstFloats x, Floats y) {
  const float value = TANTALUS_LOAD(x, index_of_thread());
  TANTALUS_STORE(y, index_of_thread(), value);
}

TEST_CASE("an index outside its buffer is a fault that names buffer, block and thread") {
  std::vector<float> x(80), y(64);

  const std::string said = fault_of([&] {
    launch({}, "copy", {{1}, {16}}, copy_kernel, ConstFloats{x.data(), 10}, Floats{y.data(), 64});
  });

  CHECK(says(said, "copy, block (0, 0, 0), thread (10, 0, 0): reads x[10] of 10"));
  CHECK(says(fault_of([&] {
               launch({}, "copy", {{5}, {16}}, copy_kernel, ConstFloats{x.data(), 80},
                      Floats{y.data(), 64});
             }),
             "writes y[64] of 64"));
}

void shared_overrun_kernel() {
  TANTALUS_SHARED(float, tile, 8);
  tile[static_cast<int>(threadIdx.x)] = 0.0F;
}

void much_shared_kernel() {
  TANTALUS_SHARED(float, first, 8192);
  TANTALUS_SHARED(float, second, 8192);
  first[0] = second[0] = 0.0F;
}

TEST_CASE("shared memory is as large as on a device") {
  CHECK(says(fault_of([] {
               launch({}, "overrun", {{1}, {9}}, shared_overrun_kernel);
             }),
             "touches shared tile[8] of 8"));
  CHECK(says(fault_of([] {
               launch({}, "much", {{1}, {1}}, much_shared_kernel);
             }),
             "65536 bytes of shared memory"));
}

void leak_kernel(Floats y) {
  TANTALUS_SHARED(float, tile, 1);
  const float value = tile[0];
  TANTALUS_STORE(y, static_cast<int>(blockIdx.x), value);
  tile[0] = 1.0F;
}

TEST_CASE("shared memory starts poisoned in every block") {
  std::vector<float> y(2);
  launch({}, "leak", {{2}, {1}}, leak_kernel, Floats{y.data(), 2});
  CHECK(std::isnan(y[0]));
  CHECK(std::isnan(y[1]));
}

TEST_CASE("a launch that no device takes is a fault") {
  CHECK(says(fault_of([] {
               launch({}, "big", {{1}, {1025}}, early_exit_kernel);
             }),
             "1025 threads"));
  CHECK(says(fault_of([] {
               launch({}, "empty", {{0}, {32}}, early_exit_kernel);
             }),
             "the grid is empty"));
  CHECK(says(fault_of([] {
               launch({}, "tall", {{1, 70000}, {1}}, early_exit_kernel);
             }),
             "is larger than"));
}

}  // namespace
}  // namespace tantalus::kernels

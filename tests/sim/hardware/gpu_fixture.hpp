// What the tests of the GPU model share: GPU files of hw_configs read as the program reads them, short operations, a small
// generator of random numbers that is the same everywhere, and the time of a list of kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/hardware/gpu_library.hpp"
#include "sim/hardware/gpu_model.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "tests/sim/hardware/cpu_fixture.hpp"

namespace tantalus::test {

inline Result<GpuSpec> read_gpu(const std::string& stem,
                                Knowledge knowledge = Knowledge::calibrated) {
  return read_file<GpuSpec>("hw_configs/devices/" + stem + ".yaml", "device", knowledge);
}

inline Result<GpuLibrary> read_gpu_library(const std::string& stem) {
  return read_file<GpuLibrary>("hw_configs/libraries/" + stem + ".yaml", "library",
                               Knowledge::sheet);
}

inline GpuModel gpu_model(const GpuSpec& spec) {
  std::vector<GpuLibrary> libraries;
  for (const std::string& name : spec.libraries)
    libraries.push_back(read_gpu_library(name).value());
  return GpuModel(spec, std::move(libraries));
}

inline GpuModel gpu_model(const std::string& stem) { return gpu_model(read_gpu(stem).value()); }

/// A GPU with round numbers: 10 SMs of 64 lanes at 1 GHz, 220 GB/s of L2, 100 GB/s of DRAM, launches for free.
inline GpuSpec plain_gpu() {
  GpuSpec spec;
  spec.name = "plain";
  spec.sm.count = 10;
  spec.sm.fp32_lanes = 64;
  spec.sm.max_threads = 2048;
  spec.sm.max_blocks = 32;
  spec.sm.shared_memory = Bytes{64 * 1024};
  spec.sm.shared_memory_per_block = Bytes{48 * 1024};
  spec.clock.boost = Frequency{1'000'000'000};
  spec.l2.capacity = Bytes{1'000'000};
  spec.dram.capacity = Bytes{16'000'000'000};
  spec.dram.channels = 8;
  spec.dram.channel_width = BitWidth{32};
  spec.dram.data_rate = TransferRate{3'125'000'000};
  spec.dram.efficiency = Fraction{1.0};
  spec.dram_latency = Duration{100'000};
  spec.launch.queued = Duration{0};
  spec.libraries = {"plain"};
  derive(spec.sm);
  derive(spec.clock);
  derive(spec.l2);
  derive(spec.dram);
  derive(spec);
  return spec;
}

/// One family with one tile of 128 x 128 at full efficiency, no latencies, nothing exposed; streams of 256 threads.
inline GpuLibrary plain_library() {
  GpuLibrary library;
  library.name = "plain";
  GpuGemmSpec family;
  family.types = {"fp32"};
  family.tiles = {{128, 128, 256, 128, Bytes{16 * 1024}, Fraction{1.0}}};
  library.gemm = {family};
  GpuConvSpec conv;
  conv.types = {"fp32"};
  library.convolution = {conv};
  return library;
}

/// C[m x n] = A[m x k] B[k x n], every operand once.
inline Operation product_op(std::int64_t m, std::int64_t n, std::int64_t k,
                            DType type = DType::fp32, std::int64_t batch = 1) {
  Operation op;
  op.name = "product";
  op.type = type;
  op.work = GemmShape{batch, m, n, k};
  const std::int64_t size = element_size(type);
  op.operands = {{TensorId{1}, Bytes{batch * m * k * size}, false},
                 {TensorId{2}, Bytes{batch * k * n * size}, false},
                 {TensorId{3}, Bytes{batch * m * n * size}, true}};
  op.macs = batch * m * n * k;
  return op;
}

/// A square convolution with padding that keeps the size at stride 1.
inline Operation conv_op(std::int64_t batch, std::int64_t in_ch, std::int64_t size,
                         std::int64_t out_ch, std::int64_t kernel, std::int64_t stride = 1,
                         std::int64_t groups = 1, Pass pass = Pass::forward,
                         DType type = DType::fp32) {
  ConvShape s;
  s.batch = batch;
  s.in_ch = in_ch;
  s.in_h = s.in_w = size;
  s.out_ch = out_ch;
  s.kernel_h = s.kernel_w = kernel;
  s.stride_h = s.stride_w = stride;
  s.pad_h = s.pad_w = kernel / 2;
  s.out_h = s.out_w = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  s.groups = groups;
  Operation op;
  op.name = "conv";
  op.type = type;
  op.pass = pass;
  op.work = s;
  const std::int64_t element = element_size(type);
  op.operands = {
      {TensorId{1}, Bytes{batch * in_ch * size * size * element}, pass == Pass::input_gradient},
      {TensorId{2}, Bytes{out_ch * in_ch / groups * kernel * kernel * element},
       pass == Pass::weight_gradient},
      {TensorId{3}, Bytes{batch * out_ch * s.out_h * s.out_w * element}, pass == Pass::forward}};
  op.macs = batch * out_ch * s.out_h * s.out_w * in_ch / groups * kernel * kernel;
  return op;
}

inline Operation element_op(ElementFn fn, std::int64_t elements, int inputs = 1,
                            DType type = DType::fp32) {
  Operation op;
  op.name = "elements";
  op.type = type;
  op.work = ElementwiseShape{fn, elements};
  const Bytes size{elements * element_size(type)};
  for (int i = 0; i < inputs; ++i)
    op.operands.push_back({TensorId{static_cast<std::uint32_t>(i)}, size, false});
  op.operands.push_back({TensorId{99}, size, true});
  op.other_ops = elements;
  return op;
}

inline std::vector<KernelCost> kernels_of(const GpuModel& model, const Operation& op,
                                          ReuseDistances reuse = {}) {
  const Result<std::vector<KernelCost>> kernels = model.kernels(op, reuse);
  if (!kernels.ok()) throw std::runtime_error(why(kernels.diagnostics()));
  return kernels.value();
}

/// What the catalogue's choice compares: kernels one after the other, at least the launch cost apart.
inline double launched_seconds(const GpuModel& model, const std::vector<KernelCost>& kernels) {
  double total = 0.0;
  for (const KernelCost& kernel : kernels) {
    total +=
        std::max(seconds(alone_time(kernel, model.rates())), seconds(model.spec().launch.queued));
  }
  return total;
}

inline double launched_seconds(const GpuModel& model, const Operation& op) {
  return launched_seconds(model, kernels_of(model, op));
}

/// splitmix64: the same numbers on every machine and compiler.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// From low to high, both included.
  std::int64_t within(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// Sizes of every order of magnitude below `high`.
  std::int64_t size(std::int64_t high) {
    std::int64_t top = 1;
    for (std::int64_t doublings = within(0, 40); doublings > 0 && top < high; --doublings) top *= 2;
    return within(1, std::min(top, high));
  }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(
        within(0, static_cast<std::int64_t>(values.size()) - 1))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace tantalus::test

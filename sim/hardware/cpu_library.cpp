#include "sim/hardware/cpu_library.hpp"

namespace tantalus {

namespace {

// "direct: {}" says that there are kernels and nothing about them.
void check_direct(const CpuDirectConvSpec& direct, SpecChecker& checker) {
  if (direct.block_efficiency.empty()) {
    checker.contradictory(
        "direct.block_efficiency", "empty-list", "no register blocking is given",
        "write the efficiency with 1, 2, ... channel blocks, such as [0.77, 0.99]");
    return;
  }
  for (const Fraction efficiency : direct.block_efficiency) {
    if (efficiency.value() <= 0.0) {
      checker.contradictory("direct.block_efficiency", "zero-efficiency",
                            "a kernel that never ends", "efficiencies are above 0 and at most 1");
      return;
    }
  }
}

}  // namespace

void derive(CpuGemmSpec& spec) {
  if (!spec.threaded_efficiency) spec.threaded_efficiency = spec.efficiency;
  if (!spec.pack_transposed) spec.pack_transposed = spec.pack_b;
  if (!spec.aliased_rate) spec.aliased_rate = spec.packed_rate;
}

void derive(CpuLoopSpec& spec) {
  constexpr double longer_lrn = 1.1;  // 171 against 157 ms for AlexNet norm1 under Caffe, batch 10
  if (!spec.copy) spec.copy = spec.simple;
  if (!spec.pool_cold_lines) spec.pool_cold_lines = spec.cold_lines;
  if (!spec.relu_gradient) spec.relu_gradient = spec.simple;
  if (!spec.dropout_gradient) spec.dropout_gradient = spec.dropout;
  if (!spec.lrn_gradient) spec.lrn_gradient = longer_lrn * spec.lrn;
}

void check(const CpuLibrary& library, SpecChecker& checker) {
  const CpuGemmSpec& gemm = library.gemm;
  if (library.vector < BitWidth{32}) {
    checker.contradictory("vector", "zero-lanes", "a vector holds at least one 32-bit lane",
                          "write 128, 256 or 512 bit");
  }
  if (gemm.mr < 1 || gemm.nr < 1 || gemm.k_block < 1) {
    checker.contradictory("gemm", "zero-tile", "an inner tile holds at least one element",
                          "write mr and nr, such as 8 and 4");
  }
  if (gemm.efficiency.value() <= 0.0 || gemm.threaded_efficiency->value() <= 0.0 ||
      gemm.unpacked_efficiency.value() <= 0.0 || gemm.packed_rate.value() <= 0.0) {
    checker.contradictory("gemm", "zero-efficiency", "a kernel that never ends",
                          "efficiencies are above 0 and at most 1");
  }
  if (!library.direct && !library.im2col) {
    checker.contradictory("direct", "no-convolution", "the catalogue has no way to convolve",
                          "write a direct or an im2col section");
  }
  if (library.direct) check_direct(*library.direct, checker);
  if (library.winograd && library.winograd->tiles.empty()) {
    checker.contradictory("winograd.tiles", "empty-list", "no tile is given",
                          "write the tiles, such as [{outputs: 4, input: 3, output: 2.5}]");
  }
  if (library.loops.pool_rate.value() <= 0.0 || library.int8_rate < 1.0) {
    checker.contradictory("loops.pool_rate", "zero-efficiency", "a rate of zero never ends",
                          "pool_rate is above 0 and at most 1, int8_rate at least 1");
  }
}

}  // namespace tantalus

// The words that kernels are written in. nvcc gets CUDA's own meaning; any other compiler gets the emulator's
// (kernels/host_cuda/device.cuh), which checks and records every access. Rule: one access of device memory a source line, so that
// a line names an access in records and messages.
#pragma once

#include "kernels/gpu/launch_shape.hpp"
#include "kernels/gpu/view.hpp"

#if defined(__CUDACC__)

#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

#define TANTALUS_LOAD(view, index) ((view).data[index])
// The value at `index` where `active`, else 0; `index` is not looked at then.
#define TANTALUS_LOAD_IF(active, view, index) ((active) ? (view).data[index] : 0)
// Past the L1.
#define TANTALUS_LOAD_L2(view, index) __ldcg((view).data + (index))
#define TANTALUS_STORE(view, index, value) ((view).data[index] = (value))
#define TANTALUS_STORE_IF(active, view, index, value) \
  do {                                                \
    if (active) (view).data[index] = (value);         \
  } while (false)
#define TANTALUS_ATOMIC_ADD(view, index, value) atomicAdd((view).data + (index), value)
// Aligned, so that four neighbours can be loaded at once.
#define TANTALUS_SHARED(type, name, count) __shared__ __align__(16) type name[count]
#define TANTALUS_UNROLL _Pragma("unroll")
// One turn after the other: the registers of several are not worth it.
#define TANTALUS_ROLLED _Pragma("unroll 1")
#define TANTALUS_KERNEL __global__ void
// At most so many threads a block, and registers for so many blocks an SM.
#define TANTALUS_BOUNDED_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)

namespace tantalus::kernels {

using Stream = cudaStream_t;

/// Throws std::runtime_error with `what` and CUDA's own words.
inline void check_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <class... Parameters, class... Arguments>
void launch(Stream stream, const char* name, const LaunchShape& shape,
            void (*kernel)(Parameters...), Arguments... arguments) {
  const dim3 grid(shape.grid.x, shape.grid.y, shape.grid.z);
  const dim3 block(shape.block.x, shape.block.y, shape.block.z);
  kernel<<<grid, block, 0, stream>>>(Parameters(arguments)...);
  check_cuda(cudaGetLastError(), name);
}

}  // namespace tantalus::kernels

#else
#include "kernels/host_cuda/device.cuh"
#endif

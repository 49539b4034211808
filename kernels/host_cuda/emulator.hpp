// Runs the grid of a CUDA kernel on one thread of the host, block after block, with a fiber for each CUDA thread. It keeps the
// promises that a kernel relies on (barriers, warp shuffles, shared memory, atomics) and breaks none silently: a barrier that
// part of a block never reaches, a shuffle with absent lanes, an index outside its buffer and too much shared memory each end
// the launch with a Fault. It checks results, never speed, and sees no race by itself: run a kernel in both orders and compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "kernels/gpu/launch_shape.hpp"
#include "kernels/host_cuda/block.hpp"
#include "kernels/host_cuda/fault.hpp"
#include "kernels/host_cuda/traffic.hpp"

namespace tantalus::emulate {

/// In which order blocks, and the threads between two barriers, run from now on. A correct kernel gives the same bytes in both.
void set_order(Order order);
/// Every launch from now on is recorded there; nullptr: none is. The recorder must outlive its use.
void record_into(TrafficRecorder* recorder);

/// Runs `body` once for each thread of the grid. Throws Fault.
void run_grid(const std::string& kernel, const kernels::LaunchShape& shape,
              const std::function<void()>& body);

// ---- What the CUDA words in kernels/host_cuda/device.cuh are made of. Valid while a kernel runs.

void barrier(int line);
/// Gives `bits` to the warp and takes those of lane `source`; returns when all lanes of `mask` have done so.
std::uint64_t exchange(unsigned mask, std::uint64_t bits, int source, int line);
int lane_of_thread();
/// The block's copy of a shared array; name and line tell the arrays of one kernel apart. Bytes of value 0xff at first.
void* shared_array(const char* name, int line, std::size_t bytes);

[[noreturn]] void fail_bounds(const char* what, const char* buffer, std::int64_t index,
                              std::int64_t size, int line);
bool is_recording();
void record(AccessKind kind, int line, const char* buffer, const void* address, unsigned bytes,
            bool active);

}  // namespace tantalus::emulate

// What is measured on a GPU, without a word of CUDA: facts of the device, probes, layers and whole steps of a program. Two
// libraries give it: tantalus_kernels_gpu by nvcc, and tantalus_kernels_emulated, which runs the same text on the CPU so that
// tests go through it; the latter's times are the emulator's and no measurement. Functions throw std::runtime_error with CUDA's
// words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/gpu/product_choice.hpp"
#include "kernels/program.hpp"

namespace tantalus::kernels {

struct GpuFacts {
  std::string name;  // as the driver prints it
  int major = 0, minor = 0, multiprocessors = 0;
  std::int64_t memory = 0, l2 = 0;  // bytes
  int driver = 0, runtime = 0;      // 12040 is 12.4
  bool emulated = false;
};

/// Devices that can be used; 0 without one, or without a driver.
int gpu_count();
GpuFacts gpu_facts();

/// Samples in seconds of what one run of it took, with what it claims to move and compute.
struct Timing {
  std::string name;
  double bytes = 0, flops = 0;
  std::vector<double> seconds;
};

/// plain: launch after launch, one wait at the end of many steps. graph: the same from a CUDA graph. synchronised: a wait after
/// each step.
enum class LaunchStyle : std::uint8_t { plain, graph, synchronised };
inline constexpr std::string_view launch_style_names[] = {"plain", "graph", "synchronised"};

/// How much of it: a GPU's default; tests ask for less.
struct Effort {
  int samples = 30, warm_up = 3;
  std::int64_t stream_bytes = 512LL << 20;  // of one operand
  std::int64_t l2_bytes = 8LL << 20;
  int chase_steps = 20'000, fma_steps = 4096, steps_per_sample = 10;
};

/// Copy, scale, add, triad; pointer chases of several sizes (the time of one load); L2 read; multiply-adds; empty launches, queued
/// and waited for; copies to and from the device, pinned and pageable.
std::vector<Timing> probe(const Effort& effort);

/// Each step of the program, in the order of a pass, so that caches hold what the steps before left.
std::vector<Timing> time_layers(const Program& program, const Chooser& choose,
                                const Effort& effort);
/// The whole program once.
Timing time_step(const Program& program, const Chooser& choose, LaunchStyle style,
                 const Effort& effort);

}  // namespace tantalus::kernels

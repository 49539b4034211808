// gpu_session.hpp, for nvcc and for the emulator alike: the two .cu and .cpp files that include this are the two libraries.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/gpu/device_memory.cuh"
#include "kernels/gpu/gpu_chain.cuh"
#include "kernels/gpu/gpu_session.hpp"
#include "kernels/gpu/graph.cuh"
#include "kernels/gpu/probes.cuh"
#include "kernels/gpu/stream.cuh"

namespace tantalus::kernels {

#if defined(__CUDACC__)

inline int count_gpus() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

inline GpuFacts facts_of_gpu() {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  GpuFacts facts;
  facts.name = properties.name;
  facts.major = properties.major;
  facts.minor = properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.memory = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.l2 = properties.l2CacheSize;
  check_cuda(cudaDriverGetVersion(&facts.driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&facts.runtime), "cudaRuntimeGetVersion");
  return facts;
}

/// A stream of its own: the default one cannot be captured.
class OwnStream {
 public:
  OwnStream() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  Stream get() const { return stream_; }

 private:
  Stream stream_ = nullptr;
};

/// A mark on a stream.
class Mark {
 public:
  Mark() { check_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Mark() { cudaEventDestroy(event_); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  void set(Stream stream) { check_cuda(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  /// Waits for this mark.
  double seconds_since(const Mark& earlier) const {
    check_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize");
    float milliseconds = 0.0F;
    check_cuda(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class PinnedMemory {
 public:
  explicit PinnedMemory(std::int64_t bytes) {
    check_cuda(cudaMallocHost(&memory_, static_cast<std::size_t>(bytes)), "cudaMallocHost");
  }
  ~PinnedMemory() { cudaFreeHost(memory_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  void* data() const { return memory_; }

 private:
  void* memory_ = nullptr;
};

#else

inline int count_gpus() { return 1; }
inline GpuFacts facts_of_gpu() {
  GpuFacts facts;
  facts.name = "emulator";
  facts.multiprocessors = 16;
  facts.emulated = true;
  return facts;
}

class OwnStream {
 public:
  Stream get() const { return {}; }
};

class Mark {
 public:
  void set(Stream) { at_ = std::chrono::steady_clock::now(); }
  double seconds_since(const Mark& earlier) const {
    return std::chrono::duration<double>(at_ - earlier.at_).count();
  }

 private:
  std::chrono::steady_clock::time_point at_;
};

class PinnedMemory {
 public:
  explicit PinnedMemory(std::int64_t bytes) : memory_(static_cast<std::size_t>(bytes)) {}
  void* data() { return memory_.data(); }

 private:
  std::vector<std::uint8_t> memory_;
};

#endif

/// Runs `work` `warm_up` times, then times it. `turns` runs make one sample.
inline Timing timed(Stream stream, std::string name, const Effort& effort, int turns,
                    const std::function<Claim()>& work) {
  Timing timing;
  timing.name = std::move(name);
  for (int i = 0; i < effort.warm_up; ++i) {
    const Claim claim = work();
    timing.bytes = static_cast<double>(claim.read + claim.written);
    timing.flops = static_cast<double>(claim.flops);
  }
  Mark before, after;
  for (int i = 0; i < effort.samples; ++i) {
    wait_for(stream);
    before.set(stream);
    for (int turn = 0; turn < turns; ++turn) work();
    after.set(stream);
    timing.seconds.push_back(after.seconds_since(before) / turns);
  }
  return timing;
}

inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline void probe_streams(Stream stream, const Effort& effort, std::vector<Timing>& all) {
  const std::int64_t count = effort.stream_bytes / 4;
  const DeviceMemory a(effort.stream_bytes), b(effort.stream_bytes), c(effort.stream_bytes);
  const Floats x = a.view<float>(count), y = b.view<float>(count), z = c.view<float>(count);
  all.push_back(timed(stream, "stream_copy", effort, 1, [&] { return stream_copy(stream, x, y); }));
  all.push_back(
      timed(stream, "stream_scale", effort, 1, [&] { return stream_scale(stream, x, 0.5F, y); }));
  all.push_back(
      timed(stream, "stream_add", effort, 1, [&] { return stream_add(stream, x, y, z); }));
  all.push_back(timed(stream, "stream_triad", effort, 1,
                      [&] { return stream_triad(stream, x, y, 0.5F, z); }));
  const std::int64_t threads = std::int64_t{facts_of_gpu().multiprocessors} * 8 * linear_threads;
  const DeviceMemory sums(threads * 4);
  const Floats part = a.view<float>(effort.l2_bytes / 4);
  all.push_back(timed(stream, "l2_read", effort, 1,
                      [&] { return l2_read(stream, part, 16, sums.view<float>(threads)); }));
  all.push_back(timed(stream, "fma_peak", effort, 1, [&] {
    return fma_peak(stream, 0.5F, 0.25F, effort.fma_steps, sums.view<float>(threads));
  }));
}

/// Places of one cycle through all of them, 128 bytes and a large odd number of lines apart.
inline void fill_chase(const DeviceMemory& memory, std::int64_t bytes) {
  constexpr std::int64_t line = 32;  // words
  const std::int64_t lines = bytes / 128;
  std::int64_t stride = lines / 2 + lines / 8 + 1;
  const auto common = [&](std::int64_t a, std::int64_t b) {
    while (b != 0) std::swap(a %= b, b);
    return a;
  };
  while (common(stride, lines) != 1) ++stride;
  std::vector<int> next(static_cast<std::size_t>(bytes) / 4, 0);
  for (std::int64_t i = 0; i < lines; ++i)
    next[static_cast<std::size_t>(i * line)] = static_cast<int>((i + stride) % lines * line);
  copy_to_device(memory.view<int>(0).data, next.data(), next.size() * sizeof(int));
}

inline void probe_latency(Stream stream, const Effort& effort, std::vector<Timing>& all) {
  const DeviceMemory end(4);
  for (const std::int64_t bytes :
       {std::int64_t{16} << 10, effort.l2_bytes / 8, effort.stream_bytes}) {
    const DeviceMemory memory(bytes);
    fill_chase(memory, bytes);
    Timing chase = timed(stream, "pointer_chase_" + std::to_string(bytes), effort, 1, [&] {
      return pointer_chase(stream, memory.view<int>(bytes / 4), effort.chase_steps,
                           end.view<int>(1));
    });
    chase.bytes = 4.0;
    for (double& seconds : chase.seconds) seconds /= effort.chase_steps;
    all.push_back(std::move(chase));
  }
}

inline void probe_launches(Stream stream, const Effort& effort, std::vector<Timing>& all) {
  constexpr int queued = 100;
  all.push_back(timed(stream, "empty_queued", effort, queued, [&] { return empty(stream); }));
  Timing waited{"empty_waited", 0, 0, {}};
  for (int i = 0; i < effort.samples; ++i) {
    waited.seconds.push_back(seconds_of([&] {
      empty(stream);
      wait_for(stream);
    }));
  }
  all.push_back(std::move(waited));
  Graph graph(stream, [&] {
    for (int i = 0; i < queued; ++i) empty(stream);
  });
  Timing captured = timed(stream, "empty_in_graph", effort, 1, [&] {
    graph.start(stream);
    return Claim{};
  });
  for (double& seconds : captured.seconds) seconds /= queued;
  all.push_back(std::move(captured));
}

inline void probe_copies(const Effort& effort, std::vector<Timing>& all) {
  for (const std::int64_t bytes :
       {std::int64_t{4} << 10, std::int64_t{1} << 20, effort.stream_bytes / 8}) {
    const DeviceMemory memory(bytes);
    PinnedMemory pinned(bytes);
    std::vector<std::uint8_t> pageable(static_cast<std::size_t>(bytes));
    void* const device = memory.view<float>(0).data;
    const auto time = [&](const std::string& name, const std::function<void()>& copy) {
      Timing timing{name + "_" + std::to_string(bytes), static_cast<double>(bytes), 0, {}};
      for (int i = 0; i < effort.warm_up; ++i) copy();
      for (int i = 0; i < effort.samples; ++i) timing.seconds.push_back(seconds_of(copy));
      all.push_back(std::move(timing));
    };
    const auto size = static_cast<std::size_t>(bytes);
    time("to_device_pinned", [&] { copy_to_device(device, pinned.data(), size); });
    time("to_device_pageable", [&] { copy_to_device(device, pageable.data(), size); });
    time("to_host_pinned", [&] { copy_to_host(pinned.data(), device, size); });
    time("to_host_pageable", [&] { copy_to_host(pageable.data(), device, size); });
  }
}

inline std::vector<Timing> probe_with(const Effort& effort) {
  const OwnStream stream;
  std::vector<Timing> all;
  probe_streams(stream.get(), effort, all);
  probe_latency(stream.get(), effort, all);
  probe_launches(stream.get(), effort, all);
  probe_copies(effort, all);
  return all;
}

inline std::vector<Timing> time_layers_with(const Program& program, const Chooser& choose,
                                            const Effort& effort) {
  const OwnStream stream;
  const GpuChain chain(stream.get(), program, choose);
  std::vector<Timing> all;
  for (const Kernel& kernel : chain.kernels())
    all.push_back({program.steps[kernel.step].name, 0, 0, {}});
  std::vector<Mark> marks(all.size() + 1);
  for (int pass = 0; pass < effort.warm_up + effort.samples; ++pass) {
    wait_for(stream.get());
    marks[0].set(stream.get());
    for (std::size_t i = 0; i < all.size(); ++i) {
      chain.kernels()[i].run();
      marks[i + 1].set(stream.get());
    }
    if (pass < effort.warm_up) continue;
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].seconds.push_back(marks[i + 1].seconds_since(marks[i]));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Claim& claim = chain.claim(i);
    all[i].bytes = static_cast<double>(claim.read + claim.written);
    all[i].flops = static_cast<double>(claim.flops);
  }
  return all;
}

inline Timing time_step_with(const Program& program, const Chooser& choose, LaunchStyle style,
                             const Effort& effort) {
  const OwnStream stream;
  const GpuChain chain(stream.get(), program, choose);
  chain.run();  // outside of a graph first: a first launch may load code
  wait_for(stream.get());
  std::function<void()> step = [&] { chain.run(); };
  std::unique_ptr<Graph> graph;
  if (style == LaunchStyle::graph) {
    graph = std::make_unique<Graph>(stream.get(), step);
    step = [&] { graph->start(stream.get()); };
  }
  if (style == LaunchStyle::synchronised) {
    step = [&] {
      chain.run();
      wait_for(stream.get());
    };
  }
  Timing timing{std::string(launch_style_names[static_cast<std::size_t>(style)]), 0, 0, {}};
  for (int i = 0; i < effort.warm_up; ++i) step();
  for (int i = 0; i < effort.samples; ++i) {
    wait_for(stream.get());
    const double seconds = seconds_of([&] {
      for (int turn = 0; turn < effort.steps_per_sample; ++turn) step();
      wait_for(stream.get());
    });
    timing.seconds.push_back(seconds / effort.steps_per_sample);
  }
  return timing;
}

}  // namespace tantalus::kernels

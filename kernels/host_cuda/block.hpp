// One thread block of an emulated launch: its threads, each on a fiber, the barriers and shuffles that they wait at, and its
// shared memory. Made once for a launch and run for each block of the grid; the emulator (emulator.hpp) owns the launch.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/gpu/launch_shape.hpp"
#include "kernels/host_cuda/fiber.hpp"
#include "kernels/host_cuda/shared_memory.hpp"
#include "kernels/host_cuda/traffic.hpp"
#include "kernels/host_cuda/warp_exchange.hpp"

namespace tantalus::emulate {

enum class Order : std::uint8_t { ascending, descending };

/// Where the running thread is; what threadIdx and its kin are read from.
struct Position {
  kernels::Dim3 thread, block, block_size, grid_size;
};
extern constinit thread_local Position position;

class Block {
 public:
  /// `recorder` may be null. All four must outlive the block.
  Block(const std::string& kernel, const kernels::LaunchShape& shape,
        const std::function<void()>& body, TrafficRecorder* recorder);

  /// Runs `body` in every thread of block `index`. Throws Fault.
  void run(kernels::Dim3 index, Order order);

  // ---- for the thread that runs
  void barrier(int line) { wait(Waiting::barrier, line); }
  std::uint64_t exchange(unsigned mask, std::uint64_t bits, int source, int line);
  void* shared_array(const char* name, int line, std::size_t bytes);
  void record(AccessKind kind, int line, const char* buffer, const void* address, unsigned bytes,
              bool active);
  int lane() const { return current_->lane; }
  /// Kernel, block and thread, for a message.
  std::string who() const;

  std::int64_t shared_bytes() const { return static_cast<std::int64_t>(shared_.bytes()); }

 private:
  enum class Waiting : std::uint8_t { no, barrier, lanes, done };

  struct Thread {
    kernels::Dim3 index;
    Waiting waiting = Waiting::no;
    int line = 0;  // where it waits
    int warp = 0, lane = 0;
    Fiber* fiber = nullptr;
  };

  struct Census {
    std::size_t at_barrier = 0, at_lanes = 0, done = 0;
    const Thread* example = nullptr;  // one that waits, in a shuffle if any does
  };

  static void run_threads(void* argument);
  void reset();
  bool somebody_can_run();
  Census census() const;
  void check_barrier(const Census& found) const;
  void open_barrier();
  void step(Thread& thread);
  void wait(Waiting what, int line);
  Fiber* take_fiber();
  unsigned lanes_of(int warp) const;
  void release_lanes(int warp, unsigned mask);

  const std::string& kernel_;
  const kernels::LaunchShape& shape_;
  const std::function<void()>& body_;
  TrafficRecorder* recorder_;
  std::vector<Thread> threads_;
  std::vector<WarpExchange> warps_;
  SharedMemory shared_;
  Thread* current_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;
  std::exception_ptr fault_;
};

}  // namespace tantalus::emulate

#include "kernels/host_cuda/emulator.hpp"

namespace tantalus::emulate {

namespace {

using kernels::Dim3;
using kernels::LaunchShape;

constexpr std::int64_t most_threads = 1024;
constexpr unsigned most_deep = 64;
constexpr unsigned most_blocks_x = 2147483647;
constexpr unsigned most_blocks_yz = 65535;

struct Settings {
  Order order = Order::ascending;
  TrafficRecorder* recorder = nullptr;
  Block* running = nullptr;
};
thread_local Settings settings;

void check_shape(const std::string& kernel, const LaunchShape& shape) {
  const std::int64_t threads = shape.block.count();
  if (threads < 1 || threads > most_threads) {
    throw Fault(kernel + ": " + std::to_string(threads) +
                " threads in a block, allowed are 1 to 1024");
  }
  if (shape.block.z > most_deep) throw Fault(kernel + ": a block is at most 64 threads deep");
  if (shape.grid.count() < 1) throw Fault(kernel + ": the grid is empty");
  if (shape.grid.x > most_blocks_x || shape.grid.y > most_blocks_yz ||
      shape.grid.z > most_blocks_yz) {
    throw Fault(kernel + ": the grid is larger than 2147483647 x 65535 x 65535");
  }
}

Dim3 place_in(Dim3 size, std::int64_t linear) {
  const std::int64_t plane = static_cast<std::int64_t>(size.x) * size.y;
  return {static_cast<unsigned>(linear % size.x), static_cast<unsigned>(linear % plane / size.x),
          static_cast<unsigned>(linear / plane)};
}

/// Puts back what ran before, whatever happens.
class Running {
 public:
  explicit Running(Block& block) : before_(settings.running) { settings.running = &block; }
  ~Running() { settings.running = before_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Block* before_;
};

}  // namespace

void set_order(Order order) { settings.order = order; }
void record_into(TrafficRecorder* recorder) { settings.recorder = recorder; }

void run_grid(const std::string& kernel, const LaunchShape& shape,
              const std::function<void()>& body) {
  check_shape(kernel, shape);
  Block block(kernel, shape, body, settings.recorder);
  const Running running(block);
  if (settings.recorder != nullptr) settings.recorder->begin_launch(kernel, shape);
  const std::int64_t blocks = shape.grid.count();
  for (std::int64_t i = 0; i < blocks; ++i) {
    const bool up = settings.order == Order::ascending;
    block.run(place_in(shape.grid, up ? i : blocks - 1 - i), settings.order);
  }
  if (settings.recorder != nullptr) settings.recorder->end_launch(block.shared_bytes());
}

void barrier(int line) { settings.running->barrier(line); }

std::uint64_t exchange(unsigned mask, std::uint64_t bits, int source, int line) {
  return settings.running->exchange(mask, bits, source, line);
}

int lane_of_thread() { return settings.running->lane(); }

void* shared_array(const char* name, int line, std::size_t bytes) {
  return settings.running->shared_array(name, line, bytes);
}

void fail_bounds(const char* what, const char* buffer, std::int64_t index, std::int64_t size,
                 int line) {
  throw Fault(settings.running->who() + ": " + what + " " + buffer + "[" + std::to_string(index) +
              "] of " + std::to_string(size) + " (line " + std::to_string(line) + ")");
}

bool is_recording() { return settings.recorder != nullptr; }

void record(AccessKind kind, int line, const char* buffer, const void* address, unsigned bytes,
            bool active) {
  settings.running->record(kind, line, buffer, address, bytes, active);
}

}  // namespace tantalus::emulate

// A fiber: a function with a stack of its own that can stop in the middle and go on later, on the same thread of the host. The
// emulator gives one to each CUDA thread that waits at a barrier. No scheduling happens here, and the sanitizers are told of
// every switch. A fiber whose work is abandoned is never unwound: what runs on it must not own anything.
#pragma once

#include <cstddef>
#include <memory>

namespace tantalus::emulate {

class Fiber {
 public:
  using Entry = void (*)(void* argument);

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Forgets whatever the fiber was doing; the next resume() calls `entry(argument)`. `entry` must not throw and must end in
  /// a suspend() that nobody resumes.
  void prepare(Entry entry, void* argument);

  /// Runs the fiber until it suspends. Called from outside any fiber.
  void resume();

  /// Back to the one that resumed. Called from inside the fiber.
  void suspend();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tantalus::emulate

// A program made ready to run by one library: buffers allocated and filled, kernels chosen, one call each. What is measured is
// exactly `Kernel::run`; everything else happened when the chain was built. A library may put kernels of its own between the
// steps (changes of layout); they say so.
//
// Making a chain throws std::runtime_error with the library's words when it refuses a step, std::bad_alloc without memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/program.hpp"

namespace tantalus::kernels {

struct Kernel {
  std::size_t step = 0;        // the step of the program that needs it
  bool reorder = false;        // a change of layout in front of that step
  std::string implementation;  // as the library names its choice: "jit:avx512_core", "sgemm"
  double flops = 0, bytes = 0;
  std::function<void()> run;
};

class Chain {
 public:
  virtual ~Chain() = default;
  std::span<const Kernel> kernels() const { return kernels_; }
  /// A tensor's values in the order of the program's comment, whatever the library's layout; and setting them.
  virtual std::vector<float> values(int tensor) const = 0;
  virtual void set_values(int tensor, std::span<const float> values) = 0;

 protected:
  std::vector<Kernel> kernels_;
};

/// Numbers in [-1, 1] / sqrt(scale), equal on every machine.
std::vector<float> test_values(std::size_t count, std::uint64_t seed, double scale = 1.0);
/// What a tensor holds before the first pass: weights so small that values neither grow nor vanish from layer to layer.
std::vector<float> first_values(const Program& program, int tensor, std::size_t count);
/// False for masks and indices, which are no floats.
bool holds_numbers(const Program& program, int tensor);

}  // namespace tantalus::kernels

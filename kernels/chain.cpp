#include "kernels/chain.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus::kernels {

namespace {

// Inputs that each output of the layer sums over; 1 for tensors that are no weights.
double fan_in_of(const Program& program, int tensor) {
  for (const Step& step : program.steps) {
    if (step.at.w != tensor) continue;
    if (const auto* conv = std::get_if<ConvSize>(&step.size)) {
      const auto channels = conv->in_ch / conv->groups;
      return static_cast<double>(channels * conv->kernel_h * conv->kernel_w);
    }
    if (const auto* linear = std::get_if<LinearSize>(&step.size)) {
      return static_cast<double>(linear->in);
    }
  }
  return 1.0;
}

}  // namespace

std::vector<float> test_values(std::size_t count, std::uint64_t seed, double scale) {
  std::vector<float> values(count);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  const double most = 1.0 / std::sqrt(scale);
  for (float& value : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double unit = static_cast<double>(state >> 11U) / 9007199254740992.0;  // 2^53
    value = static_cast<float>((2.0 * unit - 1.0) * most);
  }
  return values;
}

std::vector<float> first_values(const Program& program, int tensor, std::size_t count) {
  const auto seed = static_cast<std::uint64_t>(tensor) + 1;
  // A third of the variance of a uniform number is lost; the factor keeps the sum's near one.
  return test_values(count, seed, fan_in_of(program, tensor) / 3.0);
}

bool holds_numbers(const Program& program, int tensor) {
  return std::none_of(program.steps.begin(), program.steps.end(), [&](const Step& step) {
    return step.at.saved == tensor && !std::holds_alternative<LrnSize>(step.size);
  });
}

}  // namespace tantalus::kernels

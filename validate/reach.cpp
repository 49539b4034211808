#include "validate/reach.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "validate/clock.hpp"
#include "validate/samples.hpp"

namespace tantalus::validation {

namespace {

constexpr double middle = 1.18;  // reaches that passed when half is gone
constexpr double half_octave = 1.4142135623730951;
constexpr double still_inside = 0.7, surely_outside = 2.0;  // of the reach, as the model has it
constexpr double return_cost = 0.15;                        // of a fill, as the model has it
constexpr double buffer_share = 0.2;  // of the reach, left alone while the core computes

// Seconds a byte of a pass over so many bytes that the pass before touched.
double again(kernels::Isa isa, float* memory, double bytes) {
  const auto n = static_cast<std::int64_t>(bytes / 4) / 64 * 64;
  const auto pass = [&] {
    kernels::run_stream(kernels::Stream::read, isa, memory, nullptr, nullptr, n);
  };
  pass();
  std::vector<double> seconds(5);
  for (double& one : seconds) {
    const double start = cpu_seconds();
    pass();
    one = cpu_seconds() - start;
  }
  return quantile(std::move(seconds), 0.25) / static_cast<double>(4 * n);
}

// Half of the size lost between the cache's rate and memory's, in reaches of the model.
double reach_of(kernels::Isa isa, float* memory, double bytes, double first, double near,
                double span) {
  double before = 0;
  for (double size = first * half_octave; size <= bytes; size *= half_octave) {
    const double gone = (again(isa, memory, size) - near) / span;
    if (gone >= 0.5) return size * std::pow(half_octave, (0.5 - gone) / (gone - before)) / middle;
    before = std::max(0.0, gone);
  }
  return bytes / middle;
}

// How far away a buffer is after `wait` seconds of work in registers, from the share of it that is gone.
double passed_by(kernels::Isa isa, float* memory, double reach, double wait, double near,
                 double span) {
  const auto n = static_cast<std::int64_t>(buffer_share * reach / 4) / 64 * 64;
  const auto pass = [&] {
    kernels::run_stream(kernels::Stream::read, isa, memory, nullptr, nullptr, n);
  };
  std::vector<double> seconds(5);
  for (double& one : seconds) {
    pass();
    for (const double end = cpu_seconds() + wait; cpu_seconds() < end;) kernels::run_fma(isa, 500);
    const double start = cpu_seconds();
    pass();
    one = cpu_seconds() - start;
  }
  const double size = static_cast<double>(4 * n);
  const double gone = (median(std::move(seconds)) / size - near) / span;
  if (gone <= 0.05) return 0.0;
  const double away =
      still_inside * reach * std::pow(surely_outside / still_inside, std::min(gone, 1.0));
  return std::max(0.0, away - size);
}

double neighbours_of(kernels::Isa isa, float* memory, double reach, double near, double span) {
  double rate = 0;
  for (const double wait : {1e-3, 4e-3}) {
    const double passed = passed_by(isa, memory, reach, wait, near, span);
    rate = passed / wait;
    if (passed > buffer_share * reach) return rate;
  }
  return rate;
}

// Bytes a second that come, one array of the stream going back.
double filled(kernels::Isa isa, kernels::Stream stream, float* memory, std::size_t bytes,
              double fills) {
  const auto n = static_cast<std::int64_t>(bytes / 4) / kernels::arrays_of(stream) / 64 * 64;
  const double returns = stream == kernels::Stream::read ? 0.0 : 1.0;
  std::vector<double> seconds(3);
  for (double& one : seconds) {
    const double start = cpu_seconds();
    kernels::run_stream(stream, isa, memory, memory + n, memory + 2 * n, n);
    one = cpu_seconds() - start;
  }
  return (fills + return_cost * returns) * static_cast<double>(4 * n) / median(std::move(seconds));
}

}  // namespace

double memory_rate(kernels::Isa isa, float* memory, std::size_t bytes) {
  using kernels::Stream;
  return median(
      {filled(isa, Stream::read, memory, bytes, 1), filled(isa, Stream::in_place, memory, bytes, 1),
       filled(isa, Stream::scale, memory, bytes, 2), filled(isa, Stream::triad, memory, bytes, 3)});
}

std::size_t first_of_last_cache(const kernels::Topology& topology) {
  std::int64_t second = 0;
  bool third = false;
  for (const kernels::CacheSize& cache : topology.caches) {
    if (cache.level == 2) second = cache.bytes;
    third |= cache.level == 3;
  }
  return third ? static_cast<std::size_t>(3 * second) : 0;
}

CacheReach cache_reach(kernels::Isa isa, float* memory, std::size_t bytes, std::size_t first,
                       double far) {
  const double near = again(isa, memory, static_cast<double>(first));
  const double span = std::max(1e-12, 1.0 / far - near);
  CacheReach found{0, 1.0 / near, 0};
  found.bytes =
      reach_of(isa, memory, static_cast<double>(bytes), static_cast<double>(first), near, span);
  found.neighbours = neighbours_of(isa, memory, found.bytes, near, span);
  return found;
}

}  // namespace tantalus::validation

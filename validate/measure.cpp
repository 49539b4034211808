#include "validate/measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "validate/clock.hpp"

namespace tantalus::validation {

namespace {

constexpr double probe_seconds = 20e-6;
/// Kernels above this get a probe of their own on either side; a probe after each short one would be most of the pass.
constexpr double long_kernel = 500e-6;
constexpr int warm_up_passes = 1;

// Library kernels keep vectors on the stack: where those straddle lines of the cache, one pass takes up to four times as long, and
// where the stack begins is drawn for each process. Everything that is timed starts at the same place of a page.
[[gnu::noinline]] void run_at_fixed_stack(const std::function<void()>& work) {
  alignas(4096) std::array<char, 64> place{};
  asm volatile("" : : "r"(place.data()) : "memory");
  work();
  asm volatile("" : : "r"(place.data()) : "memory");
}

// Waits on the processor, so that thread CPU time grows as if the kernel had run longer.
void spin_until(double end) {
  while (cpu_seconds() < end) {
  }
}

void run_slowly(const std::function<void()>& work, double slowness) {
  if (slowness <= 1.0) return run_at_fixed_stack(work);
  const double start = cpu_seconds();
  run_at_fixed_stack(work);
  const double end = cpu_seconds();
  spin_until(end + (slowness - 1.0) * (end - start));
}

double interval_since(double start) { return std::max(1e-9, cpu_seconds() - start - clock_cost()); }

std::size_t calls_for(double seconds) {
  return static_cast<std::size_t>(std::clamp(least_interval / seconds, 1.0, 1e5));
}

class ChainRun {
 public:
  ChainRun(const kernels::Chain& chain, RateProbe& probe, const StopRule& rule, double slowness)
      : kernels_(chain.kernels()), probe_(probe), rule_(rule), slowness_(slowness) {
    samples_.resize(kernels_.size());
    is_long_.resize(kernels_.size());
  }

  ChainTiming run() {
    for (int i = 0; i < warm_up_passes; ++i) clocked_pass();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      is_long_[i] = !samples_[i].empty() && samples_[i].back().seconds > long_kernel;
      samples_[i].clear();
    }
    const double start = wall_seconds();
    do {
      clocked_pass();
      whole_pass();
    } while (!is_enough(passes_, probe_.sustained(), rule_, wall_seconds() - start));
    return result();
  }

 private:
  void clocked_pass() {
    double before = probe_.sample();
    std::size_t first_open = 0;  // samples since the last probe; their later probe is still to come
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (is_long_[i] && first_open < i) before = close(first_open, i), first_open = i;
      const double start = cpu_seconds();
      run_slowly(kernels_[i].run, slowness_);
      samples_[i].push_back({interval_since(start), before});
      if (is_long_[i]) before = close(first_open, i + 1), first_open = i + 1;
    }
    close(first_open, kernels_.size());
  }

  // A probe now; samples first..end lie between it and the one before.
  double close(std::size_t first, std::size_t end) {
    const double rate = probe_.sample();
    for (std::size_t i = first; i < end; ++i) {
      Sample& sample = samples_[i].back();
      sample.probe_rate = std::min(sample.probe_rate, rate);
    }
    return rate;
  }

  void whole_pass() {
    const double before = probe_.sample();
    const double start = cpu_seconds();
    for (const kernels::Kernel& kernel : kernels_) run_slowly(kernel.run, slowness_);
    const double seconds = interval_since(start);
    passes_.push_back({seconds, std::min(before, probe_.sample())});
  }

  ChainTiming result() const {
    ChainTiming timing;
    const double rate = probe_.sustained();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      timing.kernels.push_back({&kernels_[i], timing_of(samples_[i], rate, rule_)});
    }
    timing.pass = timing_of(passes_, rate, rule_);
    return timing;
  }

  std::span<const kernels::Kernel> kernels_;
  RateProbe& probe_;
  const StopRule& rule_;
  double slowness_;
  std::vector<std::vector<Sample>> samples_;
  std::vector<bool> is_long_;
  std::vector<Sample> passes_;
};

}  // namespace

RateProbe::RateProbe() : isa_(kernels::widest_isa()) {
  constexpr std::int64_t trial = 2000;
  double least = 1.0;
  for (int i = 0; i < 20; ++i) {
    const double start = cpu_seconds();
    kernels::run_fma(isa_, trial);
    least = std::min(least, interval_since(start));
  }
  iterations_ = std::max<std::int64_t>(100, std::llround(probe_seconds / least * trial));
  for (int i = 0; i < 20; ++i) sample();
}

double RateProbe::sample() {
  const double start = cpu_seconds();
  const double flops = kernels::run_fma(isa_, iterations_);
  rates_.push_back(flops / interval_since(start));
  return rates_.back();
}

double RateProbe::sustained() const { return sustained_rate(rates_); }
double RateProbe::best() const { return *std::max_element(rates_.begin(), rates_.end()); }

double RateProbe::disturbed() const {
  const double least = throttled_below * sustained();
  const auto slow =
      std::count_if(rates_.begin(), rates_.end(), [&](double rate) { return rate < least; });
  return static_cast<double>(slow) / static_cast<double>(rates_.size());
}

Timing measure(const std::function<void()>& work, RateProbe& probe, const StopRule& rule) {
  const double first = cpu_seconds();
  run_at_fixed_stack(work);
  const std::size_t calls = calls_for(interval_since(first));
  std::vector<Sample> samples;
  const double begun = wall_seconds();
  do {
    const double before = probe.sample();
    run_at_fixed_stack(work);  // the probe's own code and the clock are out of the way again
    const double start = cpu_seconds();
    for (std::size_t i = 0; i < calls; ++i) run_at_fixed_stack(work);
    const double seconds = interval_since(start) / static_cast<double>(calls);
    samples.push_back({seconds, std::min(before, probe.sample())});
  } while (!is_enough(samples, probe.sustained(), rule, wall_seconds() - begun));
  return timing_of(samples, probe.sustained(), rule);
}

ChainTiming measure_chain(const kernels::Chain& chain, RateProbe& probe, const StopRule& rule,
                          double slowness) {
  return ChainRun(chain, probe, rule, slowness).run();
}

}  // namespace tantalus::validation

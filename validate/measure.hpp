// Measuring craft on this machine: one piece of work timed until the stop rule is content, or a whole chain of kernels, kernel by
// kernel inside its pass. Every sample lies between two probes of the multiply-add rate. Thread CPU time throughout.
#pragma once

#include <functional>
#include <vector>

#include "kernels/chain.hpp"
#include "kernels/cpu/probes.hpp"
#include "validate/samples.hpp"

namespace tantalus::validation {

/// The multiply-add rate right now, from some 20 us of work, and all rates seen so far.
class RateProbe {
 public:
  RateProbe();
  double sample();
  /// Forgets nothing: what the machine sustained over the whole run, FLOP/s.
  double sustained() const;
  double best() const;
  /// Share of the probes that were slower than `throttled_below` of the sustained rate.
  double disturbed() const;
  kernels::Isa isa() const { return isa_; }

 private:
  kernels::Isa isa_;
  std::int64_t iterations_ = 0;
  std::vector<double> rates_;
};

/// Seconds of one call of `work`; calls shorter than `least_interval` are timed several at a time. One call warms up.
Timing measure(const std::function<void()>& work, RateProbe& probe, const StopRule& rule);
inline constexpr double least_interval = 50e-6;

struct KernelTiming {
  const kernels::Kernel* kernel = nullptr;
  Timing timing;
};

struct ChainTiming {
  std::vector<KernelTiming> kernels;  // in order of the chain
  Timing pass;                        // whole passes without a clock inside
};

/// A lie for tests: every kernel of the chain takes `slowness` times as long, the probes do not. 1 tells the truth.
ChainTiming measure_chain(const kernels::Chain& chain, RateProbe& probe, const StopRule& rule,
                          double slowness = 1.0);

}  // namespace tantalus::validation

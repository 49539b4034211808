// 80 % intervals of sums of times. A share s of doubt means that the measured time lies between t / (1 + s) and t (1 + s) four
// times out of five: errors of times are ratios, and no time is below zero. How shares add up is said at `DoubtSum`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/results/results.hpp"

namespace tantalus {

struct Interval {
  Duration low, high;
};

Interval interval_of(Duration time, double share);

/// Adds up what several times are doubted by. Kernels of one family err together (a library that is 10 % slower than thought is
/// slower everywhere), as far as `together` says; families err on their own; a rate that nobody measured is wrong for all
/// kernels; the host's times are wrong in the same way for all of them. Independent parts add as squares.
class DoubtSum {
 public:
  /// The share of the variance of a kernel's error that all kernels of its family have in common; the rest is its shape's.
  /// Chosen among six values on two sets of published networks (cnn-benchmarks with cuDNN, timm on GPUs: 321 times, now covered to
  /// 76 and 87 %), so in sample there. The others were left aside and are covered less: Torch7's column matrix 35 %, PyTorch 0.3
  /// 54 %, processors 49 %, because of bias that no width of this kind describes.
  static constexpr double together = 0.6;

  void add(Duration time, const Doubt& doubt);
  void add_host(Duration time, double share);

  /// Relative to everything that was added; zero for nothing.
  double share() const;

 private:
  struct Family {
    std::string name;
    double common = 0.0, squares = 0.0;  // sums of seconds x share, and of its squares
  };

  std::vector<Family> families_;
  double seconds_ = 0.0, parameters_ = 0.0, host_ = 0.0;
};

}  // namespace tantalus

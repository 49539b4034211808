// 80 % intervals of sums of times. A share s of doubt means that the measured time lies between t / (1 + faster) and
// t (1 + slower) four times out of five: errors of times are ratios, and no time is below zero. How shares add up is said at
// `DoubtSum`.
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

/// By how much a time may be shorter and longer than predicted. The two differ: a prediction is the time of the best kernel that
/// a library owns, which is missed more often than beaten.
struct Shares {
  double faster = 0.0, slower = 0.0;
};

Interval interval_of(Duration time, Shares shares);

/// Adds up what several times are doubted by. Kernels of one family err together (a library that is 10 % slower than thought is
/// slower everywhere), as far as `together` says; families err on their own; a rate that nobody measured is wrong for all
/// kernels; the host's times are wrong in the same way for all of them. Independent parts add as squares.
///
/// A short kernel has few pieces whose errors could even out: towards longer times the variance of a kernel of length t is
/// model^2 (1 + brief / t), and what is above model^2 is the kernel's own.
class DoubtSum {
 public:
  /// The share of the variance of a kernel's error that all kernels of its family have in common; the rest is its shape's.
  /// Chosen among six values on two sets of published networks (cnn-benchmarks with cuDNN, timm on GPUs), so in sample there.
  static constexpr double together = 0.6;

  void add(Duration time, const Doubt& doubt);
  void add_host(Duration time, double share);
  /// Everything that `kernels` holds, in a time that may be shorter than their sum because they overlap.
  void add_overlapped(Duration time, const DoubtSum& kernels);

  /// Relative to everything that was added; zero for nothing.
  Shares shares() const;

 private:
  struct Side {
    double common = 0.0, squares = 0.0;  // sums of seconds x share, and of its squares
    double variance() const { return together * common * common + (1.0 - together) * squares; }
  };
  struct Family {
    std::string name;
    Side faster, slower;
    double brief = 0.0;  // sum of squares of seconds x share that short kernels add
  };

  std::vector<Family> families_;
  double seconds_ = 0.0, parameters_ = 0.0, host_ = 0.0;
  double faster_ = 0.0, slower_ = 0.0;  // squares of what overlapped kernels brought
};

}  // namespace tantalus

#include "sim/report/interval.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus {

// Reports are read, not simulated further: a share of a duration may go through double.
Interval interval_of(Duration time, Shares shares) {
  const auto t = static_cast<double>(time.count());
  return {Duration{std::llround(t / (1.0 + shares.faster))},
          Duration{std::llround(t * (1.0 + shares.slower))}};
}

void DoubtSum::add(Duration time, const Doubt& doubt) {
  const auto known = std::find_if(families_.begin(), families_.end(), [&](const Family& family) {
    return family.name == doubt.family;
  });
  Family& family =
      known != families_.end() ? *known : families_.emplace_back(Family{doubt.family, {}, {}, 0.0});
  const double half = seconds(time) * doubt.model;
  const double less = half * doubt.faster;
  family.slower.common += half;
  family.slower.squares += half * half;
  family.faster.common += less;
  family.faster.squares += less * less;
  family.brief += half * doubt.model * seconds(doubt.brief);  // half^2 x brief / time
  parameters_ += seconds(time) * doubt.parameters;
  seconds_ += seconds(time);
}

void DoubtSum::add_host(Duration time, double share) {
  host_ += seconds(time) * share;
  seconds_ += seconds(time);
}

void DoubtSum::add_overlapped(Duration time, const DoubtSum& kernels) {
  const Shares shares = kernels.shares();
  const double faster = seconds(time) * shares.faster, slower = seconds(time) * shares.slower;
  faster_ += faster * faster;
  slower_ += slower * slower;
  seconds_ += seconds(time);
}

Shares DoubtSum::shares() const {
  if (seconds_ <= 0.0) return {};
  const double both = parameters_ * parameters_ + host_ * host_;
  double faster = faster_ + both, slower = slower_ + both;
  for (const Family& family : families_) {
    faster += family.faster.variance();
    slower += family.slower.variance() + family.brief;
  }
  return {std::sqrt(faster) / seconds_, std::sqrt(slower) / seconds_};
}

}  // namespace tantalus

#include "sim/report/interval.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus {

// Reports are read, not simulated further: a share of a duration may go through double.
Interval interval_of(Duration time, double share) {
  const auto t = static_cast<double>(time.count());
  return {Duration{std::llround(t / (1.0 + share))}, Duration{std::llround(t * (1.0 + share))}};
}

void DoubtSum::add(Duration time, const Doubt& doubt) {
  const auto known = std::find_if(families_.begin(), families_.end(), [&](const Family& family) {
    return family.name == doubt.family;
  });
  Family& family = known != families_.end() ? *known : families_.emplace_back(Family{doubt.family});
  const double half = seconds(time) * doubt.model;
  family.common += half;
  family.squares += half * half;
  parameters_ += seconds(time) * doubt.parameters;
  seconds_ += seconds(time);
}

void DoubtSum::add_host(Duration time, double share) {
  host_ += seconds(time) * share;
  seconds_ += seconds(time);
}

double DoubtSum::share() const {
  if (seconds_ <= 0.0) return 0.0;
  double squares = parameters_ * parameters_ + host_ * host_;
  for (const Family& family : families_) {
    squares += together * family.common * family.common + (1.0 - together) * family.squares;
  }
  return std::sqrt(squares) / seconds_;
}

}  // namespace tantalus

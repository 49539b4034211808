#include "sim/engine/fair_share.hpp"

#include <algorithm>

namespace tantalus {

namespace {

constexpr std::uint64_t as_unsigned(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

constexpr UInt128 product(std::uint64_t a, std::uint64_t b) { return UInt128{a} * b; }

// How much a whole class pulls at a link while all shares rise together.
std::uint64_t pull_of(const ShareClass& one, const Crossing& crossing) {
  std::int64_t flows_weight = 0;
  std::int64_t pull = 0;
  const bool too_large = __builtin_mul_overflow(one.flows, one.weight, &flows_weight) ||
                         __builtin_mul_overflow(flows_weight, crossing.demand, &pull);
  TANTALUS_CHECK(!too_large, "flows x weight x demand on a link are too large");
  return as_unsigned(pull);
}

// Whole units, rounded up, of a sum kept in units x 2^-20.
std::uint64_t whole_units(UInt128 taken) {
  return static_cast<std::uint64_t>((taken + (as_unsigned(Crossing::one) - 1)) >>
                                    Crossing::fraction_bits);
}

// The share of a flow of this weight when the link that limits it is full: weight x left / pull, rounded down.
Rate share_of(std::int64_t weight, std::uint64_t left, std::uint64_t pull) {
  const UInt128 share = (product(left, as_unsigned(weight)) << Crossing::fraction_bits) / pull;
  // A flow that needs next to nothing of every link it crosses is held at the largest rate there is.
  const auto largest = static_cast<UInt128>(Rate::unlimited().units - 1);
  return {static_cast<std::int64_t>(std::min(share, largest))};
}

bool crosses(const ShareClass& one, std::size_t link) {
  for (const Crossing& crossing : one.crossings()) {
    if (crossing.link == link) return true;
  }
  return false;
}

}  // namespace

void FairShare::divide(std::span<const Rate> capacities, std::span<const ShareClass> classes,
                       std::span<const std::uint32_t> active, std::span<Rate> rates,
                       std::span<Rate> used) {
  begin(capacities, classes, active);
  while (!rising_.empty()) {
    const Fill* tight = tightest();
    // Capped flows first: whoever is at its cap before the link is full leaves the others more.
    if (!settle_capped(tight, classes, rates)) settle_crossing(tight, classes, rates);
  }
  for (std::size_t l = 0; l < links_.size(); ++l) {
    used[l] = {static_cast<std::int64_t>(whole_units(links_[l].taken))};
  }
}

void FairShare::begin(std::span<const Rate> capacities, std::span<const ShareClass> classes,
                      std::span<const std::uint32_t> active) {
  links_.resize(capacities.size());
  for (std::size_t l = 0; l < links_.size(); ++l) {
    links_[l] = {as_unsigned(capacities[l].units), 0, 0, 0};
  }
  rising_.assign(active.begin(), active.end());
  for (const std::uint32_t id : rising_) {
    const ShareClass& one = classes[id];
    TANTALUS_CHECK(one.flows > 0 && one.weight > 0 && one.weight <= largest_weight,
                   "an active class has flows and a weight");
    for (const Crossing& crossing : one.crossings()) {
      Fill& link = links_[crossing.link];
      link.pull += pull_of(one, crossing);
      TANTALUS_CHECK(link.pull <= INT64_MAX, "flows x weight x demand on a link are too large");
    }
  }
}

// The link that is full first: the least left / pull, compared without dividing. Ties go to the earlier link; which of
// them comes first changes no share.
const FairShare::Fill* FairShare::tightest() {
  const Fill* best = nullptr;
  for (Fill& link : links_) {
    if (link.pull == 0) continue;
    link.left = link.capacity - whole_units(link.taken);
    if (best == nullptr || product(link.left, best->pull) < product(best->left, link.pull)) {
      best = &link;
    }
  }
  return best;
}

// Every class whose cap is no more than its share at the tightest link ends at its cap: shares only rise from here on.
bool FairShare::settle_capped(const Fill* tight, std::span<const ShareClass> classes,
                              std::span<Rate> rates) {
  std::size_t kept = 0;
  const std::size_t before = rising_.size();
  const UInt128 left = tight == nullptr ? 0 : UInt128{tight->left} << Crossing::fraction_bits;
  const std::uint64_t pull = tight == nullptr ? 0 : tight->pull;
  for (const std::uint32_t id : rising_) {
    const ShareClass& one = classes[id];
    const bool capped = one.cap != Rate::unlimited() &&
                        product(as_unsigned(one.cap.units), pull) <= left * as_unsigned(one.weight);
    TANTALUS_CHECK(capped || tight != nullptr, "a flow without links has a cap");
    if (capped) {
      rates[id] = one.cap;
    } else {
      rising_[kept++] = id;
    }
    if (capped) settle(one, one.cap);
  }
  rising_.resize(kept);
  return kept < before;
}

void FairShare::settle_crossing(const Fill* tight, std::span<const ShareClass> classes,
                                std::span<Rate> rates) {
  const auto link = static_cast<std::size_t>(tight - links_.data());
  const std::uint64_t left = tight->left;
  const std::uint64_t pull = tight->pull;
  std::size_t kept = 0;
  std::int64_t weight = 0;
  Rate share;
  for (const std::uint32_t id : rising_) {
    const ShareClass& one = classes[id];
    if (!crosses(one, link)) {
      rising_[kept++] = id;
      continue;
    }
    if (one.weight != weight) {
      weight = one.weight;
      share = share_of(weight, left, pull);
    }
    rates[id] = share;
    settle(one, share);
  }
  rising_.resize(kept);
}

void FairShare::settle(const ShareClass& one, Rate rate) {
  const std::uint64_t together = as_unsigned(one.flows) * as_unsigned(one.weight);
  for (const Crossing& crossing : one.crossings()) {
    Fill& link = links_[crossing.link];
    const std::uint64_t demand = as_unsigned(crossing.demand);
    link.pull -= together * demand;
    link.taken += product(as_unsigned(one.flows) * demand, as_unsigned(rate.units));
  }
}

std::vector<Rate> fair_share(std::span<const Rate> capacities,
                             std::span<const ShareClass> classes) {
  std::vector<std::uint32_t> active;
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    if (classes[i].flows > 0) active.push_back(i);
  }
  std::vector<Rate> rates(classes.size());
  std::vector<Rate> used(capacities.size());
  FairShare().divide(capacities, classes, active, rates, used);
  return rates;
}

}  // namespace tantalus

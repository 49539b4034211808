#include "sim/engine/fair_share.hpp"

#include <algorithm>

namespace tantalus {

namespace {

constexpr std::uint64_t as_unsigned(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

constexpr UInt128 product(std::uint64_t a, std::uint64_t b) { return UInt128{a} * b; }

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

void FairShare::divide(std::span<const Rate> capacities, std::span<const std::uint64_t> pulls,
                       std::span<const ShareClass> classes, std::span<const std::uint32_t> active,
                       std::span<Rate> rates) {
  links_.resize(capacities.size());
  for (std::size_t l = 0; l < links_.size(); ++l) {
    TANTALUS_CHECK(pulls[l] <= INT64_MAX, "flows x weight x demand on a link are too large");
    links_[l] = {as_unsigned(capacities[l].units), 0, pulls[l], 0};
  }
  rising_.assign(active.begin(), active.end());
  caps_left_ = std::any_of(active.begin(), active.end(),
                           [&](std::uint32_t id) { return classes[id].cap != Rate::unlimited(); });
  while (!rising_.empty()) {
    const Fill* tight = tightest();
    // Capped flows first: whoever is at its cap before the link is full leaves the others more.
    if (!settle_capped(tight, classes, rates)) settle_crossing(tight, classes, rates);
    if (!rising_.empty()) settle(classes, rates);
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
  const UInt128 left = tight == nullptr ? 0 : UInt128{tight->left} << Crossing::fraction_bits;
  const std::uint64_t pull = tight == nullptr ? 0 : tight->pull;
  std::size_t kept = 0;
  settled_.clear();
  if (!caps_left_ && tight != nullptr) return false;
  for (const std::uint32_t id : rising_) {
    const ShareClass& one = classes[id];
    const bool capped = one.cap != Rate::unlimited() &&
                        product(as_unsigned(one.cap.units), pull) <= left * as_unsigned(one.weight);
    if (!capped) {
      rising_[kept++] = id;
      continue;
    }
    rates[id] = one.cap;
    settled_.push_back(id);
  }
  rising_.resize(kept);
  TANTALUS_CHECK(tight != nullptr || kept == 0, "a flow without links has a cap");
  return !settled_.empty();
}

void FairShare::settle_crossing(const Fill* tight, std::span<const ShareClass> classes,
                                std::span<Rate> rates) {
  const auto link = static_cast<std::size_t>(tight - links_.data());
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
      share = share_of(weight, tight->left, tight->pull);
    }
    rates[id] = share;
    settled_.push_back(id);
  }
  rising_.resize(kept);
}

// What the settled classes take is no longer there for those whose shares still rise.
void FairShare::settle(std::span<const ShareClass> classes, std::span<const Rate> rates) {
  for (const std::uint32_t id : settled_) {
    const ShareClass& one = classes[id];
    const std::uint64_t flows = as_unsigned(one.flows);
    for (const Crossing& crossing : one.crossings()) {
      Fill& link = links_[crossing.link];
      const std::uint64_t needed = flows * as_unsigned(crossing.demand);
      link.pull -= needed * as_unsigned(one.weight);
      link.taken += product(needed, as_unsigned(rates[id].units));
    }
  }
}

std::vector<Rate> fair_share(std::span<const Rate> capacities,
                             std::span<const ShareClass> classes) {
  std::vector<std::uint32_t> active;
  std::vector<std::uint64_t> pulls(capacities.size(), 0);
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    if (classes[i].flows == 0) continue;
    active.push_back(i);
    for (const Crossing& crossing : classes[i].crossings()) {
      const bool too_large = __builtin_add_overflow(pulls[crossing.link],
                                                    pull_at(classes[i], crossing, classes[i].flows),
                                                    &pulls[crossing.link]);
      TANTALUS_CHECK(!too_large, "flows x weight x demand on a link are too large");
    }
  }
  std::vector<Rate> rates(classes.size());
  FairShare().divide(capacities, pulls, classes, active, rates);
  return rates;
}

}  // namespace tantalus

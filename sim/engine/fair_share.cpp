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

struct Tightest {  // the link that is full first
  std::uint64_t left = 1;
  std::uint64_t pull = 0;  // none: no rising class crosses any link
  std::size_t link = 0;
};

/// One division. Everything is small and called from one place, so that a compiler makes one function of it.
class Division {
 public:
  Division(const ShareProblem& problem, std::span<Rate> rates, std::span<LinkFill> fills,
           ClassSet& rising, ClassSet& settled)
      : problem_(problem), rates_(rates), fills_(fills), rising_(rising), settled_(settled) {
    rising_.assign_common(problem.active, problem.active);
  }

  void run() {
    for (std::size_t l = 0; l < problem_.links.size(); ++l) {
      fills_[l] = {as_unsigned(problem_.links[l].capacity.units), problem_.links[l].pull, 0};
    }
    while (!rising_.empty()) {
      const Tightest tight = tightest();
      // Capped flows first: whoever is at its cap before the link is full leaves the others more.
      if (!settle_capped(tight)) settle_crossing(tight);
      if (!rising_.empty()) take_from_links();
    }
  }

 private:
  // The least left / pull, compared without dividing. Ties go to the earlier link; which of them comes first changes no
  // share. A link without pull never wins, not even over the Tightest that stands for none.
  Tightest tightest() const {
    Tightest best;
    for (std::size_t l = 0; l < fills_.size(); ++l) {
      const LinkFill& link = fills_[l];
      const bool tighter = product(link.left, best.pull) < product(best.left, link.pull);
      if (tighter) best = {link.left, link.pull, l};
    }
    return best;
  }

  // Every class whose cap is no more than its share at the tightest link ends at its cap: shares only rise from here on.
  // False when there is none. Without any link left to fill, every class ends so.
  bool settle_capped(const Tightest& tight) {
    settled_.assign_common(rising_, problem_.capped);
    if (tight.pull != 0 && settled_.empty()) return false;
    const UInt128 left = tight.pull == 0 ? 0 : UInt128{tight.left} << Crossing::fraction_bits;
    settled_.each([&](std::uint32_t id) {
      const ShareClass& one = problem_.classes[id];
      const UInt128 wanted = product(as_unsigned(one.cap.units), tight.pull);
      settled_.set(id, wanted <= left * as_unsigned(one.weight));
      rates_[id] = one.cap;  // of those that do not end here, written again later
    });
    rising_.remove(settled_);
    TANTALUS_CHECK(tight.pull != 0 || rising_.empty(), "a flow without links has a cap");
    return !settled_.empty();
  }

  // Every class that crosses the tightest link ends at its share there.
  void settle_crossing(const Tightest& tight) {
    settled_.assign_common(rising_, problem_.links[tight.link].classes);
    rising_.remove(settled_);
    std::int64_t weight = 0;
    Rate share;
    settled_.each([&](std::uint32_t id) {
      if (problem_.classes[id].weight != weight) {
        weight = problem_.classes[id].weight;
        share = share_of(weight, tight.left, tight.pull);
      }
      rates_[id] = share;
    });
  }

  // What the settled classes take is no longer there for those whose shares still rise.
  void take_from_links() {
    settled_.each([&](std::uint32_t id) {
      const ShareClass& one = problem_.classes[id];
      const std::uint64_t flows = as_unsigned(one.flows);
      const std::uint64_t rate = as_unsigned(rates_[id].units);
      for (const Crossing& crossing : one.crossings()) {
        LinkFill& link = fills_[crossing.link];
        const std::uint64_t needed = flows * as_unsigned(crossing.demand);
        link.pull -= needed * as_unsigned(one.weight);
        link.taken += product(needed, rate);
      }
    });
    for (std::size_t l = 0; l < problem_.links.size(); ++l) {
      fills_[l].left = as_unsigned(problem_.links[l].capacity.units) - whole_units(fills_[l].taken);
    }
  }

  const ShareProblem& problem_;
  std::span<Rate> rates_;
  std::span<LinkFill> fills_;
  ClassSet& rising_;
  ClassSet& settled_;
};

}  // namespace

void FairShare::divide(const ShareProblem& problem, std::span<Rate> rates) {
  fills_.resize(problem.links.size());
  rising_.reserve(problem.classes.size());
  settled_.reserve(problem.classes.size());
  Division(problem, rates, fills_, rising_, settled_).run();
}

std::vector<Rate> fair_share(std::span<const Rate> capacities,
                             std::span<const ShareClass> classes) {
  std::vector<ShareLink> links;
  for (const Rate capacity : capacities) {
    links.push_back({capacity, {}, 0});
    links.back().classes.reserve(classes.size());
  }
  ClassSet active;
  ClassSet capped;
  active.reserve(classes.size());
  capped.reserve(classes.size());
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const ShareClass& one = classes[i];
    active.set(i, one.flows > 0);
    capped.set(i, one.cap != Rate::unlimited());
    for (const Crossing& crossing : one.crossings()) {
      ShareLink& link = links[crossing.link];
      link.classes.set(i, true);
      link.pull += pull_at(one, crossing, one.flows);  // neither reaches 2^63 before
      TANTALUS_CHECK(link.pull <= INT64_MAX, "flows x weight x demand on a link are too large");
    }
  }
  std::vector<Rate> rates(classes.size());
  FairShare().divide({links, classes, active, capped}, rates);
  return rates;
}

}  // namespace tantalus

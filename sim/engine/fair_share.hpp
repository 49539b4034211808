// Weighted max-min division of link capacities among flows: nobody can get more without taking from someone who has less
// per weight. Pure integer arithmetic, no clock: SharedCapacity adds the time. Equal flows form a class, and the cost is in
// classes and links, not in flows. Algorithm: progressive filling (Bertsekas and Gallager, Data Networks, 2nd ed., 6.5.2).
//
// Units: a Rate counts 2^-16 per second (of bytes, usually), so capacities reach 1.4e14 per second; count anything larger
// in a larger unit. A crossing's demand counts 2^-20: how much of the link one unit of the flow needs ("3 bytes of L2 per
// byte" is 3.0). Promises: the sum over a link never exceeds its capacity; every flow is at its cap or crosses a full link
// on which no flow has more per weight; what is left on a full link is less than one Rate unit per flow and demand. Results
// do not depend on the order of classes; that of links decides over the last units where two of them fill at once.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/engine/class_set.hpp"

namespace tantalus {

/// In 2^-16 per second.
struct Rate {
  std::int64_t units = 0;

  static constexpr int fraction_bits = 16;
  static constexpr Rate unlimited() { return {std::numeric_limits<std::int64_t>::max()}; }
  /// A bandwidth as a Rate; one too large for Rate is a broken invariant.
  static constexpr Rate of(Bandwidth bandwidth) {
    TANTALUS_CHECK(bandwidth.count() >= 0 && bandwidth.count() <= (INT64_MAX >> fraction_bits),
                   "a rate is not negative and below 1.4e14 per second");
    return {bandwidth.count() << fraction_bits};
  }
  constexpr Bandwidth rounded_down() const { return Bandwidth{units >> fraction_bits}; }
  constexpr auto operator<=>(const Rate&) const = default;
};

/// Use of one link by one unit of a flow.
struct Crossing {
  std::uint32_t link = 0;     // index into the capacities
  std::int64_t demand = one;  // in 2^-20; positive

  static constexpr int fraction_bits = 20;
  static constexpr std::int64_t one = std::int64_t{1} << fraction_bits;
  /// part / whole, rounded up so that no byte is lost: `ratio(l2_bytes, dram_bytes)`.
  static constexpr std::int64_t ratio(std::int64_t part, std::int64_t whole) {
    return divide_up(Int128{part} << fraction_bits, whole);
  }
  constexpr bool operator==(const Crossing&) const = default;
};

/// Equal flows: same route, weight and cap.
struct ShareClass {
  static constexpr std::size_t longest_route = 12;

  std::int64_t flows = 0;          // how many are active; none takes nothing
  std::int64_t weight = 1;         // of each flow; positive
  Rate cap = Rate::unlimited();    // of each flow
  std::uint32_t route_length = 0;  // crossings used, each of a different link; none needs a cap
  std::array<Crossing, longest_route> route{};

  std::span<const Crossing> crossings() const { return {route.data(), route_length}; }
  /// Whether flows of the other are flows of this one: they have the same share whatever else moves.
  bool divides_like(const ShareClass& other) const {
    return weight == other.weight && cap == other.cap && route_length == other.route_length &&
           route == other.route;
  }
};

/// A link and what the flows that cross it want of it; whoever opens classes and starts flows keeps it right.
struct ShareLink {
  Rate capacity;
  ClassSet classes;        // that cross it, with flows or without
  std::uint64_t pull = 0;  // the sum of pull_at over these classes
};

/// What is divided. All sets have room for all classes.
struct ShareProblem {
  std::span<const ShareLink> links;
  std::span<const ShareClass> classes;
  const ClassSet& active;  // classes with flows
  const ClassSet& capped;  // classes with a cap
};

/// One link while the shares rise.
struct LinkFill {
  std::uint64_t left;  // capacity - taken, rounded down to whole units
  std::uint64_t pull;  // over classes whose share still rises
  UInt128 taken;       // by classes whose share is final, in Rate units x 2^-20
};

/// Divides again and again without allocating; keeps only scratch memory between calls.
class FairShare {
 public:
  static constexpr std::int64_t largest_weight = std::int64_t{1} << 24;

  /// For each active class writes the rate of each of its flows to rates[class].
  void divide(const ShareProblem& problem, std::span<Rate> rates);

 private:
  std::vector<LinkFill> fills_;  // parallel to the links
  ClassSet rising_;              // classes whose share still rises
  ClassSet settled_;             // classes whose share became final in this step
};

/// How much `flows` flows of a class pull at a link while all shares rise together: flows x weight x demand. The sum over a
/// link must stay below 2^63; a larger pull or sum is a broken invariant.
inline std::uint64_t pull_at(const ShareClass& one, const Crossing& crossing, std::int64_t flows) {
  std::int64_t flows_weight = 0;
  std::int64_t pull = 0;
  const bool too_large = __builtin_mul_overflow(flows, one.weight, &flows_weight) ||
                         __builtin_mul_overflow(flows_weight, crossing.demand, &pull);
  TANTALUS_CHECK(!too_large, "flows x weight x demand on a link are too large");
  return static_cast<std::uint64_t>(pull);
}

/// The same, once: the rate of each flow of each class; classes without flows get none.
std::vector<Rate> fair_share(std::span<const Rate> capacities, std::span<const ShareClass> classes);

}  // namespace tantalus

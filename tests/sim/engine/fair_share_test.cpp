#include "sim/engine/fair_share.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/engine/random_numbers.hpp"

namespace tantalus {
namespace {

using testing::RandomNumbers;

Rate gigabytes(std::int64_t n) { return Rate::of(Bandwidth{n * 1'000'000'000}); }

ShareClass share_class(std::int64_t flows, const std::vector<Crossing>& route,
                       std::int64_t weight = 1, Rate cap = Rate::unlimited()) {
  ShareClass one;
  one.flows = flows;
  one.weight = weight;
  one.cap = cap;
  for (const Crossing& crossing : route) one.route[one.route_length++] = crossing;
  return one;
}

std::vector<Rate> divide(const std::vector<Rate>& capacities,
                         const std::vector<ShareClass>& classes) {
  return fair_share(capacities, classes);
}

TEST_CASE("equal flows on one link have equal shares") {
  const auto rates = divide({gigabytes(12)}, {share_class(4, {{0}})});

  CHECK(rates[0] == gigabytes(3));
}

TEST_CASE("weights divide a link in proportion") {
  const auto rates = divide({gigabytes(12)}, {share_class(1, {{0}}, 1), share_class(1, {{0}}, 3)});

  CHECK(rates[0] == gigabytes(3));
  CHECK(rates[1] == gigabytes(9));
}

TEST_CASE("a capped flow leaves the rest to the others") {
  const auto rates =
      divide({gigabytes(12)}, {share_class(1, {{0}}, 1, gigabytes(2)), share_class(2, {{0}})});

  CHECK(rates[0] == gigabytes(2));
  CHECK(rates[1] == gigabytes(5));
}

// The textbook case: one long flow over two links, one short flow on each. Link 0 (6 GB/s) gives 3 to each of its two;
// link 1 (10 GB/s) gives its short flow what the long one leaves: 7.
TEST_CASE("a flow held back on one link leaves room on the next") {
  const auto rates =
      divide({gigabytes(6), gigabytes(10)},
             {share_class(1, {{0}, {1}}), share_class(1, {{0}}), share_class(1, {{1}})});

  CHECK(rates[0] == gigabytes(3));
  CHECK(rates[1] == gigabytes(3));
  CHECK(rates[2] == gigabytes(7));
}

// 3 bytes of L2 for each byte of DRAM: L2 of 12 allows 4, DRAM of 5 would allow 5.
TEST_CASE("a flow that needs three bytes of a link per byte is held by a third of it") {
  const auto rates =
      divide({gigabytes(12), gigabytes(5)}, {share_class(1, {{0, 3 * Crossing::one}, {1}})});

  CHECK(rates[0] == gigabytes(4));
}

TEST_CASE("a flow without links runs at its cap, and without a cap is a broken invariant") {
  CHECK(divide({gigabytes(1)}, {share_class(5, {}, 1, gigabytes(7))})[0] == gigabytes(7));
  CHECK_THROWS_AS(divide({gigabytes(1)}, {share_class(5, {})}), InvariantError);
}

TEST_CASE("a link without capacity stops its flows and no others") {
  const auto rates =
      divide({gigabytes(0), gigabytes(8)}, {share_class(1, {{0}, {1}}), share_class(2, {{1}})});

  CHECK(rates[0].units == 0);
  CHECK(rates[1] == gigabytes(4));
}

TEST_CASE("classes without flows take nothing") {
  const auto rates = divide({gigabytes(8)}, {share_class(0, {{0}}), share_class(1, {{0}})});

  CHECK(rates[0].units == 0);
  CHECK(rates[1] == gigabytes(8));
}

TEST_CASE("one class of n equal flows and n classes of one flow have the same shares") {
  const auto together = divide({gigabytes(7)}, {share_class(5, {{0}}), share_class(1, {{0}}, 2)});
  const auto apart = divide(
      {gigabytes(7)}, {share_class(2, {{0}}), share_class(3, {{0}}), share_class(1, {{0}}, 2)});

  CHECK(together[0] == apart[0]);
  CHECK(together[0] == apart[1]);
  CHECK(together[1] == apart[2]);
}

TEST_CASE("a pull beyond 63 bits is a broken invariant, not a wrong share") {
  const ShareClass huge = share_class(std::int64_t{1} << 43, {{0}});  // 2^43 x 2^20 = 2^63
  CHECK_THROWS_AS(divide({gigabytes(1)}, {huge}), InvariantError);
  const ShareClass half = share_class(std::int64_t{1} << 42, {{0}});
  CHECK_NOTHROW(divide({gigabytes(1)}, {half}));
  CHECK_THROWS_AS(divide({gigabytes(1)}, {half, half}), InvariantError);
}

struct Case {
  std::vector<Rate> capacities;
  std::vector<ShareClass> classes;
};

Case random_case(std::uint64_t seed, std::size_t most_links) {
  RandomNumbers random(seed);
  Case one;
  const auto links =
      static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(most_links)));
  for (std::size_t l = 0; l < links; ++l) {
    const bool tiny = random.one_in(10);
    one.capacities.push_back(
        {tiny ? random.between(0, 50) : random.between(1, std::int64_t{1} << 55)});
  }
  const std::int64_t classes = random.between(1, random.one_in(20) ? 150 : 12);
  for (std::int64_t c = 0; c < classes; ++c) {
    std::vector<std::uint32_t> order(links);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = links; i > 1; --i) {
      std::swap(
          order[i - 1],
          order[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
    }
    const auto length =
        static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(links)));
    std::vector<Crossing> route;
    for (std::size_t i = 0; i < length; ++i) {
      route.push_back(
          {order[i], random.one_in(2) ? Crossing::one : random.between(1, 8 * Crossing::one)});
    }
    const Rate cap =
        random.one_in(3) ? Rate{random.between(0, std::int64_t{1} << 52)} : Rate::unlimited();
    one.classes.push_back(share_class(random.between(0, 500), route,
                                      random.one_in(2) ? 1 : random.between(1, 20), cap));
  }
  return one;
}

UInt128 used_of(const Case& one, const std::vector<Rate>& rates, std::size_t link) {
  UInt128 used = 0;
  for (std::size_t c = 0; c < one.classes.size(); ++c) {
    for (const Crossing& crossing : one.classes[c].crossings()) {
      if (crossing.link != link) continue;
      used += UInt128{static_cast<std::uint64_t>(one.classes[c].flows)} *
              static_cast<std::uint64_t>(crossing.demand) *
              static_cast<std::uint64_t>(rates[c].units);
    }
  }
  return used;
}

UInt128 capacity_of(const Case& one, std::size_t link) {
  return UInt128{static_cast<std::uint64_t>(one.capacities[link].units)} << Crossing::fraction_bits;
}

// What rounding may leave on a full link: less than one unit per flow and demand, and one unit for the link.
UInt128 slack_of(const Case& one, std::size_t link) {
  UInt128 slack = static_cast<std::uint64_t>(Crossing::one);
  for (const ShareClass& c : one.classes) {
    for (const Crossing& crossing : c.crossings()) {
      if (crossing.link != link) continue;
      slack += UInt128{static_cast<std::uint64_t>(c.flows)} *
               static_cast<std::uint64_t>(crossing.demand);
    }
  }
  return slack;
}

TEST_CASE("shares never exceed a capacity or a cap") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Case one = random_case(seed, 6);
    const auto rates = divide(one.capacities, one.classes);
    for (std::size_t l = 0; l < one.capacities.size(); ++l) {
      REQUIRE(used_of(one, rates, l) <= capacity_of(one, l));
    }
    for (std::size_t c = 0; c < rates.size(); ++c) REQUIRE(rates[c] <= one.classes[c].cap);
  }
}

// Max-min optimality: every flow is at its cap, or crosses a full link on which nobody has more per weight (to a unit).
TEST_CASE("every flow is at its cap or is among the largest on a full link") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Case one = random_case(seed, 6);
    const auto rates = divide(one.capacities, one.classes);
    for (std::size_t c = 0; c < rates.size(); ++c) {
      const ShareClass& mine = one.classes[c];
      if (mine.flows == 0 || rates[c] == mine.cap) continue;
      const bool held = std::any_of(
          mine.crossings().begin(), mine.crossings().end(), [&](const Crossing& crossing) {
            const bool full = used_of(one, rates, crossing.link) + slack_of(one, crossing.link) >=
                              capacity_of(one, crossing.link);
            if (!full) return false;
            for (std::size_t d = 0; d < rates.size(); ++d) {
              const ShareClass& other = one.classes[d];
              const bool shares_link =
                  other.flows > 0 &&
                  std::any_of(other.crossings().begin(), other.crossings().end(),
                              [&](const Crossing& x) { return x.link == crossing.link; });
              // rate / weight of the other exceeds mine by more than a rounding of each
              if (shares_link && Int128{rates[d].units} * mine.weight >
                                     Int128{rates[c].units + 1} * other.weight + mine.weight) {
                return false;
              }
            }
            return true;
          });
      REQUIRE(held);
    }
  }
}

TEST_CASE("the order of classes changes no share") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Case one = random_case(seed, 5);
    Case reversed = one;
    std::reverse(reversed.classes.begin(), reversed.classes.end());

    auto rates = divide(reversed.capacities, reversed.classes);
    std::reverse(rates.begin(), rates.end());

    REQUIRE(rates == divide(one.capacities, one.classes));
  }
}

// Where two links fill at once, what rounding left on the one that is looked at first is there for the flows of the other.
TEST_CASE("the order of links decides over the last units alone") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Case one = random_case(seed, 5);
    Case reversed = one;
    std::reverse(reversed.capacities.begin(), reversed.capacities.end());
    const auto last = static_cast<std::uint32_t>(one.capacities.size() - 1);
    for (ShareClass& c : reversed.classes) {
      for (std::size_t i = 0; i < c.route_length; ++i) c.route[i].link = last - c.route[i].link;
    }

    const auto rates = divide(reversed.capacities, reversed.classes);

    const auto expected = divide(one.capacities, one.classes);
    for (std::size_t c = 0; c < rates.size(); ++c) {
      REQUIRE(std::abs(rates[c].units - expected[c].units) <= 2 * one.classes[c].weight);
    }
  }
}

TEST_CASE("more capacity of the only link never gives anyone less") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Case one = random_case(seed, 1);
    const auto less = divide(one.capacities, one.classes);
    one.capacities[0].units += one.capacities[0].units / 3 + 1;
    const auto more = divide(one.capacities, one.classes);
    for (std::size_t c = 0; c < less.size(); ++c) REQUIRE(more[c] >= less[c]);
  }
}

TEST_CASE("all capacities and caps doubled double every share, within a unit") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Case one = random_case(seed, 5);
    const auto single = divide(one.capacities, one.classes);
    for (Rate& capacity : one.capacities) capacity.units *= 2;
    for (ShareClass& c : one.classes) {
      if (c.cap != Rate::unlimited()) c.cap.units *= 2;
    }
    const auto twice = divide(one.capacities, one.classes);
    for (std::size_t c = 0; c < single.size(); ++c) {
      if (single[c].units > 1'000'000) {
        REQUIRE(std::abs(twice[c].units - 2 * single[c].units) <= twice[c].units / 100'000);
      }
    }
  }
}

}  // namespace
}  // namespace tantalus

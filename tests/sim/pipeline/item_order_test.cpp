#include "sim/pipeline/item_order.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

std::vector<std::uint32_t> items_of(const ItemOrder& order) {
  std::vector<std::uint32_t> items;
  for (std::size_t i = 0; i < order.size(); ++i) items.push_back(order[i]);
  return items;
}

TEST_CASE("an epoch reads every item once, in an order of its own") {
  ItemOrder order(1'000, 7);
  const std::vector<std::uint32_t> stored = items_of(order);
  order.shuffle(0);
  std::vector<std::uint32_t> first = items_of(order);
  order.shuffle(1);
  std::vector<std::uint32_t> second = items_of(order);
  CHECK(first != stored);
  CHECK(second != first);
  order.shuffle(0);
  CHECK(items_of(order) == first);

  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  CHECK(first == stored);
  CHECK(second == stored);
}

TEST_CASE("another seed is another order") {
  ItemOrder one(100, 1), two(100, 2);
  one.shuffle(0);
  two.shuffle(0);
  CHECK(items_of(one) != items_of(two));
}

TEST_CASE("an item is anywhere in the epoch, whatever its place in storage") {
  constexpr std::uint32_t items = 64, epochs = 4'000;
  ItemOrder order(items, 3);
  std::vector<double> sum(items, 0.0);
  for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
    order.shuffle(epoch);
    for (std::uint32_t place = 0; place < items; ++place) sum[order[place]] += place;
  }
  // Mean of a uniform place, give or take five of its standard errors.
  const double middle = (items - 1) / 2.0, error = items / std::sqrt(12.0 * epochs);
  for (const double places : sum) CHECK(std::abs(places / epochs - middle) < 5.0 * error);
}

}  // namespace
}  // namespace tantalus

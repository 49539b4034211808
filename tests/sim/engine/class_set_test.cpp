#include "sim/engine/class_set.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

ClassSet set_of(const std::vector<std::uint32_t>& numbers) {
  ClassSet set;
  set.reserve(200);
  for (const std::uint32_t number : numbers) set.set(number, true);
  return set;
}

std::vector<std::uint32_t> members(const ClassSet& set) {
  std::vector<std::uint32_t> numbers;
  set.each([&](std::uint32_t number) { numbers.push_back(number); });
  return numbers;
}

TEST_CASE("members are visited in ascending order, whatever the order in which they came") {
  CHECK(members(set_of({130, 0, 64, 63, 199})) == std::vector<std::uint32_t>{0, 63, 64, 130, 199});
}

TEST_CASE("a number is a member from being set until it is unset") {
  ClassSet set = set_of({5, 70});

  set.set(5, false);

  CHECK_FALSE(set.contains(5));
  CHECK(set.contains(70));
  CHECK_FALSE(set.empty());
  set.set(70, false);
  CHECK(set.empty());
}

TEST_CASE("more room keeps the members, and less is not taken") {
  ClassSet set = set_of({199});
  set.reserve(1000);
  set.set(999, true);
  set.reserve(1);

  CHECK(members(set) == std::vector<std::uint32_t>{199, 999});
}

TEST_CASE("what is common to two sets, and what is left without another") {
  const ClassSet a = set_of({1, 2, 100});
  const ClassSet b = set_of({2, 100, 150});
  ClassSet both = set_of({7});
  both.assign_common(a, b);
  ClassSet rest = a;
  rest.remove(b);

  CHECK(members(both) == std::vector<std::uint32_t>{2, 100});
  CHECK(members(rest) == std::vector<std::uint32_t>{1});
}

TEST_CASE("a visited member may be taken out while the others are still visited") {
  ClassSet set = set_of({1, 2, 70, 71});
  std::vector<std::uint32_t> visited;
  set.each([&](std::uint32_t number) {
    visited.push_back(number);
    set.set(number, number % 2 != 0);
  });

  CHECK(visited == std::vector<std::uint32_t>{1, 2, 70, 71});
  CHECK(members(set) == std::vector<std::uint32_t>{1, 71});
}

}  // namespace
}  // namespace tantalus

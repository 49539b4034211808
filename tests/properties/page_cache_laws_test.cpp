// Laws of the page cache, whatever is read.
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <doctest/doctest.h>

#include "sim/hardware/storage/page_cache.hpp"

namespace tantalus {
namespace {

PageCacheSpec of(CachePolicy policy) {
  PageCacheSpec spec;
  spec.policy = policy;
  return spec;
}

Bytes size_of(std::uint32_t item) { return Bytes{item % 7 * 50 + 10}; }

TEST_CASE("never more is held than fits, by any policy") {
  CHECK(rc::check([] {
    const auto items =
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 40));
    const auto capacity = *rc::gen::inRange<std::int64_t>(0, 3'000);
    for (const auto& policy : cache_policy_names) {
      PageCache cache(of(policy.value), Bytes{capacity}, 1);
      std::int64_t misses = 0;
      for (const std::uint32_t item : items) {
        misses += cache.read(item, size_of(item)) ? 0 : 1;
        RC_ASSERT(cache.held().count() <= capacity);
      }
      RC_ASSERT(cache.evictions() <= misses);
    }
  }));
}

TEST_CASE("a larger LRU cache of items of one size never misses more") {
  CHECK(rc::check([] {
    const auto items =
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 40));
    const auto small = *rc::gen::inRange<std::int64_t>(0, 40);
    PageCache less(of(CachePolicy::lru), Bytes{small}, 1);
    PageCache more(of(CachePolicy::lru), Bytes{small + 1}, 1);
    for (const std::uint32_t item : items) {
      const bool hit = less.read(item, Bytes{1});
      RC_ASSERT(more.read(item, Bytes{1}) || !hit);
    }
  }));
}

}  // namespace
}  // namespace tantalus

#include "validate/reach.hpp"

#include <doctest/doctest.h>

#include "kernels/cpu/buffer.hpp"

namespace tantalus::validation {

TEST_CASE("the reach of the last cache lies between the first working set and the last") {
  constexpr std::size_t largest = std::size_t{16} << 20U, first = std::size_t{1} << 20U;
  kernels::Buffer memory(largest / 4);

  // Memory a thousand times slower than any: everything seems to fit.
  const CacheReach all = cache_reach(kernels::widest_isa(), memory.data(), largest, first, 1e6);
  // Memory as fast as the cache: nothing does.
  const CacheReach none = cache_reach(kernels::widest_isa(), memory.data(), largest, first, 1e18);

  CHECK(all.rate > 0.0);
  CHECK(all.bytes >= none.bytes);
  CHECK(none.bytes > 0.0);
  CHECK(all.bytes <= static_cast<double>(largest));
}

TEST_CASE("a machine without a third level has no reach to probe") {
  kernels::Topology machine;
  machine.caches = {{1, 32 << 10, 1}, {2, 1 << 20, 1}};
  CHECK(first_of_last_cache(machine) == 0);

  machine.caches.push_back({3, 32 << 20, 2});
  CHECK(first_of_last_cache(machine) == std::size_t{3} << 20U);
}

}  // namespace tantalus::validation

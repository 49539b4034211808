#include "sim/hardware/storage/page_cache.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

PageCacheSpec of(CachePolicy policy) {
  PageCacheSpec spec;
  spec.policy = policy;
  return spec;
}

/// A fresh permutation each call, from a small generator of its own.
class Epochs {
 public:
  explicit Epochs(std::uint32_t items) : items_(items) {
    for (std::uint32_t i = 0; i < items; ++i) items_[i] = i;
  }
  const std::vector<std::uint32_t>& next() {
    for (std::size_t left = items_.size(); left > 1; --left) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      std::swap(items_[left - 1], items_[(state_ >> 33) % left]);
    }
    return items_;
  }

 private:
  std::vector<std::uint32_t> items_;
  std::uint64_t state_ = 1;
};

/// Share of hits of epochs 5 to 24, 4,000 items of one size of which a share `c` fits.
double hit_rate(CachePolicy policy, double c, Bytes item = Bytes{100'000}) {
  constexpr std::uint32_t items = 4'000;
  PageCache cache(of(policy), Bytes{static_cast<std::int64_t>(c * items) * item.count()}, 1);
  Epochs epochs(items);
  std::int64_t hits = 0, reads = 0;
  for (int epoch = 0; epoch < 24; ++epoch) {
    for (const std::uint32_t one : epochs.next()) {
      const bool hit = cache.read(one, item);
      if (epoch >= 4) hits += hit ? 1 : 0, ++reads;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(reads);
}

TEST_CASE("permutations through an LRU cache hit as the stack distance says") {
  // An item at u of one epoch and v of the next has 1 - u(1 - v) of the others in between: h = c + (1 - c) ln(1 - c).
  for (const double c : {0.35, 0.5, 0.65, 0.8, 0.95})
    CHECK(std::abs(hit_rate(CachePolicy::lru, c) - (c + (1 - c) * std::log(1 - c))) < 0.01);
}

TEST_CASE("what is pinned hits as often as it is a share of the data") {
  for (const double c : {0.35, 0.5, 0.65, 0.8, 0.95})
    CHECK(std::abs(hit_rate(CachePolicy::pinned, c) - c) < 0.01);
}

TEST_CASE("random replacement hits as its fixed point says") {
  for (const double c : {0.35, 0.5, 0.65, 0.8, 0.95}) {
    double h = c;
    for (int step = 0; step < 500; ++step) {
      const double a = (1 - h) / c, stays = a < 1e-9 ? 1.0 : (1 - std::exp(-a)) / a;
      h = 0.5 * h + 0.5 * stays * stays;
    }
    INFO(c);
    CHECK(std::abs(hit_rate(CachePolicy::random, c) - h) < 0.03);
  }
}

// Random permutations touch every item once an epoch: the second touch that the active list waits for says little, and most of
// the gain over LRU is where a small part fits.
TEST_CASE("the two lists of Linux hit as often as LRU at least, more often where little fits") {
  const Bytes large{100'000'000};  // 400 GB of data: the active list is up to 60 times the other
  for (const double c : {0.35, 0.5, 0.65, 0.8}) {
    for (const Bytes item : {Bytes{100'000}, large}) {
      const double h = hit_rate(CachePolicy::two_list, c, item);
      INFO(c, " ", h);
      CHECK(h > hit_rate(CachePolicy::lru, c) - 0.01);
      CHECK(h < c);
    }
  }
  CHECK(hit_rate(CachePolicy::two_list, 0.35, large) > 2.0 * hit_rate(CachePolicy::lru, 0.35));
}

TEST_CASE("a cache larger than the data misses in the first epoch and hits in the second") {
  for (const auto& policy : cache_policy_names) {
    INFO(std::string(policy.name));
    PageCache cache(of(policy.value), Bytes{1'000'000}, 1);
    Epochs epochs(1'000);
    for (const std::uint32_t item : epochs.next()) CHECK_FALSE(cache.read(item, Bytes{1'000}));
    for (const std::uint32_t item : epochs.next()) CHECK(cache.read(item, Bytes{1'000}));
    CHECK(cache.held() == Bytes{1'000'000});
    CHECK(cache.evictions() == 0);
  }
}

TEST_CASE("reading from the front again and again never hits an LRU cache that holds less") {
  PageCache cache(of(CachePolicy::lru), Bytes{900}, 1);
  int hits = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (std::uint32_t item = 0; item < 1'000; ++item) hits += cache.read(item, Bytes{1}) ? 1 : 0;
  }
  CHECK(hits == 0);
}

TEST_CASE("memory that is taken away is given up at once") {
  for (const auto& policy : cache_policy_names) {
    PageCache cache(of(policy.value), Bytes{1'000}, 1);
    for (std::uint32_t item = 0; item < 10; ++item) cache.read(item, Bytes{100});
    cache.resize(Bytes{250});
    CHECK(cache.held() == Bytes{200});
    CHECK(cache.evictions() == 8);
  }
}

}  // namespace
}  // namespace tantalus

// What the operating system keeps of what was read: pure, no clock. It holds whole items (a file, a piece of a shard), because
// training reads them whole; which one goes when memory is short is the policy's choice. A read costs the same few steps
// whatever the number of items.
//
// two_list is how Linux does it: an item comes in on the inactive list, a second read moves it to the active list, the oldest
// inactive one goes, and the active list gives back what it holds beyond its share. An item that comes back soon after it
// went (fewer bytes went in between than the active list holds) was wanted: it goes to the active list at once (the
// kernel's "workingset" refaults).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

/// lru: least recently used first; two_list: as Linux; random: any; pinned: nothing that is in ever goes.
enum class CachePolicy : std::uint8_t { lru, two_list, random, pinned };

struct PageCacheSpec {
  CachePolicy policy = CachePolicy::two_list;
  Bandwidth copy_rate{8'000'000'000};
  Duration call_time{3'000'000};
};

inline constexpr EnumName<CachePolicy> cache_policy_names[] = {{"two_list", CachePolicy::two_list},
                                                               {"lru", CachePolicy::lru},
                                                               {"random", CachePolicy::random},
                                                               {"pinned", CachePolicy::pinned}};

template <class Visitor>
void describe(Visitor& v, PageCacheSpec& s) {
  v.choice("policy", s.policy, cache_policy_names,
           "two_list: as Linux; lru: least recently used first; random; pinned: nothing ever goes");
  v.defaulted("copy_rate", s.copy_rate, positive,
              "of one core that copies from the cache to a program: 5 to 10 GB/s");
  v.defaulted("call_time", s.call_time, not_negative, "of one core for a read call: 2 to 5 us");
}

class PageCache {
 public:
  PageCache(const PageCacheSpec& spec, Bytes capacity, std::uint64_t seed);

  /// Reads an item, whole: true when it was in memory. Afterwards it is, unless it is larger than all there is or the policy
  /// declines. An item's size does not change while it is in.
  bool read(std::uint32_t item, Bytes size);

  /// Memory was given or taken; what no longer fits goes.
  void resize(Bytes capacity);

  /// What one core spends to get bytes that are in memory.
  Duration copy_time(Bytes size) const { return spec_.call_time + size / spec_.copy_rate; }

  Bytes held() const { return Bytes{held_[inactive] + held_[active]}; }
  Bytes capacity() const { return Bytes{capacity_}; }
  std::int64_t evictions() const { return evictions_; }

 private:
  enum List : std::uint8_t { nowhere, inactive, active };
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Node {
    std::uint32_t previous = none;  // towards the newer end
    std::uint32_t next = none;  // towards the older end; of an item that went: pages gone by then
    std::uint32_t place = 0;    // among the residents, for the policy random
    std::uint32_t size = 0;
    List list = nowhere;
    bool went = false;
  };
  struct Ends {
    std::uint32_t newest = none, oldest = none;
  };

  bool keep(std::uint32_t item, std::int64_t size);
  bool comes_back_soon(const Node& node) const;
  void touch(std::uint32_t item);
  void balance();
  void evict_until(std::int64_t free);
  std::uint32_t victim();
  void evict(std::uint32_t item);
  void push(std::uint32_t item, List list);
  void take(std::uint32_t item);

  PageCacheSpec spec_;
  std::int64_t capacity_;
  std::uint64_t random_;
  std::vector<Node> nodes_;               // by item
  std::vector<std::uint32_t> residents_;  // of the policy random only
  Ends ends_[3];
  std::int64_t held_[3] = {};
  std::int64_t gone_pages_ = 0, evictions_ = 0;
};

}  // namespace tantalus

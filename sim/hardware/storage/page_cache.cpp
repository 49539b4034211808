#include "sim/hardware/storage/page_cache.hpp"

#include "sim/base/check.hpp"
#include "sim/hardware/storage/place_hash.hpp"

namespace tantalus {

namespace {

constexpr std::int64_t page = 4'096;

}  // namespace

PageCache::PageCache(const PageCacheSpec& spec, Bytes capacity, std::uint64_t seed)
    : spec_(spec), capacity_(capacity.count()), random_(place_hash(seed)) {}

bool PageCache::read(std::uint32_t item, Bytes size) {
  TANTALUS_CHECK(size.count() <= UINT32_MAX, "an item is read in pieces below 4 GiB");
  if (item >= nodes_.size()) nodes_.resize(std::size_t{item} + 1 + item / 2);
  if (nodes_[item].list != nowhere) {
    touch(item);
    return true;
  }
  if (!keep(item, size.count())) return false;
  Node& node = nodes_[item];
  node.size = static_cast<std::uint32_t>(size.count());
  push(item, spec_.policy == CachePolicy::two_list && comes_back_soon(node) ? active : inactive);
  node.went = false;
  balance();
  return false;
}

void PageCache::resize(Bytes capacity) {
  capacity_ = capacity.count();
  evict_until(0);
}

/// Makes room for an item, or declines.
bool PageCache::keep(std::uint32_t item, std::int64_t size) {
  if (size > capacity_) return false;
  if (spec_.policy == CachePolicy::pinned) return held().count() + size <= capacity_;
  TANTALUS_CHECK(nodes_[item].list == nowhere, "an item is kept once");
  evict_until(size);
  return true;
}

bool PageCache::comes_back_soon(const Node& node) const {
  if (!node.went) return false;
  // The count of pages is kept in 32 bits: the difference is right unless 16 TiB went in between.
  const std::uint32_t since = static_cast<std::uint32_t>(gone_pages_) - node.next;
  return since * page <= held_[active];
}

void PageCache::touch(std::uint32_t item) {
  if (spec_.policy == CachePolicy::lru) {
    take(item);
    push(item, inactive);
  } else if (spec_.policy == CachePolicy::two_list) {
    take(item);
    push(item, active);
    balance();
  }
}

/// The active list is at most `ratio` times as long as the inactive one. The kernel's rule (mm/vmscan.c, inactive_is_low): the
/// square root of ten times the GiB on both, 1 below one GiB.
void PageCache::balance() {
  if (spec_.policy != CachePolicy::two_list) return;
  const std::int64_t gib = held().count() >> 30;
  std::int64_t ratio = 1;
  while ((ratio + 1) * (ratio + 1) <= 10 * gib) ++ratio;
  while (held_[active] > ratio * held_[inactive]) {
    const std::uint32_t oldest = ends_[active].oldest;
    take(oldest);
    push(oldest, inactive);
  }
}

void PageCache::evict_until(std::int64_t free) {
  while (held().count() + free > capacity_) evict(victim());
}

std::uint32_t PageCache::victim() {
  if (spec_.policy == CachePolicy::random) {
    random_ = place_hash(random_);
    const auto place = static_cast<std::size_t>((UInt128{random_} * residents_.size()) >> 64);
    return residents_[place];
  }
  return ends_[inactive].oldest != none ? ends_[inactive].oldest : ends_[active].oldest;
}

void PageCache::evict(std::uint32_t item) {
  take(item);
  Node& node = nodes_[item];
  gone_pages_ += (std::int64_t{node.size} + page - 1) / page;
  node.next = static_cast<std::uint32_t>(gone_pages_);
  node.went = true;
  ++evictions_;
}

// ---- The lists -------------------------------------------------------------------------------------------------------

void PageCache::push(std::uint32_t item, List list) {
  Node& node = nodes_[item];
  node.list = list;
  held_[list] += node.size;
  if (spec_.policy == CachePolicy::random) {
    node.place = static_cast<std::uint32_t>(residents_.size());
    residents_.push_back(item);
    return;
  }
  Ends& ends = ends_[list];
  node.previous = none;
  node.next = ends.newest;
  (ends.newest == none ? ends.oldest : nodes_[ends.newest].previous) = item;
  ends.newest = item;
}

void PageCache::take(std::uint32_t item) {
  Node& node = nodes_[item];
  held_[node.list] -= node.size;
  if (spec_.policy == CachePolicy::random) {
    residents_[node.place] = residents_.back();
    nodes_[residents_.back()].place = node.place;
    residents_.pop_back();
  } else {
    Ends& ends = ends_[node.list];
    (node.previous == none ? ends.newest : nodes_[node.previous].next) = node.next;
    (node.next == none ? ends.oldest : nodes_[node.next].previous) = node.previous;
  }
  node.list = nowhere;
}

}  // namespace tantalus

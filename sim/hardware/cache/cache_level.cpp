#include "sim/hardware/cache/cache_level.hpp"

#include <algorithm>
#include <bit>

namespace tantalus {

namespace {

constexpr std::size_t words_of_block = sizeof(SetWords) / sizeof(std::uint32_t);

std::uint64_t mask_for(std::uint64_t sets) { return std::has_single_bit(sets) ? sets - 1 : 0; }

/// The element at `from` goes to `to`; those between make room.
template <class T>
void move_element(T* elements, std::size_t from, std::size_t to) {
  if (from > to) std::rotate(elements + to, elements + from, elements + from + 1);
  if (from < to) std::rotate(elements + from, elements + from + 1, elements + to + 1);
}

}  // namespace

CacheLevel::CacheLevel(const CacheShape& shape, SetSearch search, std::uint8_t all_sectors)
    : shape_(shape),
      sets_(static_cast<std::uint64_t>(shape.sets())),
      mask_(mask_for(sets_)),
      ways_(static_cast<std::size_t>(shape.ways)),
      stride_(set_stride(static_cast<unsigned>(shape.ways))),
      all_sectors_(all_sectors),
      plain_(shape.replacement == Replacement::lru && shape.sectors() == 1),
      touch_(set_functions(search).touch),
      storage_((sets_ * stride_ + words_of_block - 1) / words_of_block) {
  if (shape.sectors() > 1) sectors_.resize(sets_ * stride_);
  if (shape.replacement == Replacement::plru) trees_.resize(sets_);
}

PlainLevel CacheLevel::plain_view() {
  PlainLevel level;
  level.words = words();
  level.sets = sets_;
  level.mask = mask_;
  level.ways = static_cast<std::uint32_t>(ways_);
  level.stride = static_cast<std::uint32_t>(stride_);
  return level;
}

CacheLevel::Outcome CacheLevel::touch(const LineRef& ref, std::uint32_t flags) {
  if (plain_) {
    std::uint32_t* const set = words() + set_of(ref.line) * stride_;
    const Touched t = touch_(set, static_cast<unsigned>(ways_), ref.key, flags);
    if (t.hit != 0) return {0, (t.word & prefetched_flag) != 0, true, {}};
    const bool dirty = (t.word & dirty_flag) != 0;
    return {all_sectors_, false, false, {t.word, dirty ? all_sectors_ : std::uint8_t{0}}};
  }
  const std::size_t at = find(ref);
  return at != nowhere ? touch_found(ref, flags, at) : touch_absent(ref, flags);
}

CacheLevel::Outcome CacheLevel::touch_found(const LineRef& ref, std::uint32_t flags,
                                            std::size_t at) {
  if (moves_when_used()) {
    const std::size_t front = at / stride_ * stride_;
    move(at, front);
    at = front;
  }
  used(at);
  Outcome outcome;
  outcome.tag_hit = true;
  outcome.was_prefetched = (words()[at] & prefetched_flag) != 0;
  words()[at] = (words()[at] & ~prefetched_flag) | flags;
  if (!sectors_.empty()) {
    SectorBits& bits = sectors_[at];
    outcome.missing = static_cast<std::uint8_t>(ref.sectors & ~bits.valid);
    bits.valid |= ref.sectors;
    if ((flags & dirty_flag) != 0) bits.dirty |= ref.sectors;
  }
  return outcome;
}

CacheLevel::Outcome CacheLevel::touch_absent(const LineRef& ref, std::uint32_t flags) {
  const std::size_t at = place_for(set_of(ref.line));
  Outcome outcome;
  outcome.missing = sectors_.empty() ? all_sectors_ : ref.sectors;
  outcome.left = {words()[at], dirty_sectors(at)};
  if (!sectors_.empty())
    sectors_[at] = {ref.sectors, (flags & dirty_flag) != 0 ? ref.sectors : std::uint8_t{0}};
  words()[at] = ref.key | flags;
  const std::size_t front = at / stride_ * stride_;
  if (in_order()) move(at, front);
  used(in_order() ? front : at);
  return outcome;
}

std::uint8_t CacheLevel::dirty_sectors(std::size_t at) const {
  if (!sectors_.empty()) return sectors_[at].dirty;
  return (words()[at] & dirty_flag) != 0 ? all_sectors_ : std::uint8_t{0};
}

bool CacheLevel::contains(const LineRef& ref) const {
  const std::size_t at = find(ref);
  return at != nowhere && (sectors_.empty() || (ref.sectors & ~sectors_[at].valid) == 0);
}

FoundLine CacheLevel::remove(const LineRef& ref) {
  const std::size_t at = find(ref);
  if (at == nowhere) return {};
  const FoundLine found{words()[at], dirty_sectors(at)};
  words()[at] = 0;
  if (!sectors_.empty()) sectors_[at] = {};
  if (in_order()) move(at, at / stride_ * stride_ + ways_ - 1);  // empty ways are last
  return found;
}

void CacheLevel::mark_dirty(const LineRef& ref, std::uint8_t sectors) {
  const std::size_t at = find(ref);
  if (at == nowhere) return;
  words()[at] |= dirty_flag;
  if (sectors_.empty()) return;
  sectors_[at].dirty |= sectors;
  sectors_[at].valid |= sectors;
}

std::int64_t CacheLevel::lines() const {
  const std::uint32_t* const all = words();
  return std::count_if(all, all + sets_ * stride_, [](std::uint32_t word) { return word != 0; });
}

std::size_t CacheLevel::find(const LineRef& ref) const {
  const std::size_t first = set_of(ref.line) * stride_;
  for (std::size_t at = first; at < first + ways_; ++at) {
    if ((words()[at] & ~flags_mask) == ref.key) return at;
  }
  return nowhere;
}

void CacheLevel::move(std::size_t from, std::size_t to) {
  move_element(words(), from, to);
  if (!sectors_.empty()) move_element(sectors_.data(), from, to);
}

std::size_t CacheLevel::place_for(std::size_t set) {
  const std::size_t first = set * stride_;
  if (in_order()) {
    const std::size_t last = first + ways_ - 1;
    if (shape_.replacement != Replacement::aged || words()[last] == 0) return last;
    return last - draw(std::max<std::size_t>(1, ways_ / 4));
  }
  for (std::size_t at = first; at < first + ways_; ++at) {
    if (words()[at] == 0) return at;
  }
  return victim_of(set);
}

std::size_t CacheLevel::draw(std::size_t below) {
  random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::size_t>(random_ >> 33U) % below;
}

/// Tree: node 1 is the root, node n has children 2n and 2n+1; a bit says which half is to be used next.
std::size_t CacheLevel::victim_of(std::size_t set) {
  if (shape_.replacement == Replacement::random) return set * stride_ + draw(ways_);
  std::size_t node = 1;
  while (node < ways_) node = 2 * node + ((trees_[set] >> node) & 1U);
  return set * stride_ + (node - ways_);
}

/// Every node on the way to the used line points to its other half.
void CacheLevel::used(std::size_t at) {
  if (trees_.empty()) return;
  std::uint64_t& bits = trees_[at / stride_];
  for (std::size_t node = at % stride_ + ways_; node > 1; node /= 2) {
    const std::uint64_t parent = std::uint64_t{1} << (node / 2);
    bits = (node & 1U) != 0 ? bits & ~parent : bits | parent;
  }
}

}  // namespace tantalus

#include "tests/sim/hardware/cache/reference_caches.hpp"

#include <algorithm>
#include <bit>

namespace tantalus::test {

// ---- One level ---------------------------------------------------------------------------------------------------------

ReferenceLevel::Set& ReferenceLevel::set_of(std::uint64_t line) {
  Set& set = sets_[line % static_cast<std::uint64_t>(shape_.sets())];
  set.ways.resize(static_cast<std::size_t>(shape_.ways));
  return set;
}

ReferenceLine* ReferenceLevel::find(std::uint64_t line) {
  for (auto& way : set_of(line).ways) {
    if (way && way->line == line) return &*way;
  }
  return nullptr;
}

void ReferenceLevel::use(std::uint64_t line) {
  if (shape_.replacement == Replacement::lru) find(line)->order = ++now_;
  Set& set = set_of(line);
  for (std::size_t way = 0; way < set.ways.size(); ++way) {
    if (set.ways[way] && set.ways[way]->line == line) point_away(set, way);
  }
}

/// The tree over ways [low, high): each node on the way to the used one points to its other half.
void ReferenceLevel::point_away(Set& set, std::size_t way) const {
  std::int64_t node = 1;
  std::size_t low = 0, high = set.ways.size();
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    const bool right = way >= middle;
    set.right_is_next[node] = !right;
    node = 2 * node + (right ? 1 : 0);
    (right ? low : high) = middle;
  }
}

std::size_t ReferenceLevel::victim(const Set& set) const {
  for (std::size_t way = 0; way < set.ways.size(); ++way) {
    if (!set.ways[way]) return way;
  }
  if (shape_.replacement != Replacement::plru) {
    const auto oldest =
        std::min_element(set.ways.begin(), set.ways.end(),
                         [](const auto& a, const auto& b) { return a->order < b->order; });
    return static_cast<std::size_t>(oldest - set.ways.begin());
  }
  std::int64_t node = 1;
  std::size_t low = 0, high = set.ways.size();
  while (high - low > 1) {
    const auto it = set.right_is_next.find(node);
    const bool right = it != set.right_is_next.end() && it->second;
    node = 2 * node + (right ? 1 : 0);
    (right ? low : high) = (low + high) / 2;
  }
  return low;
}

std::optional<ReferenceLine> ReferenceLevel::insert(const ReferenceLine& line) {
  Set& set = set_of(line.line);
  const std::size_t way = victim(set);
  const std::optional<ReferenceLine> left = set.ways[way];
  set.ways[way] = line;
  set.ways[way]->order = ++now_;
  point_away(set, way);
  return left;
}

std::optional<ReferenceLine> ReferenceLevel::remove(std::uint64_t line) {
  for (auto& way : set_of(line).ways) {
    if (way && way->line == line) {
      const std::optional<ReferenceLine> found = way;
      way.reset();
      return found;
    }
  }
  return std::nullopt;
}

// ---- All levels --------------------------------------------------------------------------------------------------------

ReferenceCaches::ReferenceCaches(const HierarchyShape& shape) : shape_(shape) {
  std::vector<CacheShape> all = shape.levels;
  if (shape.instruction) all.push_back(*shape.instruction);
  std::int64_t sectors = 1;
  for (const CacheShape& cache : all) {
    sectors = std::max(sectors, cache.sectors());
    levels_.emplace_back(static_cast<std::size_t>(shape.cores / cache.shared_by),
                         ReferenceLevel(cache));
  }
  counts.resize(all.size());
  sector_ = all[0].line.count() / sectors;
  all_sectors_ = (1U << static_cast<unsigned>(sectors)) - 1U;
}

const CacheShape& ReferenceCaches::shape_of(std::size_t depth) const {
  return stage_of(depth) < shape_.levels.size() ? shape_.levels[depth] : *shape_.instruction;
}

ReferenceLevel& ReferenceCaches::level(std::size_t depth, std::int64_t core) {
  return levels_[stage_of(depth)][static_cast<std::size_t>(core / shape_of(depth).shared_by)];
}

bool ReferenceCaches::exclusive(std::size_t depth) const {
  return depth < shape_.levels.size() && shape_.levels[depth].inclusion == Inclusion::exclusive;
}

unsigned ReferenceCaches::sectors_at(std::size_t depth, unsigned wanted) const {
  return shape_of(depth).sectors() == 1 ? all_sectors_ : wanted;
}

void ReferenceCaches::refer(const Access& access) {
  fetching_ = access.kind == AccessKind::instruction && shape_.instruction.has_value();
  core_ = access.core;
  kind_ = access.kind == AccessKind::modify ? 0 : static_cast<unsigned>(access.kind);
  const bool store = !shape_.stores_stay_clean &&
                     (access.kind == AccessKind::store || access.kind == AccessKind::modify);
  const auto line_bytes = static_cast<std::uint64_t>(shape_.levels[0].line.count());
  std::map<std::uint64_t, Part> parts;  // byte by byte
  for (std::uint64_t byte = access.address; byte < access.address + access.bytes; ++byte) {
    Part& part = parts[byte / line_bytes];
    part.line = byte / line_bytes;
    part.sectors |=
        1U << static_cast<unsigned>(byte % line_bytes / static_cast<std::uint64_t>(sector_));
    ++part.bytes;
  }
  std::vector<Part> pair;
  for (const auto& [line, part] : parts) {
    pair.push_back(part);
    if (pair.size() < 2 && line != parts.rbegin()->first) continue;
    ask(0, pair, store);
    pair.clear();
  }
}

/// True when the (only) line came dirty out of an exclusive level.
bool ReferenceCaches::ask(std::size_t depth, const std::vector<Part>& parts, bool store) {
  if (depth == shape_.levels.size()) {
    for (const Part& part : parts) memory.read += Bytes{std::popcount(part.sectors) * sector_};
    return false;
  }
  const CacheShape& shape = shape_of(depth);
  ++count(depth).accesses.by_kind[kind_];
  bool missed = false, only_sectors = true, came_dirty = false;
  std::vector<Part> absent, written_on;
  for (const Part& part : parts) {
    ReferenceLevel& here = level(depth, core_);
    const unsigned wanted = sectors_at(depth, part.sectors);
    ReferenceLine* found = here.find(part.line);
    const bool whole = found != nullptr && (wanted & ~found->valid) == 0;
    if (exclusive(depth)) {
      if (found == nullptr) {
        missed = true;
        only_sectors = false;
        came_dirty = ask(depth + 1, {part}, false);
      } else {
        came_dirty = here.remove(part.line)->dirty != 0;
      }
      continue;
    }
    if (!whole) {
      missed = true;
      only_sectors = only_sectors && found != nullptr;
    }
    if (store && !whole && kind_ == 1 && !shape.write_allocate) {
      only_sectors = false;
      written_on.push_back(part);
      continue;
    }
    unsigned dirty = store && shape.write_back ? wanted : 0;
    if (!whole && exclusive(depth + 1)) {
      if (ask(depth + 1, {part}, false)) dirty = all_sectors_;
    } else if (!whole) {
      absent.push_back(part);
      absent.back().sectors = found != nullptr ? wanted & ~found->valid : wanted;
    }
    if (found != nullptr) {
      found->valid |= wanted;
      found->dirty |= dirty;
      here.use(part.line);
    } else if (const auto left = here.insert({part.line, wanted, dirty, 0})) {
      leave(depth, *left);
    }
    if (store && !shape.write_back) written_on.push_back(part);
  }
  if (missed) ++count(depth).misses.by_kind[kind_];
  if (missed && only_sectors) ++count(depth).sector_misses;
  if (!absent.empty()) {
    const bool all = depth + 1 < shape_.levels.size();
    ask(depth + 1, all && absent.size() < parts.size() ? parts : absent, false);
  }
  for (const Part& part : written_on) store_on(depth + 1, part);
  return came_dirty;
}

void ReferenceCaches::store_on(std::size_t depth, const Part& part) {
  if (depth == shape_.levels.size()) {
    memory.written += Bytes{part.bytes};
    return;
  }
  if (!exclusive(depth)) {
    const unsigned before = kind_;
    kind_ = 1;
    ask(depth, {part}, true);
    kind_ = before;
    return;
  }
  ReferenceLine* found = level(depth, core_).find(part.line);
  if (found == nullptr) return store_on(depth + 1, part);
  found->dirty = all_sectors_;
}

void ReferenceCaches::leave(std::size_t depth, const ReferenceLine& line) {
  ++count(depth).evictions;
  ReferenceLine leaving = line;
  if (shape_of(depth).inclusion == Inclusion::inclusive) {
    const std::int64_t sharing = shape_of(depth).shared_by, first = core_ / sharing * sharing;
    for (std::size_t stage = 0; stage < levels_.size(); ++stage) {
      if (stage >= depth && stage < shape_.levels.size()) continue;
      const CacheShape& before = stage < depth ? shape_.levels[stage] : *shape_.instruction;
      for (std::int64_t core = first; core < first + sharing; ++core) {
        auto& cache = levels_[stage][static_cast<std::size_t>(core / before.shared_by)];
        if (const auto gone = cache.remove(line.line)) {
          ++counts[stage].invalidations;
          leaving.dirty |= gone->dirty;
        }
      }
    }
  }
  if (leaving.dirty != 0) ++count(depth).writebacks;
  if (leaving.dirty != 0 || exclusive(depth + 1)) take_in(depth + 1, leaving);
}

void ReferenceCaches::take_in(std::size_t depth, const ReferenceLine& line) {
  if (depth == shape_.levels.size()) {
    memory.written += Bytes{std::popcount(line.dirty) * sector_};
    return;
  }
  ReferenceLevel& here = level(depth, core_);
  ReferenceLine* found = here.find(line.line);
  const unsigned brought = line.dirty != 0 ? line.dirty : all_sectors_;
  const bool keeps =
      shape_of(depth).write_back &&
      (shape_of(depth).write_allocate || (found != nullptr && (brought & ~found->valid) == 0));
  if (found != nullptr && (keeps || (brought & ~found->valid) == 0)) {
    if (keeps) found->dirty |= line.dirty == 0 ? 0 : sectors_at(depth, line.dirty);
    found->valid |= sectors_at(depth, brought);
    here.use(line.line);
  } else if (keeps) {
    const unsigned dirty = line.dirty == 0 ? 0 : sectors_at(depth, line.dirty);
    if (const auto left = here.insert({line.line, sectors_at(depth, brought), dirty, 0}))
      leave(depth, *left);
  }
  if (!keeps) take_in(depth + 1, line);
}

}  // namespace tantalus::test

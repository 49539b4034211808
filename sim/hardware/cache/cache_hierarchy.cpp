#include "sim/hardware/cache/cache_hierarchy.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tantalus {

namespace {

constexpr std::uint64_t page_bytes = 4096;

Diagnostic too_much_memory() {
  Diagnostic d;
  d.code = "too-much-memory";
  d.message = "the program touches more than 63 stretches of 2^24 lines each";
  d.hint = "use longer lines, or a shorter part of the program";
  return d;
}

Diagnostic bad_core(const Access& access, std::int64_t cores) {
  Diagnostic d;
  d.code = "bad-core";
  d.message = "core " + std::to_string(access.core) + " refers to memory and there are " +
              std::to_string(cores);
  d.hint = "set `cores` of the caches higher";
  return d;
}

std::int64_t& count_for(ReferenceCounts& counts, unsigned kind) { return counts.by_kind[kind]; }

unsigned counted_as(unsigned kind) {
  return static_cast<AccessKind>(kind) == AccessKind::modify
             ? static_cast<unsigned>(AccessKind::load)
             : kind;
}

/// Nothing but LRU, write-back, and lines that stay where they came by.
bool is_plain(const CacheShape& shape) {
  return shape.replacement == Replacement::lru && shape.inclusion == Inclusion::neither &&
         shape.prefetch == Prefetch::none && shape.write_back && shape.write_allocate &&
         shape.sectors() == 1;
}

}  // namespace

Result<CacheHierarchy> CacheHierarchy::make(const HierarchyShape& shape, SetSearch search) {
  Diagnostics problems = mistakes_of(shape);
  if (has_errors(problems)) return problems;
  return CacheHierarchy(shape, search);
}

CacheHierarchy::CacheHierarchy(const HierarchyShape& shape, SetSearch search)
    : shape_(shape),
      line_bits_(static_cast<unsigned>(
          std::countr_zero(static_cast<std::uint64_t>(shape.levels.front().line.count())))),
      walk_(set_functions(search).walk) {
  std::vector<CacheShape> all = shape.levels;
  if (shape.instruction) all.push_back(*shape.instruction);
  std::int64_t sectors = 1;
  for (const CacheShape& cache : all) sectors = std::max(sectors, cache.sectors());
  sector_bytes_ = shape.levels.front().line.count() / sectors;
  all_sectors_ = static_cast<std::uint8_t>((1U << static_cast<unsigned>(sectors)) - 1U);
  plain_ = std::all_of(all.begin(), all.end(), is_plain);

  for (std::size_t i = 0; i < all.size(); ++i) {
    Stage stage{all[i], {}, {}, {}};
    const auto instances = static_cast<std::size_t>(shape.cores / all[i].shared_by);
    stage.instances.assign(instances, CacheLevel(all[i], search, all_sectors_));
    stage.streams.resize(instances);
    (i < shape.levels.size() ? stages_ : instruction_).push_back(std::move(stage));
  }
}

CacheHierarchy::Stage& CacheHierarchy::stage(const Path& path, std::size_t depth) {
  return depth == 0 && path.instructions ? instruction_.front() : stages_[depth];
}

CacheLevel& CacheHierarchy::level(const Path& path, std::size_t depth) {
  Stage& s = stage(path, depth);
  if (s.instances.size() == 1) return s.instances.front();
  return s.instances[static_cast<std::size_t>(path.core / s.shape.shared_by)];
}

bool CacheHierarchy::is_exclusive(std::size_t depth) const {
  return depth < stages_.size() && stages_[depth].shape.inclusion == Inclusion::exclusive;
}

// ---- References --------------------------------------------------------------------------------------------------------

Diagnostics CacheHierarchy::run(std::span<const Access> accesses) {
  while (!accesses.empty()) {
    if (accesses.front().core >= shape_.cores) return {bad_core(accesses.front(), shape_.cores)};
    if (plain_) {
      const std::size_t walked = walk_plain(accesses);
      accesses = accesses.subspan(walked);
      if (walked != 0) continue;
    }
    if (!refer_one(accesses.front())) return {too_much_memory()};
    accesses = accesses.subspan(1);
  }
  return {};
}

PlainLevel CacheHierarchy::plain_level(Stage& stage, std::int64_t core) {
  return stage.instances[static_cast<std::size_t>(core / stage.shape.shared_by)].plain_view();
}

std::size_t CacheHierarchy::walk_plain(std::span<const Access> accesses) {
  PlainPath path;
  path.core = accesses.front().core;
  path.line_bits = line_bits_;
  path.store_flags = shape_.stores_stay_clean ? 0 : dirty_flag;
  path.numbers = &numbers_;
  std::array<PlainLevel, most_cache_levels> levels;
  PlainLevel instruction;
  for (std::size_t i = 0; i < stages_.size(); ++i) levels[i] = plain_level(stages_[i], path.core);
  path.data = path.instruction = levels.data();
  if (!instruction_.empty()) {
    instruction = plain_level(instruction_.front(), path.core);
    path.instruction = &instruction;
  }
  path.behind = levels.data() + 1;
  path.behind_count = static_cast<unsigned>(stages_.size()) - 1;
  const std::size_t walked = walk_(path, accesses.data(), accesses.size());
  take_counts(path);
  return walked;
}

/// A plain level is asked whatever the level before it missed.
void CacheHierarchy::take_counts(const PlainPath& path) {
  using ByKind = std::array<std::int64_t, access_kinds>;
  const auto misses_of = [](const PlainLevel& level) {
    ByKind misses{};
    std::copy(std::begin(level.misses), std::end(level.misses), misses.begin());
    return misses;
  };
  const auto take = [&](Stage& stage, const PlainLevel& from, const ByKind& asked) {
    const ByKind misses = misses_of(from);
    for (unsigned kind = 0; kind < access_kinds; ++kind) {
      count_for(stage.counts.accesses, counted_as(kind)) += asked[kind];
      count_for(stage.counts.misses, counted_as(kind)) += misses[kind];
    }
    stage.counts.evictions += from.evictions;
    stage.counts.writebacks += from.writebacks;
  };
  constexpr auto fetch = static_cast<unsigned>(AccessKind::instruction);
  ByKind data{};
  std::copy(std::begin(path.references), std::end(path.references), data.begin());
  ByKind asked = misses_of(*path.data);
  if (!instruction_.empty()) {
    ByKind fetches{};
    std::swap(fetches[fetch], data[fetch]);
    take(instruction_.front(), *path.instruction, fetches);
    asked[fetch] = path.instruction->misses[fetch];
  }
  take(stages_.front(), *path.data, data);
  for (unsigned i = 0; i < path.behind_count; ++i) {
    take(stages_[i + 1], path.behind[i], asked);
    asked = misses_of(path.behind[i]);
  }
  const std::int64_t line = std::int64_t{1} << line_bits_;
  memory_.read += Bytes{path.lines_read * line};
  memory_.written += Bytes{path.lines_written * line};
}

bool CacheHierarchy::refer_one(const Access& access) {
  const Path path{access.core, access.kind == AccessKind::instruction && !instruction_.empty()};
  const std::uint64_t last_byte = access.address + std::max(access.bytes, 1U) - 1;
  const std::uint64_t first_line = access.address >> line_bits_;
  const std::uint64_t last_line = last_byte >> line_bits_;
  const std::uint64_t in_line = (std::uint64_t{1} << line_bits_) - 1;
  const bool writes = access.kind == AccessKind::store || access.kind == AccessKind::modify;
  const bool store = writes && !shape_.stores_stay_clean;
  const auto kind = static_cast<Kind>(counted_as(static_cast<unsigned>(access.kind)));

  for (std::uint64_t line = first_line; line <= last_line; line += 2) {
    std::array<LineRef, 2> refs;
    std::size_t n = 0;
    for (; n < 2 && line + n <= last_line; ++n) {
      const std::uint64_t at = line + n;
      const std::uint64_t from = at == first_line ? access.address & in_line : 0;
      const std::uint64_t to = at == last_line ? last_byte & in_line : in_line;
      refs[n] = {at, 0, static_cast<std::uint32_t>(to - from + 1), sectors_of(from, to)};
      if (!shorten(at, refs[n].key)) return false;
    }
    refer(path, 0, {refs.data(), n}, kind, store);
  }
  return true;
}

bool CacheHierarchy::shorten(std::uint64_t line, std::uint32_t& key) {
  const std::uint64_t stretch = line >> LineNumbers::stretch_bits;
  std::uint32_t upper = numbers_.look_up(stretch);
  if (upper == 0) upper = numbers_.look_up_or_add(stretch);
  const auto lower =
      static_cast<std::uint32_t>(line & ((std::uint64_t{1} << LineNumbers::stretch_bits) - 1));
  key = (upper | lower) << flag_bits;
  return upper != 0;
}

LineRef CacheHierarchy::ref_of(std::uint32_t word) const {
  LineRef ref;
  ref.key = word & ~flags_mask;
  ref.line = numbers_.line_of(word >> flag_bits);
  return ref;
}

std::uint8_t CacheHierarchy::sectors_of(std::uint64_t first, std::uint64_t last) const {
  const auto size = static_cast<std::uint64_t>(sector_bytes_);
  const auto from = static_cast<unsigned>(first / size), to = static_cast<unsigned>(last / size);
  return static_cast<std::uint8_t>(((2U << to) - 1U) & ~((1U << from) - 1U));
}

/// The walk from one level on. Bit i of the answer: line i arrived dirty, out of an exclusive level.
std::uint32_t CacheHierarchy::refer(const Path& path, std::size_t depth,
                                    std::span<const LineRef> refs, Kind kind, bool store) {
  if (depth == stages_.size()) {
    read_memory(refs);
    return 0;
  }
  if (is_exclusive(depth)) return take_from(path, depth, refs, kind);
  Stage& here = stage(path, depth);
  ++count_for(here.counts.accesses, static_cast<unsigned>(kind));

  Looked looked;
  for (const LineRef& ref : refs) touch_line(path, depth, ref, kind, store, looked);
  if (looked.missed) {
    ++count_for(here.counts.misses, static_cast<unsigned>(kind));
    if (looked.sector_only) ++here.counts.sector_misses;
  }
  if (looked.absent_count > 0) {
    const bool both = looked.absent_count < refs.size() && depth + 1 < stages_.size();
    const std::span<const LineRef> absent(looked.absent.data(), looked.absent_count);
    refer(path, depth + 1, both ? refs : absent, kind, false);
  }
  for (std::size_t i = 0; i < looked.written_on_count; ++i)
    store_on(path, depth + 1, looked.written_on[i]);
  if ((looked.missed || looked.ahead) && kind != Kind::prefetch &&
      here.shape.prefetch != Prefetch::none)
    look_ahead(path, depth, refs.front());
  return 0;
}

void CacheHierarchy::touch_line(const Path& path, std::size_t depth, const LineRef& ref, Kind kind,
                                bool store, Looked& looked) {
  Stage& here = stage(path, depth);
  CacheLevel& cache = level(path, depth);
  const bool write_on = store && !here.shape.write_back;
  if (store && kind == Kind::store && !here.shape.write_allocate && !cache.contains(ref)) {
    looked.missed = true;
    looked.sector_only = false;
    looked.written_on[looked.written_on_count++] = ref;
    return;
  }
  std::uint32_t flags = store && here.shape.write_back ? dirty_flag : 0;
  const bool swap = is_exclusive(depth + 1) && !cache.contains(ref);
  if (swap && (take_from(path, depth + 1, {&ref, 1}, kind) & 1U) != 0) flags |= dirty_flag;
  const CacheLevel::Outcome outcome = cache.touch(ref, flags);
  if (outcome.was_prefetched) ++here.counts.useful_prefetches;
  looked.ahead = looked.ahead || outcome.was_prefetched;
  if (outcome.missing != 0) {
    looked.missed = true;
    looked.sector_only = looked.sector_only && outcome.tag_hit;
    if (!swap) {
      looked.absent[looked.absent_count] = ref;
      looked.absent[looked.absent_count++].sectors = outcome.missing;
    }
  }
  send_away(path, depth, outcome.left);
  if (write_on) looked.written_on[looked.written_on_count++] = ref;
}

/// An exclusive level gives its line up; a line from further out passes by.
std::uint32_t CacheHierarchy::take_from(const Path& path, std::size_t depth,
                                        std::span<const LineRef> refs, Kind kind) {
  Stage& here = stage(path, depth);
  CacheLevel& cache = level(path, depth);
  ++count_for(here.counts.accesses, static_cast<unsigned>(kind));
  std::uint32_t dirty = 0;
  bool missed = false;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const FoundLine found = cache.remove(refs[i]);
    if (found) {
      dirty |= found.dirty != 0 ? 1U << i : 0U;
      continue;
    }
    missed = true;
    dirty |= (refer(path, depth + 1, refs.subspan(i, 1), kind, false) & 1U) << i;
  }
  if (missed) ++count_for(here.counts.misses, static_cast<unsigned>(kind));
  return dirty;
}

void CacheHierarchy::read_memory(std::span<const LineRef> refs) {
  for (const LineRef& ref : refs) memory_.read += Bytes{std::popcount(ref.sectors) * sector_bytes_};
}

// ---- Writes ------------------------------------------------------------------------------------------------------------

/// A store that a level does not keep goes on as a store of its own bytes.
void CacheHierarchy::store_on(const Path& path, std::size_t depth, const LineRef& ref) {
  if (depth == stages_.size()) return write_memory(ref.bytes);
  if (is_exclusive(depth)) {
    CacheLevel& cache = level(path, depth);
    if (cache.contains(ref)) return cache.mark_dirty(ref, ref.sectors);
    return store_on(path, depth + 1, ref);
  }
  refer(path, depth, {&ref, 1}, Kind::store, true);
}

/// A line has left a level to make room for another.
void CacheHierarchy::send_away(const Path& path, std::size_t depth, FoundLine line) {
  if (!line) return;
  Stage& here = stage(path, depth);
  ++here.counts.evictions;
  LineRef ref = ref_of(line.word);
  if (here.shape.inclusion == Inclusion::inclusive)
    line.dirty |= invalidate_before(path, depth, ref);
  if (line.dirty != 0) ++here.counts.writebacks;
  ref.sectors = line.dirty;
  if (line.dirty != 0 || is_exclusive(depth + 1)) put_back(path, depth + 1, ref);
}

/// Takes in a line from the level before: `sectors` are the dirty ones, none when it is clean and the level exclusive.
void CacheHierarchy::put_back(const Path& path, std::size_t depth, const LineRef& ref) {
  if (depth == stages_.size()) return write_memory(std::popcount(ref.sectors) * sector_bytes_);
  Stage& here = stage(path, depth);
  CacheLevel& cache = level(path, depth);
  if (!here.shape.write_back || (!here.shape.write_allocate && !cache.contains(ref))) {
    if (cache.contains(ref)) cache.touch(ref, 0);
    return put_back(path, depth + 1, ref);
  }
  const bool dirty = ref.sectors != 0;
  LineRef whole = ref;
  if (!dirty) whole.sectors = all_sectors_;
  const CacheLevel::Outcome outcome = cache.touch(whole, dirty ? dirty_flag : 0);
  send_away(path, depth, outcome.left);
}

std::uint8_t CacheHierarchy::invalidate_before(const Path& path, std::size_t depth,
                                               const LineRef& ref) {
  std::uint8_t dirty = 0;
  const auto take_out = [&](Stage& above, std::int64_t core) {
    CacheLevel& cache = above.instances[static_cast<std::size_t>(core / above.shape.shared_by)];
    if (const FoundLine found = cache.remove(ref)) {
      ++above.counts.invalidations;
      dirty |= found.dirty;
    }
  };
  const std::int64_t under = stages_[depth].shape.shared_by;
  const std::int64_t first = path.core / under * under;
  for (std::int64_t core = first; core < first + under; ++core) {
    for (std::size_t above = 0; above < depth; ++above) take_out(stages_[above], core);
    for (Stage& instructions : instruction_) take_out(instructions, core);
  }
  return dirty;
}

// ---- Prefetching -------------------------------------------------------------------------------------------------------

void CacheHierarchy::look_ahead(const Path& path, std::size_t depth, const LineRef& ref) {
  const std::uint64_t lines_of_page = std::max<std::uint64_t>(1, page_bytes >> line_bits_);
  const std::uint64_t page = ref.line / lines_of_page;
  if (stage(path, depth).shape.prefetch == Prefetch::next_line) {
    if ((ref.line + 1) / lines_of_page == page) prefetch(path, depth, ref.line + 1);
    return;
  }
  Stream& stream = stream_of(path, depth, page);
  if (stream.page != page) {
    stream = {page, ref.line, 0, 0};
    return;
  }
  const auto stride = static_cast<std::int64_t>(ref.line - stream.last);
  stream.confidence = stride == stream.stride && stride != 0 ? stream.confidence + 1 : 0;
  stream.stride = stride;
  stream.last = ref.line;
  const std::uint64_t next = ref.line + static_cast<std::uint64_t>(stride);
  if (stream.confidence >= 1 && next / lines_of_page == page) prefetch(path, depth, next);
}

CacheHierarchy::Stream& CacheHierarchy::stream_of(const Path& path, std::size_t depth,
                                                  std::uint64_t page) {
  Stage& here = stage(path, depth);
  Streams& streams = here.streams[static_cast<std::size_t>(path.core / here.shape.shared_by)];
  return streams[page % streams.size()];
}

void CacheHierarchy::prefetch(const Path& path, std::size_t depth, std::uint64_t line) {
  Stage& here = stage(path, depth);
  CacheLevel& cache = level(path, depth);
  LineRef ref{line, 0, 0, all_sectors_};
  if (!shorten(line, ref.key) || cache.contains(ref)) return;
  ++here.counts.prefetches;
  std::uint32_t flags = prefetched_flag;
  const bool swap = is_exclusive(depth + 1);
  if (swap && (take_from(path, depth + 1, {&ref, 1}, Kind::prefetch) & 1U) != 0)
    flags |= dirty_flag;
  const CacheLevel::Outcome outcome = cache.touch(ref, flags);
  send_away(path, depth, outcome.left);
  ref.sectors = outcome.missing;
  if (!swap) refer(path, depth + 1, {&ref, 1}, Kind::prefetch, false);
}

// ---- Answers -----------------------------------------------------------------------------------------------------------

std::vector<LevelCounts> CacheHierarchy::counts() const {
  std::vector<LevelCounts> all;
  for (const Stage& s : stages_) all.push_back(s.counts);
  for (const Stage& s : instruction_) all.push_back(s.counts);
  return all;
}

std::int64_t CacheHierarchy::lines_in(std::size_t depth) const {
  const Stage& s = depth < stages_.size() ? stages_[depth] : instruction_.front();
  std::int64_t lines = 0;
  for (const CacheLevel& cache : s.instances) lines += cache.lines();
  return lines;
}

bool CacheHierarchy::holds(std::size_t depth, std::int64_t core, std::uint64_t address) {
  LineRef ref;
  ref.line = address >> line_bits_;
  ref.sectors = sectors_of(address & ((std::uint64_t{1} << line_bits_) - 1),
                           address & ((std::uint64_t{1} << line_bits_) - 1));
  return shorten(ref.line, ref.key) && level({core, false}, depth).contains(ref);
}

}  // namespace tantalus

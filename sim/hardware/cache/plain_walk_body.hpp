// The loop of the short walk, for the files that instantiate it with their own way to search a set: `Sets` has
//   static Touched touch(uint32_t* set, unsigned ways, unsigned stride, uint32_t key, uint32_t flags)
// and is a type of that file alone. Nothing here may call a function of the standard library or another inline function: what
// is compiled for one processor must not be linked into code for all.
#pragma once

#include "sim/hardware/cache/plain_walk.hpp"

namespace tantalus {

template <class Sets>
class PlainWalker {
 public:
  explicit PlainWalker(PlainPath& path) : path_(path) {}

  [[gnu::always_inline]] std::size_t walk(const Access* accesses, std::size_t count) {
    const std::uint64_t lowest_bits = (std::uint64_t{1} << LineNumbers::stretch_bits) - 1;
    const unsigned line_bits = path_.line_bits;
    std::uint64_t kinds = 0;  // four counters of 16 bits
    std::uint64_t stretch = ~std::uint64_t{0};
    std::uint32_t upper = 0;
    if (count > most_at_once) count = most_at_once;
    std::size_t i = 0;
    for (; i < count; ++i) {
      const Access& access = accesses[i];
      const std::uint64_t line = access.address >> line_bits;
      const bool crosses = (access.address + access.bytes - 1) >> line_bits != line;
      if (crosses || access.core != path_.core) break;
      if (line >> LineNumbers::stretch_bits != stretch) {
        const std::uint32_t found = path_.numbers->look_up(line >> LineNumbers::stretch_bits);
        if (found == 0) break;
        stretch = line >> LineNumbers::stretch_bits;
        upper = found;
      }
      const std::uint32_t key = (upper | static_cast<std::uint32_t>(line & lowest_bits))
                                << flag_bits;
      const auto kind = static_cast<unsigned>(access.kind);
      kinds += std::uint64_t{1} << (16 * kind);
      refer(line, key, kind);
    }
    for (unsigned kind = 0; kind < access_kinds; ++kind)
      path_.references[kind] += static_cast<std::int64_t>(kinds >> (16 * kind) & most_at_once);
    return i;
  }

 private:
  static constexpr std::size_t most_at_once = 0xffff;

  [[gnu::always_inline]] static std::uint32_t* set_of(const PlainLevel& level, std::uint64_t line) {
    const std::uint64_t set = level.mask != 0 ? line & level.mask : line % level.sets;
    return level.words + set * level.stride;
  }

  [[gnu::always_inline]] void refer(std::uint64_t line, std::uint32_t key, unsigned kind) {
    constexpr auto fetch = static_cast<unsigned>(AccessKind::instruction);
    PlainLevel& first = kind == fetch ? *path_.instruction : *path_.data;
    const std::uint32_t flags = (kind & 1U) != 0 ? path_.store_flags : 0;  // store and modify
    std::uint32_t* const set = set_of(first, line);
    const std::uint32_t front = set[0];
    if ((front & ~flags_mask) == key) {  // the most recent one again: the common case
      if ((front & flags) != flags) set[0] = front | flags;
      return;
    }
    const Touched touched = Sets::touch(set, first.ways, first.stride, key, flags);
    if (!touched.hit) miss(first, touched.word, line, key, kind);
  }

  [[gnu::always_inline]] void miss(PlainLevel& first, std::uint32_t left, std::uint64_t line,
                                   std::uint32_t key, unsigned kind) {
    ++first.misses[kind];
    leave(first, left, 0);
    for (unsigned depth = 0; depth < path_.behind_count; ++depth) {
      PlainLevel& level = path_.behind[depth];
      const Touched touched = Sets::touch(set_of(level, line), level.ways, level.stride, key, 0);
      if (touched.hit) return;
      ++level.misses[kind];
      leave(level, touched.word, depth + 1);
    }
    ++path_.lines_read;
  }

  /// A line has left `level`; `next` is the index of the level behind it.
  [[gnu::always_inline]] void leave(PlainLevel& level, std::uint32_t word, unsigned next) {
    level.evictions += word != 0 ? 1 : 0;
    if ((word & dirty_flag) != 0) put_back(level, word, next);
  }

  [[gnu::noinline]] void put_back(PlainLevel& from, std::uint32_t word, unsigned next) {
    ++from.writebacks;
    for (; next < path_.behind_count; ++next) {
      PlainLevel& level = path_.behind[next];
      const std::uint32_t key = word & ~flags_mask;
      std::uint32_t* const set = set_of(level, path_.numbers->line_of(key >> flag_bits));
      const Touched touched = Sets::touch(set, level.ways, level.stride, key, dirty_flag);
      if (touched.hit || touched.word == 0) return;
      ++level.evictions;
      if ((touched.word & dirty_flag) == 0) return;
      ++level.writebacks;
      word = touched.word;
    }
    ++path_.lines_written;
  }

  PlainPath& path_;
};

template <class Sets>
Touched touch_with(std::uint32_t* set, unsigned ways, std::uint32_t key, std::uint32_t flags) {
  return Sets::touch(set, ways, ways <= 8 ? 8 : (ways + 15) / 16 * 16, key, flags);
}

template <class Sets>
std::size_t walk_with(PlainPath& path, const Access* accesses, std::size_t count) {
  PlainWalker<Sets> walker(path);
  return walker.walk(accesses, count);
}

}  // namespace tantalus

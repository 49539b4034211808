// The loop of the short walk, for the files that instantiate it with their own way to search a set: `Sets` is a type of that file
// alone and has
//   static Touched touch(uint32_t* set, unsigned ways, uint32_t key, uint32_t flags)   as TouchSet
//   static bool use_of_8(uint32_t* set, uint32_t key, uint32_t flags)    a hit in a set of stride 8, moved to the front
//   static bool use_of_16(uint32_t* set, uint32_t key)    the same in a set of stride 16
//   static uint32_t put_into_8(uint32_t* set, unsigned ways, uint32_t word)   a line that is not there; returns what leaves
// Nothing here may call a function of the standard library or another inline function: what is compiled for one processor must
// not be linked into code for all.
#pragma once

#include "sim/hardware/cache/plain_walk.hpp"

namespace tantalus {

template <class Sets>
class PlainWalker {
 public:
  explicit PlainWalker(PlainPath& path) : path_(path) {}

  /// `of_8`: sets of the first levels have stride 8, and there is a power of two of them.
  template <bool of_8>
  [[gnu::noinline]] std::size_t walk(const Access* accesses, std::size_t count) {
    const unsigned line_bits = path_.line_bits;
    const std::uint64_t in_line = (std::uint64_t{1} << line_bits) - 1;
    const std::uint32_t load_here = kind_and_core(AccessKind::load, path_.core);
    const PlainLevel& data = *path_.data;
    std::uint32_t* const words = data.words;
    const std::uint64_t mask = data.sets - 1;
    std::uint64_t stretch = ~std::uint64_t{0};
    std::uint32_t upper = 0;
    const Access* next = accesses;
    const Access* const end = accesses + count;
    for (; next != end; ++next) {
      const Access& access = *next;
      if ((access.address & in_line) + access.bytes > in_line + 1) break;
      const std::uint64_t line = access.address >> line_bits;
      if (line >> LineNumbers::stretch_bits != stretch) [[unlikely]] {
        const std::uint32_t found = path_.numbers->look_up(line >> LineNumbers::stretch_bits);
        if (found == 0) break;
        stretch = line >> LineNumbers::stretch_bits;
        upper = found << flag_bits;
      }
      const std::uint32_t key = upper | (static_cast<std::uint32_t>(line << flag_bits) & lower_key);
      if (kind_and_core(access.kind, access.core) == load_here) [[likely]] {
        std::uint32_t* const set = of_8 ? words + (line & mask) * 8 : set_of(data, line);
        if ((set[0] & ~flags_mask) == key) continue;  // the most recent one again
        if (of_8 && Sets::use_of_8(set, key, 0)) continue;
        ask_all<of_8>(*path_.data, set, line, key, static_cast<unsigned>(AccessKind::load));
      } else {
        if (access.core != path_.core) break;
        refer<of_8>(line, key, static_cast<unsigned>(access.kind));
      }
    }
    path_.references[static_cast<unsigned>(AccessKind::load)] += next - accesses - others_;
    others_ = 0;
    return static_cast<std::size_t>(next - accesses);
  }

 private:
  static constexpr std::uint32_t lower_key = ((1U << LineNumbers::stretch_bits) - 1U) << flag_bits;

  [[gnu::always_inline]] static std::uint32_t kind_and_core(AccessKind kind, std::uint16_t core) {
    return static_cast<std::uint32_t>(kind) | std::uint32_t{core} << 16U;
  }

  [[gnu::always_inline]] static std::uint32_t* set_of(const PlainLevel& level, std::uint64_t line) {
    const std::uint64_t set = level.mask != 0 ? line & level.mask : line % level.sets;
    return level.words + set * level.stride;
  }

  /// What is no load.
  template <bool of_8>
  [[gnu::always_inline]] void refer(std::uint64_t line, std::uint32_t key, unsigned kind) {
    constexpr auto fetch = static_cast<unsigned>(AccessKind::instruction);
    PlainLevel& first = kind == fetch ? *path_.instruction : *path_.data;
    ++path_.references[kind];
    ++others_;
    const std::uint32_t flags = (kind & 1U) != 0 ? path_.store_flags : 0;  // store and modify
    std::uint32_t* const set =
        of_8 ? first.words + (line & (first.sets - 1)) * 8 : set_of(first, line);
    const std::uint32_t front = set[0];
    if ((front & ~flags_mask) == key) {
      if ((front & flags) != flags) set[0] = front | flags;
      return;
    }
    if (of_8 && Sets::use_of_8(set, key, flags)) return;
    ask_all<of_8>(first, set, line, key | flags, kind);
  }

  /// The first level, unless it was asked already and said no (`of_8`), and those behind it until one has the line. A clean line
  /// that leaves and a second level that has the line are the common case: all else is out of line.
  template <bool of_8>
  [[gnu::noinline]] void ask_all(PlainLevel& first, std::uint32_t* set, std::uint64_t line,
                                 std::uint32_t word, unsigned kind) {
    const std::uint32_t key = word & ~flags_mask;
    std::uint32_t left = 0;
    if (of_8) {
      left = Sets::put_into_8(set, first.ways, word);
    } else {
      const Touched touched = Sets::touch(set, first.ways, key, word & flags_mask);
      if (touched.hit != 0) return;
      left = touched.word;
    }
    ++first.misses[kind];
    first.evictions += left != 0 ? 1 : 0;
    if ((left & dirty_flag) != 0) return put_back_and_ask(first, left, line, key, kind);
    const PlainLevel& second = *path_.behind;
    if (of_8 && path_.second_has_16 && Sets::use_of_16(set_of_16(second, line), key)) return;
    ask_behind(line, key, kind);
  }

  [[gnu::always_inline]] static std::uint32_t* set_of_16(const PlainLevel& level,
                                                         std::uint64_t line) {
    return level.words + (line & level.mask) * 16;
  }

  [[gnu::noinline]] void put_back_and_ask(PlainLevel& first, std::uint32_t left, std::uint64_t line,
                                          std::uint32_t key, unsigned kind) {
    put_back(first, left, 0);
    ask_behind(line, key, kind);
  }

  [[gnu::noinline]] void ask_behind(std::uint64_t line, std::uint32_t key, unsigned kind) {
    for (unsigned depth = 0; depth < path_.behind_count; ++depth) {
      PlainLevel& level = path_.behind[depth];
      const Touched behind = Sets::touch(set_of(level, line), level.ways, key, 0);
      if (behind.hit != 0) return;
      ++level.misses[kind];
      level.evictions += behind.word != 0 ? 1 : 0;
      if ((behind.word & dirty_flag) != 0) put_back(level, behind.word, depth + 1);
    }
    ++path_.lines_read;
  }

  /// A dirty line has left `from`; `next` is the index of the level behind it.
  [[gnu::noinline]] void put_back(PlainLevel& from, std::uint32_t word, unsigned next) {
    ++from.writebacks;
    for (; next < path_.behind_count; ++next) {
      PlainLevel& level = path_.behind[next];
      const std::uint32_t key = word & ~flags_mask;
      std::uint32_t* const set = set_of(level, path_.numbers->line_of(key >> flag_bits));
      const Touched touched = Sets::touch(set, level.ways, key, dirty_flag);
      if (touched.hit != 0 || touched.word == 0) return;
      ++level.evictions;
      if ((touched.word & dirty_flag) == 0) return;
      ++level.writebacks;
      word = touched.word;
    }
    ++path_.lines_written;
  }

  PlainPath& path_;
  std::int64_t others_ = 0;  // references of this walk that are no loads
};

template <class Sets>
Touched touch_with(std::uint32_t* set, unsigned ways, std::uint32_t key, std::uint32_t flags) {
  return Sets::touch(set, ways, key, flags);
}

template <class Sets>
std::size_t walk_with(PlainPath& path, const Access* accesses, std::size_t count) {
  const PlainLevel &data = *path.data, &instruction = *path.instruction;
  const bool is_short = data.stride == 8 && (data.mask != 0 || data.sets == 1) &&
                        instruction.stride == 8 && (instruction.mask != 0 || instruction.sets == 1);
  path.second_has_16 = path.behind_count > 0 && path.behind->stride == 16 && path.behind->mask != 0;
  PlainWalker<Sets> walker(path);
  return is_short ? walker.template walk<true>(accesses, count)
                  : walker.template walk<false>(accesses, count);
}

}  // namespace tantalus

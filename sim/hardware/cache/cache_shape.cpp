#include "sim/hardware/cache/cache_shape.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace tantalus {

namespace {

bool is_power_of_two(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

class ShapeCheck {
 public:
  ShapeCheck(const HierarchyShape& shape, SpecChecker& checker)
      : shape_(shape), checker_(checker) {}

  void run() {
    if (shape_.cores < 1) return say("cores", "there is no core", "at least 1");
    if (shape_.levels.empty())
      return say("levels", "there is no cache level", "give at least one level");
    if (shape_.levels.size() > most_cache_levels)
      return say("levels", "there are more than " + std::to_string(most_cache_levels) + " levels",
                 "leave some out");
    for (std::size_t i = 0; i < shape_.levels.size(); ++i)
      level("levels." + std::to_string(i), shape_.levels[i], i);
    if (shape_.instruction) level("instruction", *shape_.instruction, 0);
    if (lines_ > most_cache_lines)
      say("levels", "the caches hold more than 2^26 lines together", "use longer lines");
  }

 private:
  void say(const std::string& path, std::string message, std::string hint) {
    checker_.contradictory(path, "bad-cache", std::move(message), std::move(hint));
  }

  void level(const std::string& path, const CacheShape& cache, std::size_t depth) {
    const std::int64_t line = cache.line.count();
    if (!is_power_of_two(line) || line < 8 || line > 4096)
      return say(path + ".line", "a line is a power of two from 8 to 4096 bytes", "64 B is usual");
    if (cache.line != shape_.levels.front().line)
      say(path + ".line", "lines of different lengths are not simulated",
          "use the line of the first level");
    if (cache.ways < 1 || cache.ways > largest_ways)
      return say(path + ".ways", "ways are from 1 to " + std::to_string(largest_ways),
                 "a fully associative cache of more lines is not simulated");
    if (cache.capacity.count() / line > most_cache_lines)
      return say(path + ".capacity", "the level holds more than 2^26 lines", "use longer lines");
    if (cache.sets() < 1 || cache.sets() * cache.ways * line != cache.capacity.count())
      say(path + ".capacity",
          "the capacity is not a whole number of sets of " + std::to_string(cache.ways) +
              " lines of " + std::to_string(line) + " B",
          "capacity = sets x ways x line");
    policies(path, cache, depth);
    sectors(path, cache);
    sharing(path, cache, depth);
  }

  void policies(const std::string& path, const CacheShape& cache, std::size_t depth) {
    if (cache.replacement == Replacement::plru && !is_power_of_two(cache.ways))
      say(path + ".ways", "tree-PLRU needs a power of two of ways", "or write replacement: lru");
    if (cache.inclusion == Inclusion::exclusive && depth == 0)
      say(path + ".inclusion", "the first level has no level before it to exclude",
          "write neither");
    if (cache.inclusion != Inclusion::exclusive) return;
    if (!cache.write_back || !cache.write_allocate || cache.prefetch != Prefetch::none)
      say(path + ".inclusion", "an exclusive level takes what leaves the level before, and no more",
          "write_back: true, write_allocate: true, prefetch: none");
    const auto has_sectors = [](const CacheShape& level) { return level.sectors() > 1; };
    if (std::any_of(shape_.levels.begin(), shape_.levels.end(), has_sectors))
      say(path + ".inclusion", "exclusive levels and sectors are not simulated together",
          "leave the sectors out");
  }

  void sectors(const std::string& path, const CacheShape& cache) {
    if (cache.sector.count() == 0) return;
    if (!is_power_of_two(cache.sector.count()) || cache.sector > cache.line ||
        cache.sectors() > largest_sectors)
      return say(path + ".sector", "a line holds 1 to 8 sectors of a power of two of bytes",
                 "32 B sectors in lines of 128 B are usual");
    const auto other = [&](const CacheShape& level) {
      return level.sector.count() != 0 && level.sector != cache.sector;
    };
    if (std::any_of(shape_.levels.begin(), shape_.levels.end(), other))
      say(path + ".sector", "sectors of different lengths are not simulated",
          "0 B at a level that fetches whole lines");
  }

  void sharing(const std::string& path, const CacheShape& cache, std::size_t depth) {
    if (cache.shared_by < 1 || shape_.cores % cache.shared_by != 0)
      return say(path + ".shared_by",
                 "does not divide the " + std::to_string(shape_.cores) + " cores",
                 "cores that share one instance");
    if (depth > 0 &&
        cache.shared_by % std::max<std::int64_t>(1, shape_.levels[depth - 1].shared_by) != 0)
      say(path + ".shared_by", "an instance serves parts of the instances before it",
          "a multiple of that of the level before");
    lines_ += shape_.cores / cache.shared_by * (cache.capacity.count() / cache.line.count());
  }

  const HierarchyShape& shape_;
  SpecChecker& checker_;
  std::int64_t lines_ = 0;
};

class Collected final : public SpecChecker {
 public:
  void impossible(std::string_view path, std::string code, std::string message,
                  std::string hint) override {
    contradictory(path, std::move(code), std::move(message), std::move(hint));
  }
  void unusual(std::string_view, std::string, std::string, std::string) override {}
  void contradictory(std::string_view path, std::string code, std::string message,
                     std::string hint) override {
    found.push_back({Severity::error,
                     std::move(code),
                     {},
                     std::string(path),
                     std::move(message),
                     std::move(hint),
                     1});
  }
  Diagnostics found;
};

template <class E, std::size_t n>
std::string_view word_of(const EnumName<E> (&names)[n], E value) {
  for (const EnumName<E>& one : names) {
    if (one.value == value) return one.name;
  }
  return names[0].name;
}

}  // namespace

void check(const HierarchyShape& shape, SpecChecker& checker) { ShapeCheck(shape, checker).run(); }

Diagnostics mistakes_of(const HierarchyShape& shape) {
  Collected collected;
  check(shape, collected);
  return std::move(collected.found);
}

std::string level_name(const HierarchyShape& shape, std::size_t level) {
  if (level >= shape.levels.size())
    return shape.instruction && !shape.instruction->name.empty() ? shape.instruction->name : "L1i";
  const std::string& name = shape.levels[level].name;
  return name.empty() ? "L" + std::to_string(level + 1) : name;
}

std::string_view name_of(Replacement replacement) {
  return word_of(replacement_names, replacement);
}
std::string_view name_of(Inclusion inclusion) { return word_of(inclusion_names, inclusion); }
std::string_view name_of(Prefetch prefetch) { return word_of(prefetch_names, prefetch); }

}  // namespace tantalus

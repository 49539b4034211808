#include "sim/hardware/cache/plain_walk_body.hpp"

namespace tantalus {

namespace {

struct PortableSets {
  static Touched touch(std::uint32_t* set, unsigned ways, std::uint32_t key, std::uint32_t flags) {
    unsigned at = 0;
    while (at + 1 < ways && (set[at] & ~flags_mask) != key) ++at;
    const std::uint32_t word = set[at];
    const bool hit = (word & ~flags_mask) == key;
    shift_in(set, at, key | flags | (hit ? word & dirty_flag : 0));
    return {hit ? 1U : 0U, word};
  }

  /// All 8 words are looked at: what is behind the last way is zero and no line.
  static bool use_of_8(std::uint32_t* set, std::uint32_t key, std::uint32_t flags) {
    for (unsigned at = 1; at < 8; ++at) {
      if ((set[at] & ~flags_mask) != key) continue;
      shift_in(set, at, key | flags | (set[at] & dirty_flag));
      return true;
    }
    return false;
  }

  static bool use_of_16(std::uint32_t* set, std::uint32_t key) {
    for (unsigned at = 0; at < 16; ++at) {
      if ((set[at] & ~flags_mask) != key) continue;
      shift_in(set, at, key | (set[at] & dirty_flag));
      return true;
    }
    return false;
  }

  static std::uint32_t put_into_8(std::uint32_t* set, unsigned ways, std::uint32_t word) {
    const std::uint32_t left = set[ways - 1];
    shift_in(set, ways - 1, word);
    return left;
  }

 private:
  static void shift_in(std::uint32_t* set, unsigned at, std::uint32_t front) {
    for (unsigned i = at; i > 0; --i) set[i] = set[i - 1];
    set[0] = front;
  }
};

}  // namespace

SetFunctions portable_sets() { return {&touch_with<PortableSets>, &walk_with<PortableSets>}; }

bool is_available(SetSearch search) {
#if defined(__x86_64__)
  if (search == SetSearch::avx2)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
           __builtin_cpu_supports("bmi2") != 0;
  if (search == SetSearch::avx512)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           is_available(SetSearch::avx2);
#endif
  return search == SetSearch::portable;
}

SetSearch fastest_search() {
  if (is_available(SetSearch::avx512)) return SetSearch::avx512;
  return is_available(SetSearch::avx2) ? SetSearch::avx2 : SetSearch::portable;
}

SetFunctions set_functions(SetSearch search) {
#if defined(__x86_64__)
  if (search == SetSearch::avx512) return avx512_sets();
  if (search == SetSearch::avx2) return avx2_sets();
#endif
  return portable_sets();
}

}  // namespace tantalus

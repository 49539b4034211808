// Eight tags in one comparison. This file is compiled for AVX2 and runs only where the processor has it.
#include "sim/hardware/cache/plain_walk_body.hpp"

#if defined(__AVX2__)

#include <immintrin.h>

namespace tantalus {

namespace {

/// Lanes 0 to i are taken of what has moved.
alignas(32) constexpr std::int32_t moved_lanes[8][8] = {
    {-1, 0, 0, 0, 0, 0, 0, 0},       {-1, -1, 0, 0, 0, 0, 0, 0},
    {-1, -1, -1, 0, 0, 0, 0, 0},     {-1, -1, -1, -1, 0, 0, 0, 0},
    {-1, -1, -1, -1, -1, 0, 0, 0},   {-1, -1, -1, -1, -1, -1, 0, 0},
    {-1, -1, -1, -1, -1, -1, -1, 0}, {-1, -1, -1, -1, -1, -1, -1, -1}};

/// Lane i first, those before it behind it.
alignas(32) constexpr std::int32_t to_front[8][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 2, 3, 4, 5, 6, 7}, {2, 0, 1, 3, 4, 5, 6, 7},
    {3, 0, 1, 2, 4, 5, 6, 7}, {4, 0, 1, 2, 3, 5, 6, 7}, {5, 0, 1, 2, 3, 4, 6, 7},
    {6, 0, 1, 2, 3, 4, 5, 7}, {7, 0, 1, 2, 3, 4, 5, 6}};

__m256i load(const std::uint32_t* words) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(words));
}

struct Avx2Sets {
  [[gnu::always_inline]] static bool use_of_8(std::uint32_t* set, std::uint32_t key,
                                              std::uint32_t flags) {
    const __m256i v = load(set);
    const __m256i no_flags = _mm256_set1_epi32(static_cast<int>(~flags_mask));
    const __m256i equal =
        _mm256_cmpeq_epi32(_mm256_and_si256(v, no_flags), _mm256_set1_epi32(static_cast<int>(key)));
    const auto found = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
    if (found == 0) return false;
    const __m256i order =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(to_front[__builtin_ctz(found)]));
    const __m256i moved = _mm256_permutevar8x32_epi32(v, order);
    const __m256i front = _mm256_zextsi128_si256(_mm_cvtsi32_si128(static_cast<int>(flags)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(set), _mm256_or_si256(moved, front));
    return true;
  }

  [[gnu::always_inline]] static bool use_of_16(std::uint32_t* set, std::uint32_t key) {
    if (use_of_8(set, key, 0)) return true;
    const __m256i no_flags = _mm256_set1_epi32(static_cast<int>(~flags_mask));
    const __m256i equal = _mm256_cmpeq_epi32(_mm256_and_si256(load(set + 8), no_flags),
                                             _mm256_set1_epi32(static_cast<int>(key)));
    const auto found = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
    if (found == 0) return false;
    const unsigned at = 8 + static_cast<unsigned>(__builtin_ctz(found));
    shift_in(set, at, set[at]);
    return true;
  }

  [[gnu::always_inline]] static std::uint32_t put_into_8(std::uint32_t* set, unsigned ways,
                                                         std::uint32_t word) {
    const std::uint32_t left = set[ways - 1];
    shift_in(set, ways - 1, word);
    return left;
  }

  [[gnu::always_inline]] static Touched touch(std::uint32_t* set, unsigned ways, std::uint32_t key,
                                              std::uint32_t flags) {
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(key));
    const __m256i no_flags = _mm256_set1_epi32(static_cast<int>(~flags_mask));
    unsigned at = ways - 1;
    bool hit = false;
    for (unsigned first = 0; first < ways; first += 8) {
      const __m256i equal =
          _mm256_cmpeq_epi32(_mm256_and_si256(load(set + first), no_flags), wanted);
      const auto found = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
      if (found != 0) {
        at = first + static_cast<unsigned>(__builtin_ctz(found));
        hit = true;
        break;
      }
    }
    const std::uint32_t word = set[at];
    shift_in(set, at, key | flags | (hit ? word & dirty_flag : 0));
    return {hit ? 1U : 0U, word};
  }

  /// Words 0 to at - 1 move back by one, `front` comes first.
  [[gnu::always_inline]] static void shift_in(std::uint32_t* set, unsigned at,
                                              std::uint32_t front) {
    const __m256i back = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    __m256i carried = _mm256_set1_epi32(static_cast<int>(front));
    unsigned first = 0;
    for (; first + 8 <= at; first += 8) {
      const __m256i turned = _mm256_permutevar8x32_epi32(load(set + first), back);
      _mm256_store_si256(reinterpret_cast<__m256i*>(set + first),
                         _mm256_blend_epi32(turned, carried, 1));
      carried = turned;
    }
    const __m256i before = load(set + first);
    const __m256i turned = _mm256_permutevar8x32_epi32(before, back);
    const __m256i lanes =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(moved_lanes[at - first]));
    _mm256_store_si256(reinterpret_cast<__m256i*>(set + first),
                       _mm256_blendv_epi8(before, _mm256_blend_epi32(turned, carried, 1), lanes));
  }
};

}  // namespace

SetFunctions avx2_sets() { return {&touch_with<Avx2Sets>, &walk_with<Avx2Sets>}; }

}  // namespace tantalus

#endif

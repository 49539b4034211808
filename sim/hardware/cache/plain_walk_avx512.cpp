// Sixteen tags in one comparison, and a shift of a set in one instruction. This file is compiled for AVX-512 (F and VL) and runs
// only where the processor has both.
#include "sim/hardware/cache/plain_walk_body.hpp"

#if defined(__AVX512F__) && defined(__AVX512VL__)

#include <immintrin.h>

namespace tantalus {

namespace {

/// Lane i first, those before it behind it.
alignas(32) constexpr std::int32_t to_front[8][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 2, 3, 4, 5, 6, 7}, {2, 0, 1, 3, 4, 5, 6, 7},
    {3, 0, 1, 2, 4, 5, 6, 7}, {4, 0, 1, 2, 3, 5, 6, 7}, {5, 0, 1, 2, 3, 4, 6, 7},
    {6, 0, 1, 2, 3, 4, 5, 7}, {7, 0, 1, 2, 3, 4, 5, 6}};

/// The same for 16 lanes.
alignas(64) constexpr std::int32_t to_front_of_16[16][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {2, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {5, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {6, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {7, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15},
    {8, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15},
    {9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15},
    {10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15},
    {11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15},
    {12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15},
    {13, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15},
    {14, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15},
    {15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}};

struct Avx512Sets {
  [[gnu::always_inline]] static Touched touch(std::uint32_t* set, unsigned ways, std::uint32_t key,
                                              std::uint32_t flags) {
    if (ways <= 8) return touch_8(set, ways, key, flags);
    if (ways <= 16) return touch_16(set, ways, key, flags);
    return touch_long(set, ways, key, flags);
  }

  [[gnu::always_inline]] static bool use_of_8(std::uint32_t* set, std::uint32_t key,
                                              std::uint32_t flags) {
    const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(set));
    const __m256i differing = _mm256_xor_si256(v, _mm256_set1_epi32(static_cast<int>(key)));
    const unsigned found =
        _mm256_testn_epi32_mask(differing, _mm256_set1_epi32(static_cast<int>(~flags_mask)));
    if (found == 0) return false;
    const __m256i order =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(to_front[__builtin_ctz(found)]));
    const __m256i moved = _mm256_permutevar8x32_epi32(v, order);
    const __m256i front = _mm256_zextsi128_si256(_mm_cvtsi32_si128(static_cast<int>(flags)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(set), _mm256_or_si256(moved, front));
    return true;
  }

  [[gnu::always_inline]] static bool use_of_16(std::uint32_t* set, std::uint32_t key) {
    const __m512i v = _mm512_load_si512(set);
    const unsigned found = matches(v, key);
    if (found == 0) return false;
    const __m512i order = _mm512_load_si512(to_front_of_16[__builtin_ctz(found)]);
    _mm512_store_si512(set, _mm512_permutexvar_epi32(order, v));
    return true;
  }

  [[gnu::always_inline]] static std::uint32_t put_into_8(std::uint32_t* set, unsigned ways,
                                                         std::uint32_t word) {
    const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(set));
    const std::uint32_t left = set[ways - 1];
    const __m256i front = _mm256_set1_epi32(static_cast<int>(word));
    const auto moved = static_cast<__mmask8>((1U << ways) - 1U);
    _mm256_store_si256(reinterpret_cast<__m256i*>(set),
                       _mm256_mask_alignr_epi32(v, moved, v, front, 7));
    return left;
  }

 private:
  /// The word that lies in front afterwards.
  [[gnu::always_inline]] static int front_of(std::uint32_t key, std::uint32_t flags, bool hit,
                                             std::uint32_t word) {
    return static_cast<int>(key | flags | (hit ? word & dirty_flag : 0));
  }

  [[gnu::always_inline]] static Touched touch_8(std::uint32_t* set, unsigned ways,
                                                std::uint32_t key, std::uint32_t flags) {
    const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(set));
    const __m256i differing = _mm256_xor_si256(v, _mm256_set1_epi32(static_cast<int>(key)));
    const unsigned found =
        _mm256_testn_epi32_mask(differing, _mm256_set1_epi32(static_cast<int>(~flags_mask)));
    const bool hit = found != 0;
    const unsigned at = hit ? static_cast<unsigned>(__builtin_ctz(found)) : ways - 1;
    const std::uint32_t word = set[at];
    const __m256i front = _mm256_set1_epi32(front_of(key, flags, hit, word));
    const auto moved = static_cast<__mmask8>((2U << at) - 1U);
    _mm256_store_si256(reinterpret_cast<__m256i*>(set),
                       _mm256_mask_alignr_epi32(v, moved, v, front, 7));
    return {hit ? 1U : 0U, word};
  }

  [[gnu::always_inline]] static unsigned matches(__m512i v, std::uint32_t key) {
    const __m512i differing = _mm512_xor_si512(v, _mm512_set1_epi32(static_cast<int>(key)));
    return _mm512_testn_epi32_mask(differing, _mm512_set1_epi32(static_cast<int>(~flags_mask)));
  }

  [[gnu::always_inline]] static Touched touch_16(std::uint32_t* set, unsigned ways,
                                                 std::uint32_t key, std::uint32_t flags) {
    const __m512i v = _mm512_load_si512(set);
    const unsigned found = matches(v, key);
    const bool hit = found != 0;
    const unsigned at = hit ? static_cast<unsigned>(__builtin_ctz(found)) : ways - 1;
    const std::uint32_t word = set[at];
    const __m512i front = _mm512_set1_epi32(front_of(key, flags, hit, word));
    const auto moved = static_cast<__mmask16>((2U << at) - 1U);
    _mm512_store_si512(set, _mm512_mask_alignr_epi32(v, moved, v, front, 15));
    return {hit ? 1U : 0U, word};
  }

  static Touched touch_long(std::uint32_t* set, unsigned ways, std::uint32_t key,
                            std::uint32_t flags) {
    unsigned at = ways - 1, found = 0;
    for (unsigned first = 0; first < ways && found == 0; first += 16) {
      found = matches(_mm512_load_si512(set + first), key);
      if (found != 0) at = first + static_cast<unsigned>(__builtin_ctz(found));
    }
    const std::uint32_t word = set[at];
    __m512i carried = _mm512_set1_epi32(front_of(key, flags, found != 0, word));
    unsigned first = 0;
    for (; first + 16 <= at; first += 16) {
      const __m512i v = _mm512_load_si512(set + first);
      _mm512_store_si512(set + first, _mm512_alignr_epi32(v, carried, 15));
      carried = v;
    }
    const __m512i v = _mm512_load_si512(set + first);
    const auto moved = static_cast<__mmask16>((2U << (at - first)) - 1U);
    _mm512_store_si512(set + first, _mm512_mask_alignr_epi32(v, moved, v, carried, 15));
    return {found != 0 ? 1U : 0U, word};
  }
};

}  // namespace

SetFunctions avx512_sets() { return {&touch_with<Avx512Sets>, &walk_with<Avx512Sets>}; }

}  // namespace tantalus

#endif

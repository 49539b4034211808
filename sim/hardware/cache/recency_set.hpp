// One set of a cache whose lines lie in order of recency, most recent first: looking a line up and moving it to the front is
// one step. A word is the line's number in the upper 30 bits and two flags below; zero is an empty way, and empty ways are
// last. Sets lie `set_stride(ways)` words apart, what is behind the last way stays zero.
// There is a portable form and forms for AVX2 and AVX-512 that compare all tags at once; which one runs is found out when the
// program runs. All agree to the word (a test compares them).
#pragma once

#include <cstdint>

namespace tantalus {

inline constexpr std::uint32_t dirty_flag = 1;
inline constexpr std::uint32_t prefetched_flag = 2;  // fetched ahead and not used yet
inline constexpr std::uint32_t flags_mask = 3;
inline constexpr unsigned flag_bits = 2;

/// A set fills whole vectors: 8 words, or a multiple of 16.
constexpr unsigned set_stride(unsigned ways) { return ways <= 8 ? 8 : (ways + 15) / 16 * 16; }

/// What sets are made of, so that each begins where a vector may.
struct alignas(64) SetWords {
  std::uint32_t words[16] = {};
};

struct Touched {
  std::uint32_t hit;   // 0 or 1; as wide as its neighbour, so that both travel in one register
  std::uint32_t word;  // hit: as it was found, with its flags; miss: what left, 0: an empty way
};

/// `key` is a line's word without flags. Hit: it moves to the front, stays dirty when it was, and is no longer `prefetched`.
/// Miss: it is put in front and the last way leaves. Either way it gets `flags`.
using TouchSet = Touched (*)(std::uint32_t* set, unsigned ways, std::uint32_t key,
                             std::uint32_t flags);

/// How a set is searched; each is available only where the processor has it.
enum class SetSearch : std::uint8_t { portable, avx2, avx512 };
bool is_available(SetSearch search);
SetSearch fastest_search();

}  // namespace tantalus

// A number's scrambled twin: where things lie that have no reason to lie anywhere. The same on every machine.
#pragma once

#include <cstdint>

namespace tantalus {

/// The finaliser of SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014).
constexpr std::uint64_t place_hash(std::uint64_t place) {
  place += 0x9e3779b97f4a7c15U;
  place = (place ^ (place >> 30)) * 0xbf58476d1ce4e5b9U;
  place = (place ^ (place >> 27)) * 0x94d049bb133111ebU;
  return place ^ (place >> 31);
}

}  // namespace tantalus

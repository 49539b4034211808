// The shuffles of one warp: lanes put a value and take another lane's once all lanes of the same mask have put theirs. Nobody
// waits here; the emulator asks whether a round is complete and lets the lane sleep until it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tantalus::emulate {

inline constexpr int warp_lanes = 32;

class WarpExchange {
 public:
  struct Ticket {
    std::size_t set = 0;   // of lanes with one mask
    std::size_t half = 0;  // rounds alternate between two
  };

  Ticket put(unsigned mask, int lane, std::uint64_t bits);
  bool is_complete(Ticket ticket) const;
  /// Of a complete round; `lane` is one of its mask.
  std::uint64_t take(Ticket ticket, int lane) const;

  /// A new block begins.
  void clear() { sets_.clear(); }

 private:
  /// Lanes that shuffle with each other. Whoever arrives last in a round knows that all lanes have read the round before, so
  /// that its half is free.
  struct Set {
    unsigned mask = 0;
    std::array<unsigned, 2> arrived{};
    std::array<std::array<std::uint64_t, warp_lanes>, 2> bits{};
    std::array<unsigned, warp_lanes> round{};
  };

  std::size_t set_of(unsigned mask);

  std::vector<Set> sets_;
};

}  // namespace tantalus::emulate

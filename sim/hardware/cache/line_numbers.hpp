// Line numbers of 64 bits made short enough for a set's word: memory is cut into stretches of 2^24 lines, and a program touches
// few of them, so that 6 bits name the stretch. Exact both ways; what does not fit is refused. What the short walk calls is
// always inlined: no copy of it may be compiled for a processor that is not there.
#pragma once

#include <cstdint>

namespace tantalus {

class LineNumbers {
 public:
  static constexpr unsigned stretch_bits = 24;
  static constexpr std::uint32_t most_stretches = 63;

  /// The upper bits of the short numbers of a stretch, in place; 0 when it has none yet.
  [[gnu::always_inline]] std::uint32_t look_up(std::uint64_t stretch) const {
    const Memo& memo = memos_[stretch % memo_count];
    return memo.stretch == stretch ? memo.upper : 0;
  }

  /// The same, and a new stretch gets the next number; 0 when there is none left.
  std::uint32_t look_up_or_add(std::uint64_t stretch);

  [[gnu::always_inline]] std::uint64_t line_of(std::uint32_t number) const {
    return (stretches_[number >> stretch_bits] << stretch_bits) |
           (number & ((1U << stretch_bits) - 1U));
  }

 private:
  static constexpr std::uint64_t memo_count = 64;
  struct Memo {
    std::uint64_t stretch = ~std::uint64_t{0};
    std::uint32_t upper = 0;
  };

  std::uint64_t stretches_[most_stretches + 1] = {};  // by number, from 1
  std::uint32_t count_ = 0;
  Memo memos_[memo_count];
};

}  // namespace tantalus

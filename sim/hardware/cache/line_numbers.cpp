#include "sim/hardware/cache/line_numbers.hpp"

namespace tantalus {

std::uint32_t LineNumbers::look_up_or_add(std::uint64_t stretch) {
  std::uint32_t number = 1;
  while (number <= count_ && stretches_[number] != stretch) ++number;
  if (number > most_stretches) return 0;
  if (number > count_) {
    stretches_[number] = stretch;
    count_ = number;
  }
  const std::uint32_t upper = number << stretch_bits;
  memos_[stretch % memo_count] = {stretch, upper};
  return upper;
}

}  // namespace tantalus

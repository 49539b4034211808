// A set of small numbers, one bit each: which flow classes have flows, cross a link, are still to be settled. Numbers are
// visited in ascending order, so nothing that is computed from a set depends on the order in which it was filled. Sets that
// are combined have room for the same numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tantalus {

class ClassSet {
 public:
  /// Room for the numbers below `count`; never less than before. Members stay.
  void reserve(std::size_t count) {
    if (count > (1 + more_.size()) * word_bits) more_.resize((count - 1) / word_bits, 0);
  }
  bool contains(std::uint32_t number) const {
    return ((word(number) >> (number % word_bits)) & 1U) != 0;
  }
  /// Without a branch on the answer: which of the two is asked for is often a coin toss.
  void set(std::uint32_t number, bool member) {
    std::uint64_t& bits = number < word_bits ? first_ : more_[number / word_bits - 1];
    const unsigned place = number % word_bits;
    bits = (bits & ~(std::uint64_t{1} << place)) | (std::uint64_t{member} << place);
  }
  bool empty() const { return first_ == 0 && (more_.empty() || more_empty()); }

  /// Makes this set what is in both.
  void assign_common(const ClassSet& a, const ClassSet& b) {
    first_ = a.first_ & b.first_;
    if (!more_.empty()) assign_more(a, b);
  }
  void remove(const ClassSet& other) {
    first_ &= ~other.first_;
    if (!more_.empty()) remove_more(other);
  }
  /// Calls visit(number) for each member; it may take that number out.
  template <class Visit>
  void each(Visit visit) const {
    each_of(first_, 0, visit);
    for (std::size_t w = 0; w < more_.size(); ++w) each_of(more_[w], (w + 1) * word_bits, visit);
  }

 private:
  static constexpr std::size_t word_bits = 64;

  std::uint64_t word(std::uint32_t number) const {
    return number < word_bits ? first_ : more_[number / word_bits - 1];
  }
  // The same for the other words; not here, because inlined loops over nothing cost more than the one word.
  bool more_empty() const;
  void assign_more(const ClassSet& a, const ClassSet& b);
  void remove_more(const ClassSet& other);

  template <class Visit>
  static void each_of(std::uint64_t bits, std::size_t begin, Visit visit) {
    for (; bits != 0; bits &= bits - 1) {
      visit(static_cast<std::uint32_t>(begin) + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }

  std::uint64_t first_ = 0;          // the numbers below 64, which are mostly all there are
  std::vector<std::uint64_t> more_;  // 64 to each word
};

}  // namespace tantalus

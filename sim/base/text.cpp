#include "sim/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace tantalus {

namespace {

char folded(char c) {
  if (c == '-' || c == ' ') return '_';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Optimal string alignment distance: insert, delete, replace, swap of neighbours; case and - _ are not counted.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
          folded(a[i - 2]) == folded(b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string closest_word(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t longest_word =
      64;  // a longer one is not a typo, and the search is quadratic
  if (word.empty() || word.size() > longest_word) return {};
  const std::size_t near_enough = std::max<std::size_t>(1, word.size() / 3);
  std::string best;
  std::size_t best_distance = near_enough + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(word, candidate);
    if (d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string_view line_of_text(std::string_view text, int number) {
  std::size_t begin = 0;
  for (int line = 1; begin <= text.size(); ++line) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    if (line == number) return text.substr(begin, end - begin);
    const bool crlf = end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n';
    begin = end + (crlf ? 2 : 1);
  }
  return {};
}

}  // namespace tantalus

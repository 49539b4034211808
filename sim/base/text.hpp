// Small text tools that diagnostics need: the closest known word and one line of a text. No formatting, no files.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tantalus {

/// The candidate nearest to `word` by edit distance (swaps count once), or "" when none is near enough to suggest.
/// Ties go to the earlier candidate.
std::string closest_word(std::string_view word, std::span<const std::string> candidates);

/// Line `number` (from 1) of `text` without its line end (LF, CRLF or CR); "" when there is none.
std::string_view line_of_text(std::string_view text, int number);

}  // namespace tantalus

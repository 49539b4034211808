#include "tests/fuzz/laws.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace tantalus::fuzz {
namespace {

/// Bytes of each line; LF, CRLF and bare CR all end one.
std::vector<std::size_t> line_lengths(std::string_view text) {
  std::vector<std::size_t> lengths{0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      continue;  // the LF ends the line
    }
    if (text[i] == '\n' || text[i] == '\r') {
      lengths.push_back(0);
    } else {
      ++lengths.back();
    }
  }
  return lengths;
}

}  // namespace

void require(bool holds, std::string_view law) {
  if (!holds) {
    std::fprintf(stderr, "broken law: %.*s\n", static_cast<int>(law.size()), law.data());
    std::abort();
  }
}

void require_placed(std::span<const Diagnostic> diagnostics, std::string_view text) {
  const std::vector<std::size_t> lengths = line_lengths(text);
  for (const Diagnostic& diagnostic : diagnostics) {
    require(!diagnostic.code.empty(), "a diagnostic has a code");
    require(!diagnostic.message.empty(), "a diagnostic has a message");
    require(!render(diagnostic, text).empty(), "a diagnostic can be rendered");
    const int line = diagnostic.where.line;
    if (line == 0) {
      continue;  // the whole file
    }
    require(line > 0 && static_cast<std::size_t>(line) <= lengths.size(), "a line is in the file");
    const std::size_t length = lengths[static_cast<std::size_t>(line) - 1];
    const int column = diagnostic.where.column;
    require(column >= 1 && static_cast<std::size_t>(column) <= length + 1,
            "a column is in its line");
  }
}

std::string_view text_of(const unsigned char* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace tantalus::fuzz

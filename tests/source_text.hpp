// Source files as text, for the tests that read our own code. It is a lexer of a few lines, not a parser: it knows
// comments, literals and include lines, promises to keep every line's number, and reports files that it cannot read by
// throwing std::runtime_error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tantalus::test {

struct SourceFile {
  std::string path;  // from the repository's root, with '/'
  std::string text;
};

struct Include {
  int line = 0;        // counts from 1
  std::string target;  // what stands between the quotes or angle brackets
  bool quoted = false;
};

/// Every C++ and CUDA file below the rooms of the repository at `root`, sorted by path.
std::vector<SourceFile> read_sources(const std::filesystem::path& root);

/// The text with comments blanked, and with the contents of string and character literals blanked too unless
/// `keep_literals`. Line breaks stay where they are.
std::string without_comments(std::string_view text, bool keep_literals = false);

std::vector<Include> find_includes(std::string_view text);

std::vector<std::string> split_lines(std::string_view text);

}  // namespace tantalus::test

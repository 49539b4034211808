#include "tests/source_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace tantalus::test {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> source_folders{"sim", "models", "kernels", "validate",
                                                         "tests"};
constexpr std::array<std::string_view, 5> source_endings{".cpp", ".hpp", ".cu", ".cuh", ".h"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read " + path.string());
  }
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Walks over one text and writes its twin with the unwanted parts blanked.
class Blanker {
 public:
  Blanker(std::string_view text, bool keep_literals)
      : in_(text), out_(text), keep_literals_(keep_literals) {}

  std::string run() {
    while (at_ < in_.size()) {
      step();
    }
    return std::move(out_);
  }

 private:
  bool starts(std::string_view word) const { return in_.substr(at_).starts_with(word); }

  void step() {
    if (starts("//")) {
      blank_until(in_.find('\n', at_));
    } else if (starts("/*")) {
      const std::size_t end = in_.find("*/", at_ + 2);
      blank_until(end == std::string_view::npos ? end : end + 2);
    } else if (starts("R\"") && (at_ == 0 || !is_word(in_[at_ - 1]))) {
      raw_string();
    } else if (in_[at_] == '"') {
      literal('"');
    } else if (in_[at_] == '\'' && (at_ == 0 || !is_word(in_[at_ - 1]))) {
      literal('\'');  // after a digit or letter it separates digits: 1'000'000
    } else {
      ++at_;
    }
  }

  void blank_until(std::size_t end) {
    end = std::min(end, in_.size());
    for (; at_ < end; ++at_) {
      if (in_[at_] != '\n') {
        out_[at_] = ' ';
      }
    }
  }

  void skip_or_blank_until(std::size_t end) {
    if (keep_literals_) {
      at_ = std::min(end, in_.size());
    } else {
      blank_until(end);
    }
  }

  void raw_string() {
    const std::size_t open = in_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = in_.size();
      return;
    }
    const std::string close = ")" + std::string(in_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t end = in_.find(close, open);
    at_ = open + 1;
    skip_or_blank_until(end);
    at_ = std::min(at_ + close.size(), in_.size());
  }

  void literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < in_.size() && in_[end] != quote && in_[end] != '\n') {
      end += in_[end] == '\\' ? 2 : 1;
    }
    ++at_;
    skip_or_blank_until(end);
    at_ = std::min(at_ + 1, in_.size());
  }

  std::string_view in_;
  std::string out_;
  bool keep_literals_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<SourceFile> read_sources(const fs::path& root) {
  std::vector<SourceFile> files;
  for (const std::string_view folder : source_folders) {
    if (!fs::exists(root / folder)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && contains(source_endings, entry.path().extension().string())) {
        files.push_back({fs::relative(entry.path(), root).generic_string(), read_file(entry)});
      }
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string without_comments(std::string_view text, bool keep_literals) {
  return Blanker(text, keep_literals).run();
}

std::vector<Include> find_includes(std::string_view text) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  int line = 0;
  for (const std::string& code : split_lines(without_comments(text, true))) {
    ++line;
    std::smatch match;
    if (std::regex_search(code, match, pattern)) {
      includes.push_back({line, match[2].str(), match[1].str() == "\""});
    }
  }
  return includes;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace tantalus::test

#include "sim/config/spec_writer.hpp"

#include <algorithm>
#include <cstdio>

namespace tantalus {

namespace {

constexpr std::size_t comment_column = 44;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_plain_inside(char c) {
  static constexpr std::string_view others = " _-./+*()<>=%";
  return is_letter(c) || (c >= '0' && c <= '9') || others.find(c) != std::string_view::npos;
}

bool is_taken_word(std::string_view words) {
  static constexpr std::string_view taken[] = {"true", "false", "null", "yes", "no",
                                               "on",   "off",   "y",    "n"};
  std::string lower(words);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(std::begin(taken), std::end(taken), lower) != std::end(taken);
}

std::string escaped(char c) {
  if (c == '"' || c == '\\') return std::string("\\") + c;
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (static_cast<unsigned char>(c) >= 0x20) return std::string(1, c);
  char code[8];
  std::snprintf(code, sizeof code, "\\x%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return code;
}

}  // namespace

std::string yaml_text(std::string_view words) {
  const bool plain = !words.empty() && is_letter(words.front()) && words.back() != ' ' &&
                     std::all_of(words.begin(), words.end(), is_plain_inside) &&
                     !is_taken_word(words);
  if (plain) return std::string(words);
  std::string text = "\"";
  for (const char c : words) text += escaped(c);
  return text + "\"";
}

void SpecWriter::line(std::string_view key, const std::string& value) {
  std::string text(static_cast<std::size_t>(indent_), ' ');
  if (first_of_item_) text.replace(text.size() - 2, 2, "- ");
  first_of_item_ = false;
  std::string comment;
  if (options_.origins != nullptr) {
    const auto origin = options_.origins->find(path_ + std::string(key));
    if (origin != options_.origins->end()) comment = to_text(origin->second);
  }
  lines_.push_back(
      {text + std::string(key) + ":" + (value.empty() ? "" : " " + value), std::move(comment)});
}

void SpecWriter::open(std::string_view key) {
  line(key, "");
  empty_marks_.push_back(lines_.size());
  path_ += std::string(key) + ".";
  indent_ += 2;
}

// A section without a line is still a map: {}.
void SpecWriter::close() {
  if (lines_.size() == empty_marks_.back()) lines_.back().text += " {}";
  empty_marks_.pop_back();
  indent_ -= 2;
  path_.pop_back();
  path_.erase(path_.find_last_of('.') + 1);
}

void SpecWriter::open_item(std::size_t index) {
  empty_marks_.push_back(lines_.size());
  path_ += std::to_string(index) + ".";
  indent_ += 2;
  first_of_item_ = true;
}

void SpecWriter::close_item() {
  if (lines_.size() == empty_marks_.back()) {
    lines_.push_back({std::string(static_cast<std::size_t>(indent_ - 2), ' ') + "- {}", {}});
  }
  first_of_item_ = false;
  empty_marks_.pop_back();
  indent_ -= 2;
  path_.pop_back();
  path_.erase(path_.find_last_of('.') + 1);
}

std::string SpecWriter::finish() {
  std::string text;
  for (const Line& written : lines_) {
    text += written.text;
    if (!written.comment.empty()) {
      const std::size_t columns = written.text.size() + 1;
      text += std::string(columns < comment_column ? comment_column - columns : 1, ' ') + " # " +
              written.comment;
    }
    text += '\n';
  }
  return text;
}

}  // namespace tantalus

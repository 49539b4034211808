#include "sim/config/plain_yaml.hpp"

#include <algorithm>
#include <utility>

namespace tantalus {

namespace {

constexpr std::size_t longest_key = 250;   // YAML ends at 1,024
constexpr std::size_t most_entries = 256;  // of one map: they are compared with each other
constexpr std::string_view never_first = ",[]{}#&*!|>'\"%@`?:~\\";  // of a plain scalar

bool is_null_word(std::string_view word) {
  return word == "null" || word == "Null" || word == "NULL";
}

/// The scalar at hand, as it stands in the text.
struct Scalar {
  std::string_view text;
  bool quoted = false;

  int width() const {
    const std::size_t columns = text.size() + (quoted ? 2 : 0);
    return static_cast<int>(std::clamp<std::size_t>(columns, 1, 1000));
  }
};

/// Walks the text once. Every function that returns a bool gives up with false, and then nothing it left behind counts.
class PlainReader {
 public:
  PlainReader(std::string_view text, const std::string& file, int depth)
      : text_(text), file_(file), depth_(depth) {}

  bool read(YamlNode& root) {
    return end_line() && column() == 0 && !is_dash() && read_map(root, 0, 1) && at_ == text_.size();
  }

 private:
  enum class Within { block, flow };

  // ------------------------------------------------------------------------------------------------------------ places

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';  // the text ends as a line does
  }
  bool blank(std::size_t ahead) const { return peek(ahead) == ' ' || peek(ahead) == '\n'; }

  /// Of the next character, from 0; -1 past the end, which is left of everything.
  int column() const { return at_ < text_.size() ? static_cast<int>(at_ - line_begin_) : -1; }
  SourcePos here() const { return {file_, line_, static_cast<int>(at_ - line_begin_) + 1}; }

  bool is_dash() const { return peek() == '-' && blank(1); }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool begins_comment() const {
    return peek() == '#' && (at_ == line_begin_ || text_[at_ - 1] == ' ');
  }
  /// To the first character of the next line.
  void skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ == text_.size()) return;
    line_begin_ = ++at_;
    ++line_;
  }

  /// Past blanks, comments and empty lines, to the first word of a later line. False when this line goes on.
  bool end_line() {
    while (at_ < text_.size()) {
      skip_spaces();
      if (peek() != '\n' && !begins_comment()) return at_ == first_word_of_line();
      skip_line();
    }
    return true;
  }
  std::size_t first_word_of_line() const {
    return std::min(text_.find_first_not_of(' ', line_begin_), text_.size());
  }

  // ------------------------------------------------------------------------------------------------------------- block

  bool read_map(YamlNode& map, int column_of_map, int depth) {
    map.kind = YamlNode::Kind::map;
    map.where = here();
    if (depth >= depth_) return false;
    do {
      if (!read_key(map, Within::block)) return false;
      if (!read_value(map.entries.back().value, column_of_map, depth)) return false;
    } while (column() == column_of_map);
    return column() < column_of_map;
  }

  // What stands behind `key:`, on its line or indented below it.
  bool read_value(YamlNode& value, int column_of_map, int depth) {
    skip_spaces();
    if (peek() != '\n' && !begins_comment()) return read_last_of_line(value, column_of_map, depth);
    if (!end_line()) return false;
    if (column() == column_of_map && is_dash()) return read_list(value, column_of_map, depth + 1);
    if (column() <= column_of_map) return false;  // nothing there
    return is_dash() ? read_list(value, column(), depth + 1) : read_map(value, column(), depth + 1);
  }

  // A list may stand right below its key, not indented: its end is then the next key.
  bool read_list(YamlNode& list, int column_of_list, int depth) {
    list.kind = YamlNode::Kind::list;
    list.where = here();
    if (depth >= depth_) return false;
    do {
      ++at_;
      skip_spaces();
      list.items.emplace_back();
      if (!read_item(list.items.back(), column_of_list, depth)) return false;
    } while (column() == column_of_list && is_dash());
    return column() <= column_of_list;
  }

  bool read_item(YamlNode& item, int column_of_list, int depth) {
    if (begins_key()) return read_map(item, column(), depth + 1);
    return read_last_of_line(item, column_of_list, depth);
  }

  bool begins_key() {
    const std::size_t start = at_;
    Scalar key;
    const bool found = read_scalar(key, Within::block) && peek() == ':';
    at_ = start;
    return found;
  }

  // A line further right would carry the value on.
  bool read_last_of_line(YamlNode& value, int column_of_parent, int depth) {
    return read_inline(value, Within::block, depth) && end_line() && column() <= column_of_parent;
  }

  // -------------------------------------------------------------------------------------------------------------- flow

  bool read_inline(YamlNode& node, Within within, int depth) {
    node.where = here();
    if (peek() == '[') return read_flow_list(node, depth + 1);
    if (peek() == '{') return read_flow_map(node, depth + 1);
    Scalar scalar;
    if (!read_scalar(scalar, within)) return false;
    node.kind = YamlNode::Kind::scalar;
    node.quoted = scalar.quoted;
    node.text = scalar.text;
    node.width = scalar.width();
    return true;
  }

  bool read_flow_list(YamlNode& list, int depth) {
    list.kind = YamlNode::Kind::list;
    if (depth >= depth_) return false;
    ++at_;
    if (!skip_flow_space()) return false;
    if (ends_flow(']')) return true;
    do {
      list.items.emplace_back();
      if (!read_inline(list.items.back(), Within::flow, depth) || !skip_flow_space()) return false;
    } while (goes_on());
    return ends_flow(']');
  }

  bool read_flow_map(YamlNode& map, int depth) {
    map.kind = YamlNode::Kind::map;
    if (depth >= depth_) return false;
    ++at_;
    if (!skip_flow_space()) return false;
    if (ends_flow('}')) return true;
    do {
      if (!read_key(map, Within::flow)) return false;
      skip_spaces();
      if (!read_inline(map.entries.back().value, Within::flow, depth)) return false;
      if (!skip_flow_space()) return false;
    } while (goes_on());
    return ends_flow('}');
  }

  bool ends_flow(char bracket) {
    if (peek() != bracket) return false;
    ++at_;
    return true;
  }
  bool goes_on() {
    if (peek() != ',') return false;
    ++at_;
    return skip_flow_space();
  }

  // Brackets may span lines; none of these begins in the first column, where a document marker could stand.
  bool skip_flow_space() {
    for (skip_spaces(); at_ < text_.size(); skip_spaces()) {
      if (peek() != '\n' && !begins_comment()) return at_ != line_begin_;
      skip_line();
    }
    return false;
  }

  // ----------------------------------------------------------------------------------------------------------- scalars

  // A key and its colon. A key that is there already is a mistake, and `<<` merges.
  bool read_key(YamlNode& map, Within within) {
    YamlEntry entry;
    entry.where = here();
    Scalar key;
    if (!read_scalar(key, within) || peek() != ':' || !blank(1)) return false;
    ++at_;
    if (key.text.size() > longest_key || key.text == "<<") return false;
    if (map.entries.size() >= most_entries || map.find(key.text) != nullptr) return false;
    entry.key = key.text;
    entry.width = key.width();
    map.entries.push_back(std::move(entry));
    return true;
  }

  bool read_scalar(Scalar& scalar, Within within) {
    if (peek() == '"' || peek() == '\'') return read_quoted(scalar);
    return read_plain(scalar, within);
  }

  // No escapes, and not past the end of the line.
  bool read_quoted(Scalar& scalar) {
    const char quote = peek();
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find_first_of(quote == '"' ? "\"\\\n" : "'\n", begin);
    if (end == std::string_view::npos || text_[end] != quote) return false;
    at_ = end + 1;
    if (quote == '\'' && peek() == '\'') return false;  // a doubled quote stands for one
    scalar = {text_.substr(begin, end - begin), true};
    return true;
  }

  bool read_plain(Scalar& scalar, Within within) {
    const std::size_t begin = at_;
    if (blank(0) || never_first.find(peek()) != std::string_view::npos) return false;
    if (peek() == '-' && (blank(1) || never_first.find(peek(1)) != std::string_view::npos))
      return false;
    if (at_ == line_begin_ && is_document_marker()) return false;
    while (!ends_plain(within)) {
      if (static_cast<unsigned char>(peek()) >= 0x80) return false;
      ++at_;
    }
    if (within == Within::flow && peek() == '\n') return false;  // it may go on below
    const std::size_t end = text_.find_last_not_of(' ', at_ - 1) + 1;
    if (peek() == ':' && end != at_) return false;
    at_ = end;
    scalar = {text_.substr(begin, end - begin), false};
    return !is_null_word(scalar.text);
  }

  bool is_document_marker() const {
    const std::string_view three = text_.substr(at_, 3);
    return three == "---" || three == "...";
  }

  // At the end of the line, a comment, a key's colon, or between brackets one of those that belong to them.
  bool ends_plain(Within within) const {
    const char next = peek();
    if (next == '\n' || begins_comment()) return true;
    if (next == ':' && blank(1)) return true;
    if (within == Within::block) return false;
    if (next == ':') return std::string_view(",[]{}").find(peek(1)) != std::string_view::npos;
    return std::string_view(",?[]{}").find(next) != std::string_view::npos;
  }

  std::string_view text_;
  FileName file_;
  int depth_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
};

}  // namespace

std::optional<YamlNode> read_plain_yaml(std::string_view text, const std::string& file,
                                        const YamlLimits& limits) {
  // No value is counted more often than it has characters, so that a short text has not too many.
  if (static_cast<std::int64_t>(text.size()) >= limits.nodes) return std::nullopt;
  // To YAML a tab is a blank in some places and text in others.
  if (text.find('\t') != std::string_view::npos) return std::nullopt;
  std::optional<YamlNode> root(std::in_place);
  if (!PlainReader(text, file, limits.depth).read(*root)) root.reset();
  return root;
}

}  // namespace tantalus

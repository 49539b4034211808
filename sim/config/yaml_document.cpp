#include "sim/config/yaml_document.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "sim/base/text.hpp"
#include "sim/config/plain_yaml.hpp"

namespace tantalus {

namespace {

Diagnostic error_in(const FileName& file, int line, int column, std::string code,
                    std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.where = {file, line, column};
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

// ------------------------------------------------------------------------------------- before the parser sees the text

// Bare CR ends a line as LF and CRLF do; yaml-cpp would join the lines. The byte order mark goes.
std::string normalized(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  if (text.find('\r') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

// The length of the UTF-8 sequence at `i`, or 0 when it is not one (overlong, surrogate, past U+10FFFF, cut off).
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  const unsigned second = byte_at(text, i + 1);
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (second < low || second > high) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xC0) != 0x80) return 0;
  }
  return length;
}

bool is_control(unsigned byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F;
}

// The first byte that no text file has, or nothing.
std::optional<Diagnostic> check_bytes(std::string_view text, const std::string& file) {
  int line = 1;
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] >= ' ' && text[i] < '\x7F') {
      ++i;  // nearly all of them
      continue;
    }
    const auto column = static_cast<int>(i - line_begin) + 1;
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      return error_in(file, line, column, "bad-encoding", "this byte is not UTF-8 text",
                      "save the file as UTF-8");
    }
    if (is_control(byte_at(text, i))) {
      return error_in(file, line, column, "bad-character", "a control byte is not allowed here",
                      "remove it; is this a text file?");
    }
    if (text[i] == '\n') {
      ++line;
      line_begin = i + 1;
    }
    i += length;
  }
  return std::nullopt;
}

// YAML forbids tabs as indentation; yaml-cpp reads some of them as something else.
std::optional<Diagnostic> check_tabs(std::string_view text, const std::string& file) {
  if (text.find('\t') == std::string_view::npos) return std::nullopt;
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = text.substr(begin, end - begin);
    const std::size_t tab = content.find('\t');
    if (tab < content.find_first_not_of(" \t")) {
      return error_in(file, line, static_cast<int>(tab) + 1, "tab-indentation",
                      "a tab cannot indent YAML", "use spaces");
    }
    begin = end + 1;
  }
  return std::nullopt;
}

// --------------------------------------------------------------------------------------------- from events to our tree

/// Thrown through yaml-cpp to stop it; never leaves this file.
struct Refusal {
  Diagnostic diagnostic;
};

std::int64_t count_nodes(const YamlNode& node) {
  std::int64_t count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  for (const YamlEntry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

// A copy seen through an alias stands at the alias and remembers the line where its text is.
void stand_at(YamlNode& node, const SourcePos& alias) {
  if (node.written_line == 0) node.written_line = node.where.line;
  node.where = alias;
  node.width = 1;
  for (YamlNode& item : node.items) stand_at(item, alias);
  for (YamlEntry& entry : node.entries) {
    entry.where = alias;
    entry.width = 1;
    stand_at(entry.value, alias);
  }
}

// "!!str" as it was written, not as YAML spells it out.
std::string short_tag(const std::string& tag) {
  constexpr std::string_view standard = "tag:yaml.org,2002:";
  return tag.rfind(standard, 0) == 0 ? "!!" + tag.substr(standard.size()) : tag;
}

// Past the anchor and tag that may stand before a value.
std::size_t skip_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = text.find_first_not_of(" \n", std::min(text.find_first_of(" \n", at), text.size()));
  }
  return at;
}

// Whether the quoted text at `at` has its closing quote: yaml-cpp takes the end of the file for one.
bool is_closed(std::string_view text, std::size_t at) {
  at = skip_properties(text, at);
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return true;  // a block scalar
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || byte_at(text, at + 1) != '\'') return true;
      ++at;  // a doubled quote stands for one
    }
  }
  return false;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const std::string& file, const YamlLimits& limits)
      : text_(text), file_(file), limits_(limits) {}

  YamlNode take_root() { return std::move(root_); }
  Diagnostics take_errors() { return std::move(errors_); }
  const std::optional<SourcePos>& second_start() const { return second_start_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) {
      second_start_ = place(mark);
      throw Refusal{};
    }
    started_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node;
    node.where = place(mark);
    // A value that is not there is marked where the next thing begins; its key is the better place.
    if (wants_value() && frames_.back().pending.where.line != node.where.line) {
      node.where = frames_.back().pending.where;
      node.width = frames_.back().pending.width;
    }
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) {
      refuse(place(mark), "cyclic-alias", "the alias stands inside the value it names",
             "an alias can only repeat a value that is complete");
    }
    spend(known->second.nodes, place(mark));
    YamlNode copy = known->second.node;
    stand_at(copy, place(mark));
    finish(std::move(copy), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.where = place(mark);
    node.quoted = tag != "?";
    node.text = value;
    if (node.quoted && !is_closed(text_, static_cast<std::size_t>(std::max(mark.pos, 0)))) {
      add_error(node.where, 1, "yaml-syntax", "not valid YAML: this quote is never closed",
                "put the same quote at the end of the text");
    }
    const std::size_t columns = value.size() + (node.quoted ? 2 : 0);
    node.width = static_cast<int>(std::clamp<std::size_t>(columns, 1, 1000));
    finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override {
    check_duplicates(frames_.back());
    merge(frames_.back());
    end();
  }

 private:
  /// A list or map on the way down. In a map, `pending` is the key whose value comes next.
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    YamlEntry pending;
    bool pending_merge = false;
    std::vector<YamlEntry> merges;  // the values of `<<`
  };
  struct Anchored {
    YamlNode node;
    std::int64_t nodes = 0;
  };

  SourcePos place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

  void add_error(const SourcePos& where, int width, std::string code, std::string message,
                 std::string hint) {
    errors_.push_back(error_in(file_, where.line, where.column, std::move(code), std::move(message),
                               std::move(hint)));
    errors_.back().width = width;
  }

  [[noreturn]] void refuse(const SourcePos& where, std::string code, std::string message,
                           std::string hint) {
    throw Refusal{error_in(file_, where.line, where.column, std::move(code), std::move(message),
                           std::move(hint))};
  }

  void spend(std::int64_t nodes, const SourcePos& where) {
    spent_ += nodes;
    if (spent_ <= limits_.nodes) return;
    refuse(where, "too-many-values",
           "more than " + std::to_string(limits_.nodes) + " values, aliases counted each time",
           "a specification is far smaller; aliases of aliases grow quickly");
  }

  bool wants_value() const { return !frames_.empty() && frames_.back().has_key; }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    add_error(place(mark), 1, "yaml-tag", "the tag '" + short_tag(tag) + "' is not used here",
              "remove the tag; types come from the field");
  }

  void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             YamlNode::Kind kind) {
    check_tag(mark, tag);
    spend(1, place(mark));
    if (frames_.size() >= static_cast<std::size_t>(limits_.depth)) {
      refuse(place(mark), "too-deep",
             "nested more than " + std::to_string(limits_.depth) + " levels deep",
             "a specification needs fewer than ten; is a bracket not closed?");
    }
    Frame frame;
    frame.node.kind = kind;
    frame.node.where = place(mark);
    frame.anchor = anchor;
    frames_.push_back(std::move(frame));
  }

  void end() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    finish(std::move(frame.node), frame.anchor);
  }

  // A complete value: remembered under its anchor, then given to the list, key or map that waits for it.
  void finish(YamlNode node, YAML::anchor_t anchor) {
    spend(1, node.where);
    if (anchor != 0) remember(node, anchor);
    if (frames_.empty()) {
      root_ = std::move(node);
    } else if (frames_.back().node.is_list()) {
      frames_.back().node.items.push_back(std::move(node));
    } else if (frames_.back().has_key) {
      finish_value(frames_.back(), std::move(node));
    } else {
      finish_key(frames_.back(), node);
    }
  }

  void remember(const YamlNode& node, YAML::anchor_t anchor) {
    const std::int64_t nodes = count_nodes(node);
    spend(nodes, node.where);
    anchors_[anchor] = {node, nodes};
  }

  void finish_key(Frame& frame, const YamlNode& key) {
    if (!key.is_scalar()) {
      add_error(key.where, key.width, "bad-key", "a key must be a word, not " + describe_node(key),
                "write the key as plain text before the colon");
    }
    frame.pending = {key.text, key.where, key.width, {}};
    frame.pending_merge = key.text == "<<" && !key.quoted;
    frame.has_key = true;
  }

  void finish_value(Frame& frame, YamlNode value) {
    frame.has_key = false;
    frame.pending.value = std::move(value);
    auto& target = frame.pending_merge ? frame.merges : frame.node.entries;
    target.push_back(std::move(frame.pending));
    frame.pending = {};
  }

  void check_duplicates(const Frame& frame) {
    std::map<std::string_view, int> first_line;
    for (const YamlEntry& entry : frame.node.entries) note_key(entry, first_line);
    for (const YamlEntry& entry : frame.merges) note_key(entry, first_line);
  }

  void note_key(const YamlEntry& entry, std::map<std::string_view, int>& first_line) {
    const auto [it, is_new] = first_line.emplace(entry.key, entry.where.line);
    if (is_new) return;
    add_error(entry.where, entry.width, "duplicate-key",
              "'" + entry.key + "' is written twice: at line " + std::to_string(it->second) +
                  " and at line " + std::to_string(entry.where.line),
              "keep one of them");
  }

  // Local keys win; of several merged maps, the earlier one wins.
  void merge(Frame& frame) {
    for (YamlEntry& merged : frame.merges) {
      if (merged.value.is_map()) {
        merge_map(frame.node, merged.value);
      } else if (merged.value.is_list()) {
        for (YamlNode& item : merged.value.items) merge_map(frame.node, item);
      } else {
        add_merge_error(merged.value);
      }
    }
  }

  void merge_map(YamlNode& into, YamlNode& from) {
    if (!from.is_map()) return add_merge_error(from);
    for (YamlEntry& entry : from.entries) {
      if (into.find(entry.key) == nullptr) into.entries.push_back(std::move(entry));
    }
  }

  void add_merge_error(const YamlNode& value) {
    add_error(value.where, value.width, "bad-merge",
              "'<<' merges a map or a list of maps, not " + describe_node(value),
              "write '<<: *name' with a name that '&name' gives to a map");
  }

  std::string_view text_;
  FileName file_;
  const YamlLimits& limits_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  YamlNode root_;
  Diagnostics errors_;
  std::optional<SourcePos> second_start_;
  std::int64_t spent_ = 0;
  bool started_ = false;
};

// ---------------------------------------------------------------------------------------------------- the whole parse

// "gpu[0-7]" inside [brackets] ends the word at its own bracket: the likeliest syntax error of a system file.
bool has_bare_range(std::string_view line) {
  for (std::size_t i = line.find('['); i != std::string_view::npos; i = line.find('[', i + 1)) {
    const std::size_t end = line.find_first_not_of("0123456789-", i + 1);
    if (i > 0 && end != std::string_view::npos && end > i + 1 && line[end] == ']' &&
        line.substr(i, end - i).find('-') != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

Diagnostic syntax_error(const std::string& file, std::string_view text, int line, int column,
                        const std::string& message) {
  const auto last_line = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  const int at = std::clamp(line, 1, last_line);
  const std::string_view content = line_of_text(text, at);
  const int within = std::clamp(column, 1, static_cast<int>(content.size()) + 1);
  return error_in(file, at, within, "yaml-syntax", "not valid YAML: " + message,
                  has_bare_range(content)
                      ? "a range inside brackets needs quotes: \"gpu[0-7]\""
                      : "look at the colons, quotes, brackets and indentation here and just above");
}

// A file holds one document. What follows it is either a second one or text that belongs nowhere.
Diagnostic after_the_end(const std::string& file, std::string_view text, const SourcePos& where) {
  if (line_of_text(text, where.line).substr(0, 3) != "---") {
    return syntax_error(file, text, where.line, where.column, "text after the end of the value");
  }
  return error_in(file, where.line, where.column, "second-document",
                  "a second document begins here; a file holds one",
                  "put it into a file of its own");
}

Diagnostics run_parser(const std::string& text, const std::string& file, TreeBuilder& builder) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      return {error_in(file, 0, 0, "empty-file", "there is nothing in this file",
                       "begin with a line such as 'tantalus: device/1'")};
    }
    parser.HandleNextDocument(builder);  // refuses a second one
  } catch (const Refusal& refusal) {
    Diagnostics errors = builder.take_errors();
    errors.push_back(builder.second_start() ? after_the_end(file, text, *builder.second_start())
                                            : refusal.diagnostic);
    return errors;
  } catch (const YAML::Exception& error) {
    Diagnostics errors = builder.take_errors();
    errors.push_back(
        syntax_error(file, text, error.mark.line + 1, error.mark.column + 1, error.msg));
    return errors;
  } catch (const std::exception& error) {
    return {syntax_error(file, text, 1, 1, error.what())};
  }
  return builder.take_errors();
}

// The text as parsers want it, or why it is no text.
Result<YamlDocument> checked_text(std::string_view text, const std::string& file,
                                  const YamlLimits& limits) {
  if (auto error = check_file_size(static_cast<std::int64_t>(text.size()), file, limits)) {
    return *error;
  }
  YamlDocument document;
  document.text = normalized(text);
  if (auto error = check_bytes(document.text, file)) return *error;
  if (auto error = check_tabs(document.text, file)) return *error;
  return document;
}

Result<YamlDocument> parse_whole_yaml(YamlDocument document, const std::string& file,
                                      const YamlLimits& limits) {
  TreeBuilder builder(document.text, file, limits);
  Diagnostics errors = run_parser(document.text, file, builder);
  if (!errors.empty()) {
    sort_by_place(errors);
    return errors;
  }
  document.root = builder.take_root();
  return document;
}

}  // namespace

std::optional<Diagnostic> check_file_size(std::int64_t bytes, const std::string& file,
                                          const YamlLimits& limits) {
  if (bytes <= limits.bytes) return std::nullopt;
  return error_in(file, 0, 0, "file-too-large",
                  std::to_string(bytes) + " bytes are more than the " +
                      std::to_string(limits.bytes) + " that a specification may have",
                  "is this the right file?");
}

Result<YamlDocument> parse_yaml(std::string_view text, const std::string& file,
                                const YamlLimits& limits) {
  Result<YamlDocument> document = checked_text(text, file, limits);
  if (!document) return document;
  if (auto root = read_plain_yaml(document->text, file, limits)) {
    document.value().root = std::move(*root);
    return document;
  }
  return parse_whole_yaml(std::move(document).value(), file, limits);
}

Result<YamlDocument> parse_any_yaml(std::string_view text, const std::string& file,
                                    const YamlLimits& limits) {
  Result<YamlDocument> document = checked_text(text, file, limits);
  if (!document) return document;
  return parse_whole_yaml(std::move(document).value(), file, limits);
}

}  // namespace tantalus

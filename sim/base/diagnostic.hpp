// A Diagnostic is a mistake or refusal as a value: where it is, what is wrong in the user's words, and what to do about
// it. It is collected, sorted and printed by whoever asked; nothing below `app` prints. Every `code` has one golden file.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tantalus {

enum class Severity { note, warning, error };

/// What a text file is called. Copies share the text, because every value of a file's tree carries one (decision 0013). Made
/// of any text, so that places are written {"x.yaml", 1, 2}.
class FileName {
 public:
  FileName() = default;
  template <std::convertible_to<std::string_view> Text>
  FileName(const Text& name) {  // NOLINT(google-explicit-constructor)
    if (const std::string_view text = name; !text.empty()) text_ = share(text);
  }

  const std::string& text() const;
  bool empty() const { return text_ == nullptr; }

  bool operator==(const FileName& other) const {
    return text_ == other.text_ || text() == other.text();
  }
  bool operator<(const FileName& other) const { return text() < other.text(); }

 private:
  static std::shared_ptr<const std::string> share(std::string_view text);

  std::shared_ptr<const std::string> text_;  // null: no name
};

/// A place in a text file. Lines and columns count from 1, columns in bytes; line 0 means the whole file.
struct SourcePos {
  FileName file;
  int line = 0;
  int column = 0;

  bool operator==(const SourcePos&) const = default;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  // stable slug such as "unknown-key"; listed in docs/diagnostics.md
  SourcePos where;
  std::string path;     // "sm.warps_per_sms"; empty when the file as a whole is meant
  std::string message;  // what is wrong, in the user's words
  std::string hint;     // what to do about it; may be empty
  int width = 1;        // how many columns the caret line underlines

  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

bool has_errors(std::span<const Diagnostic> diagnostics);

/// In order of file, line, column; equal places keep the order in which they were found.
void sort_by_place(Diagnostics& diagnostics);

/// Keeps the first of several that say the same of the same place: eight equal parts read one wrong file.
void drop_repeats(Diagnostics& diagnostics);

/// `file:line:col: error[code]: path: message`, then the source line with a caret when `source` (the file's whole text)
/// is not empty, then the hint. Ends with a newline.
std::string render(const Diagnostic& diagnostic, std::string_view source = {});

}  // namespace tantalus

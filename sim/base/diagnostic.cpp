#include "sim/base/diagnostic.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "sim/base/text.hpp"

namespace tantalus {

namespace {

constexpr std::size_t longest_excerpt = 160;

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

std::string place(const SourcePos& where) {
  if (where.line == 0) return where.file.text();
  return where.file.text() + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

// The source line and a caret under it. Tabs and control bytes become single spaces so that the caret stands right.
std::string excerpt(const Diagnostic& d, std::string_view source) {
  std::string line(line_of_text(source, d.where.line));
  if (line.empty() || line.size() > longest_excerpt) return {};
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  const std::string number = std::to_string(d.where.line);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  const auto column = static_cast<std::size_t>(std::max(d.where.column, 1));
  if (column > line.size() + 1) return {};
  const auto room = std::max<std::size_t>(line.size() + 1 - column, 1);
  const auto width =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(d.width, 1)), 1, room);

  std::string text = margin + number + " | " + line + "\n";
  text += std::string(margin.size() + number.size(), ' ') + " | " + std::string(column - 1, ' ') +
          "^" + std::string(width - 1, '~') + "\n";
  return text;
}

}  // namespace

std::shared_ptr<const std::string> FileName::share(std::string_view text) {
  return std::make_shared<const std::string>(text);
}

const std::string& FileName::text() const {
  static const std::string none;
  return text_ == nullptr ? none : *text_;
}

bool has_errors(std::span<const Diagnostic> diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void sort_by_place(Diagnostics& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const auto& a, const auto& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) <
           std::tie(b.where.file, b.where.line, b.where.column);
  });
}

void drop_repeats(Diagnostics& diagnostics) {
  Diagnostics kept;
  std::set<std::tuple<FileName, int, int, std::string, std::string>> seen;
  for (Diagnostic& d : diagnostics) {
    // Without a line the path is the only place there is.
    const std::string what = d.where.line > 0 ? d.message : d.path + ": " + d.message;
    if (seen.emplace(d.where.file, d.where.line, d.where.column, d.code, what).second) {
      kept.push_back(std::move(d));
    }
  }
  diagnostics = std::move(kept);
}

std::string render(const Diagnostic& d, std::string_view source) {
  std::string text;
  if (!d.where.file.empty()) text += place(d.where) + ": ";
  text += std::string(word(d.severity)) + "[" + d.code + "]: ";
  if (!d.path.empty()) text += d.path + ": ";
  text += d.message + "\n";
  if (d.where.line > 0) text += excerpt(d, source);
  if (!d.hint.empty()) text += "  hint: " + d.hint + "\n";
  return text;
}

}  // namespace tantalus

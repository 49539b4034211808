#include "sim/config/reference_page.hpp"

namespace tantalus {

namespace {

std::string cell(const std::string& words) {
  std::string text;
  for (const char c : words) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text.empty() ? " |" : " " + text + " |";
}

}  // namespace

void ReferencePage::row(std::string_view key, std::string type, std::string rule, std::string when,
                        std::string_view doc) {
  rows_.push_back({prefix_ + std::string(key), std::move(type), std::move(rule), std::move(when),
                   std::string(doc)});
}

std::string ReferencePage::finish() const {
  std::string page =
      "| Field | Type | Rule | Written | Meaning |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const Row& r : rows_) {
    page += "|" + cell("`" + r.field + "`") + cell(r.type) + cell(r.rule) + cell(r.when) +
            cell(r.doc) + "\n";
  }
  return page;
}

}  // namespace tantalus

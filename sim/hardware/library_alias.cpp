#include "sim/hardware/library_alias.hpp"

#include <algorithm>

#include "sim/hardware/architectures.hpp"

namespace tantalus {

namespace {

std::string path_of_answer(std::size_t index) {
  return "answers." + std::to_string(index) + ".library";
}

/// Follows every line of an alias; `chain` are the names on the way to it.
void follow(const Document& document, std::vector<std::string>& chain,
            const LibraryLookup& libraries, Diagnostics& found) {
  const Result<LibraryAlias> alias = read_spec<LibraryAlias>(document.body, reading(document));
  if (!alias) return;  // reading it says why
  for (std::size_t i = 0; i < alias->answers.size(); ++i) {
    const std::string& target = alias->answers[i].library;
    const YamlNode& place = place_of_answer(document.body, i);
    if (std::find(chain.begin(), chain.end(), target) != chain.end()) {
      found.push_back(alias_cycle(place, i, chain, target));
      continue;
    }
    const Result<DeviceText> text = libraries(target);
    if (!text) {
      for (Diagnostic missing : text.diagnostics()) {
        if (missing.where.line == 0) {
          missing.where = place.where;
          missing.width = place.width;
          missing.path = path_of_answer(i);
        }
        found.push_back(std::move(missing));
      }
      continue;
    }
    Result<Document> next = read_document(text->text, text->file, "library");
    if (!next || take(next.value().body, "kind").text != "alias") continue;
    chain.push_back(target);
    follow(*next, chain, libraries, found);
    chain.pop_back();
  }
}

}  // namespace

void check(const LibraryAlias& alias, SpecChecker& checker) {
  if (!alias.answers.empty()) return;
  checker.contradictory("answers", "empty-list", "an alias without a catalogue answers nothing",
                        "write at least one line, such as - {library: cuda-generic}");
}

std::size_t answer_for(const LibraryAlias& alias, const LibraryUser& user) {
  const auto suits = [&](const AliasAnswerSpec& line) {
    const bool device = line.device == AliasDevice::any ||
                        (line.device == AliasDevice::gpu) == (user.kind == "gpu");
    return device && is_for(line.architectures, user.architecture);
  };
  const auto found = std::find_if(alias.answers.begin(), alias.answers.end(), suits);
  return static_cast<std::size_t>(found - alias.answers.begin());
}

Diagnostics mistakes_of_alias(const Document& document, const std::string& name,
                              const LibraryLookup& libraries) {
  Diagnostics found;
  std::vector<std::string> chain = {name};
  follow(document, chain, libraries, found);
  return found;
}

const YamlNode& place_of_answer(const YamlNode& body, std::size_t index) {
  const YamlNode* lines = body.find("answers");
  if (lines == nullptr || index >= lines->items.size()) return body;
  const YamlNode* library = lines->items[index].find("library");
  return library != nullptr ? *library : lines->items[index];
}

Diagnostic alias_cycle(const YamlNode& place, std::size_t index,
                       const std::vector<std::string>& chain, const std::string& again) {
  std::string way;
  for (const std::string& name : chain) way += name + " -> ";
  return error_at(place, "alias-cycle", path_of_answer(index),
                  "the aliases lead back to themselves: " + way + again,
                  "let one of them name a catalogue with kernels");
}

}  // namespace tantalus

#include "sim/app/files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "sim/base/text.hpp"

namespace tantalus {

namespace fs = std::filesystem;

namespace {

Diagnostic refusal(std::string code, const std::string& file, std::string message,
                   std::string hint = {}) {
  return {
      Severity::error, std::move(code), {file, 0, 0}, "", std::move(message), std::move(hint), 1};
}

// A name below the current folder is shorter and the same on every machine.
std::string shown_name(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path relative = fs::path(path).lexically_relative(here);
  if (error || !fs::path(path).is_absolute() || relative.empty() || *relative.begin() == "..")
    return path;
  return relative.generic_string();
}

bool is_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return true;
  const std::string ending = fs::path(name).extension().string();
  return ending == ".yaml" || ending == ".yml" || ending == ".onnx";
}

// Reads at most `limit` bytes and one more, so that a pipe or a device without a size cannot fill the memory.
std::optional<std::string> bounded_text(const std::string& path, std::int64_t limit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  std::string chunk(1 << 16, '\0');
  while (file && static_cast<std::int64_t>(text.size()) <= limit) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return std::nullopt;
  return text;
}

// The words with which a file begins, its leading comments and empty lines aside.
bool begins_with(const fs::path& path, std::string_view words) {
  if (words.empty()) return true;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#' || line == "\r") continue;
    return line.compare(0, words.size(), words) == 0;
  }
  return false;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 40;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += ", ...";
  return text;
}

// "a100" is a family, not a slip for "a10".
std::vector<std::string> beginning_with(const std::string& name,
                                        const std::vector<std::string>& known) {
  std::vector<std::string> longer;
  std::copy_if(known.begin(), known.end(), std::back_inserter(longer),
               [&name](const std::string& word) { return word.rfind(name, 0) == 0; });
  return longer;
}

}  // namespace

std::optional<Diagnostic> too_large_for(std::int64_t bytes, const std::string& file,
                                        std::int64_t limit) {
  if (bytes <= limit) return std::nullopt;
  return refusal("file-too-large", file, "is larger than " + std::to_string(limit >> 20) + " MiB",
                 "this is not a file that Tantalus can mean; was another one intended?");
}

NamePlaces system_places() { return {"system", {"hw_configs/systems", "hw_configs/devices"}}; }
NamePlaces device_places() { return {"device", {"hw_configs/devices"}}; }
NamePlaces network_places() { return {"network", {"models/networks"}}; }
NamePlaces library_places() { return {"library", {"hw_configs/libraries"}, "tantalus: library"}; }
NamePlaces stack_places() { return {"stack", {"hw_configs/libraries"}, "tantalus: stack"}; }
NamePlaces dataset_places() { return {"data set", {"models/datasets"}}; }
NamePlaces loader_places() { return {"loader", {"hw_configs/loaders"}}; }
NamePlaces cache_places() {
  return {"caches", {"hw_configs/caches", "hw_configs/systems", "hw_configs/devices"}};
}
NamePlaces spec_places() {
  return {"file",
          {"hw_configs/systems", "hw_configs/devices", "models/networks", "hw_configs/libraries",
           "hw_configs/caches", "models/datasets", "hw_configs/loaders"}};
}

std::string stem_of(const std::string& path) { return fs::path(path).stem().string(); }

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

Files::Files(std::vector<std::string> data_folders) : data_folders_(std::move(data_folders)) {}

Result<FileText> Files::read(const std::string& path, std::int64_t limit) {
  const std::string file = shown_name(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    const bool absent = !error || status.type() == fs::file_type::not_found;
    return refusal("env-no-file", file,
                   absent ? "there is no such file" : "cannot be looked at: " + error.message(),
                   "check the path, or write a bare name such as lenet to have it looked up");
  }
  if (fs::is_directory(status)) {
    return refusal("env-is-a-folder", file, "is a folder, not a file",
                   "name one of the files in it");
  }
  if (fs::is_regular_file(status)) {
    const std::uintmax_t size = fs::file_size(path, error);
    const auto bytes = static_cast<std::int64_t>(std::min<std::uintmax_t>(size, INT64_MAX));
    if (!error && bytes > limit) return *too_large_for(bytes, file, limit);
  }
  std::optional<std::string> text = bounded_text(path, limit);
  if (!text) return refusal("env-unreadable", file, "cannot be read", "check its permissions");
  if (auto too_large = too_large_for(static_cast<std::int64_t>(text->size()), file, limit))
    return *too_large;
  texts_[file] = *text;
  return FileText{file, std::move(*text)};
}

Result<FileText> Files::find(const std::string& name, const NamePlaces& places,
                             const std::string& beside) {
  std::error_code error;
  if (is_path(name)) {
    const fs::path relative = fs::path(beside) / name;
    return read(!beside.empty() && fs::exists(relative, error) ? relative.string() : name);
  }
  if (!beside.empty() && fs::exists(fs::path(beside) / (name + ".yaml"), error)) {
    return read((fs::path(beside) / (name + ".yaml")).string());
  }
  for (const std::string& root : data_folders_) {
    for (const std::string_view folder : places.folders) {
      const fs::path path = fs::path(root) / folder / (name + ".yaml");
      if (fs::exists(path, error)) return read(path.string());
    }
  }

  const std::vector<std::string> known = names(places);
  const std::vector<std::string> longer = beginning_with(name, known);
  const std::string near = closest_word(name, known);
  std::string hint;
  if (longer.size() > 1) {
    hint = "names that begin so: " + list_of(longer);
  } else if (!near.empty()) {
    hint = "did you mean '" + near + "'";
  } else if (!known.empty()) {
    hint = "known: " + list_of(known);
  } else {
    hint =
        "no data folder was found; set TANTALUS_DATA to the folder that holds hw_configs and "
        "models";
  }
  const std::string word(places.word);
  return refusal(
      "unknown-name", "", "there is no " + word + " '" + name + "'",
      hint + "; a file of your own is named by its path, such as ./my-" + word + ".yaml");
}

std::vector<std::string> Files::names(const NamePlaces& places) const {
  std::set<std::string> found;
  for (const std::string& root : data_folders_) {
    for (const std::string_view folder : places.folders) {
      std::error_code error;
      for (fs::directory_iterator it(fs::path(root) / folder, error), end; !error && it != end;
           it.increment(error)) {
        if (it->path().extension() != ".yaml" || !begins_with(it->path(), places.schema)) continue;
        found.insert(it->path().stem().string());
      }
    }
  }
  return {found.begin(), found.end()};
}

std::string_view Files::text_of(const std::string& file) const {
  const auto it = texts_.find(file);
  return it == texts_.end() ? std::string_view{} : std::string_view{it->second};
}

void Files::remember(std::string file, std::string text) {
  texts_[std::move(file)] = std::move(text);
}

}  // namespace tantalus

// The `sources:` map of a file: field paths or their prefixes to the text that names a source; "*" stands for every field
// without a line of its own. Each number of hw_configs/ has one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/result.hpp"
#include "sim/config/yaml_node.hpp"

namespace tantalus {

class Sources {
 public:
  Sources() = default;

  /// From the value of `sources:`; anything but a map of single texts is a Diagnostic.
  static Result<Sources> from_yaml(const YamlNode& map);

  /// The text of the longest prefix of `path` that has a line, else that of "*", else "".
  std::string of(std::string_view path) const;

  /// The paths that have a line of their own, in the order of the file.
  std::vector<std::string_view> paths() const;

  /// A Diagnostic "unknown-source-path" for each key that is neither one of `paths` nor a prefix of one.
  Diagnostics unknown(std::span<const std::string> paths, const std::string& shown_prefix) const;

  /// The same for keys whose first step is none of `words`: for a file whose deeper fields are checked elsewhere.
  Diagnostics unknown_first_steps(std::span<const std::string> words) const;

  /// The lines below `path`, without it ("host.a" as "a"), with the line of `path` itself, or else that of "*", as "*".
  Sources below(std::string_view path) const;

  bool empty() const { return lines_.empty(); }

 private:
  struct Line {
    std::string path;
    std::string text;
    SourcePos where;
    int width = 1;
  };
  static Diagnostic unknown_path(const Line& line, std::span<const std::string> paths,
                                 const std::string& shown_prefix);

  std::vector<Line> lines_;
};

}  // namespace tantalus

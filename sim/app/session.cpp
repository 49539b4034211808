#include "sim/app/session.hpp"

#include <algorithm>
#include <fstream>
#include <ostream>
#include <utility>

#include "sim/app/printing.hpp"

namespace tantalus {

Session::Session(Console& console, const OutputOptions& output)
    : files(console.data_folders), console_(console), output_(output) {}

void Session::append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
}

bool Session::take(Diagnostics diagnostics) {
  print(diagnostics, files, console_.err, output_.quiet);
  const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::error; };
  only_command_line_ =
      std::none_of(diagnostics.begin(), diagnostics.end(),
                   [&](const Diagnostic& d) { return is_error(d) && d.where.file != "--set"; });
  const bool refused = has_errors(diagnostics);
  for (Diagnostic& d : diagnostics) {
    if (!is_error(d)) warnings_.push_back(std::move(d));
  }
  return !refused;
}

void Session::write(const std::string& text) { console_.out << text; }

bool Session::write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (file << text << std::flush) return true;
  print({{Severity::error,
          "cannot-write",
          {path, 0, 0},
          "",
          "cannot be written",
          "check the folder and its permissions",
          1}},
        files, console_.err, false);
  return false;
}

}  // namespace tantalus

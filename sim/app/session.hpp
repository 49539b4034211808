// One run of one verb: where it writes, the files it read, and the warnings it met. It prints diagnostics when they come and
// keeps the warnings for the answer.
#pragma once

#include <string>

#include "sim/app/console.hpp"
#include "sim/app/exit_code.hpp"
#include "sim/app/files.hpp"
#include "sim/app/options.hpp"
#include "sim/base/result.hpp"

namespace tantalus {

class Session {
 public:
  Session(Console& console, const OutputOptions& output);

  /// True when every stage came through; what each has to say is printed either way, in order of place.
  template <class... Stages>
  bool accept(const Stages&... stages) {
    Diagnostics all;
    (append(all, diagnostics_of(stages)), ...);
    return take(std::move(all));
  }

  /// What a refused stage means: wrong usage when only the command line was at fault, else a bad input file.
  ExitCode failure() const {
    return only_command_line_ ? ExitCode::wrong_usage : ExitCode::bad_input;
  }

  /// Warnings of all accepted stages, in order.
  const Diagnostics& warnings() const { return warnings_; }

  Style style() const { return style_for(console_, output_.color); }
  Format format() const { return output_.format; }
  void write(const std::string& text);
  /// False, with a word on standard error, when the file cannot be written.
  bool write_file(const std::string& path, const std::string& text);

  Files files;
  Console& console() { return console_; }

 private:
  template <class T>
  static const Diagnostics& diagnostics_of(const Result<T>& result) {
    return result.diagnostics();
  }
  static const Diagnostics& diagnostics_of(const Diagnostics& diagnostics) { return diagnostics; }
  static void append(Diagnostics& all, const Diagnostics& more);
  bool take(Diagnostics diagnostics);

  Console& console_;
  OutputOptions output_;
  Diagnostics warnings_;
  bool only_command_line_ = false;
};

}  // namespace tantalus

#include "sim/app/run.hpp"

#include <ostream>

#include "sim/app/help.hpp"
#include "sim/app/printing.hpp"
#include "sim/app/verbs.hpp"
#include "sim/base/text.hpp"

namespace tantalus {

namespace {

ExitCode refuse(const Diagnostics& wrong, Console& console) {
  print(wrong, Files({}), console.err, false);
  return ExitCode::wrong_usage;
}

template <class Command>
ExitCode parsed(Result<Command> (*parse)(Arguments), ExitCode (*act)(const Command&, Console&),
                Arguments arguments, Console& console) {
  const Result<Command> command = parse(arguments);
  return command ? act(*command, console) : refuse(command.diagnostics(), console);
}

ExitCode run_verb(const VerbInfo& verb, Arguments arguments, Console& console) {
  if (wants_help(arguments)) {
    console.out << help_of(verb);
    return ExitCode::done;
  }
  switch (verb.verb) {
    case Verb::predict:
      return parsed(&parse_predict, &predict, arguments, console);
    case Verb::profile:
      return parsed(&parse_profile, &profile, arguments, console);
    case Verb::ops:
      return parsed(&parse_ops, &ops, arguments, console);
    case Verb::validate:
      return parsed(&parse_validate, &validate, arguments, console);
    case Verb::detect:
      return parsed(&parse_detect, &detect, arguments, console);
    case Verb::describe:
      return parsed(&parse_describe, &describe, arguments, console);
    case Verb::cache:
      return parsed(&parse_cache, &cache, arguments, console);
    case Verb::check:
      return parsed(&parse_check, &check, arguments, console);
    case Verb::show:
      return parsed(&parse_show, &show, arguments, console);
  }
  return ExitCode::wrong_usage;
}

Diagnostic unknown_verb(const std::string& word) {
  const std::vector<std::string> names = verb_names();
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  const std::string near = closest_word(word, names);
  return usage_error(
      "", "there is no verb '" + word + "'",
      (near.empty() ? "" : "did you mean '" + near + "'? ") + ("the verbs are " + list));
}

}  // namespace

ExitCode run(std::span<const std::string> arguments, Console& console) {
  if (arguments.empty()) {
    console.err << general_help();
    return ExitCode::wrong_usage;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    console.out << general_help();
    return ExitCode::done;
  }
  if (first == "--version") {
    console.out << version_text();
    return ExitCode::done;
  }
  const VerbInfo* verb = find_verb(first);
  if (verb == nullptr) return refuse({unknown_verb(first)}, console);
  return run_verb(*verb, arguments.subspan(1), console);
}

}  // namespace tantalus

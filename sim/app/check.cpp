// tantalus check: every mistake of every file, with its place and remedy.
#include <algorithm>
#include <ostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/app/printing.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/app/spec_file.hpp"
#include "sim/report/json_text.hpp"
#include "sim/report/prediction.hpp"

namespace tantalus {

namespace {

using Json = nlohmann::ordered_json;

struct Verdict {
  std::string file;
  Diagnostics found;
};

Verdict judge(Files& files, const std::string& name) {
  const Result<FileText> file = files.find(name, spec_places());
  if (!file) return {name, file.diagnostics()};
  Diagnostics found = check_spec(files, *file);
  sort_by_place(found);
  return {file->file, std::move(found)};
}

std::size_t count_of(const Diagnostics& found, Severity severity) {
  return static_cast<std::size_t>(std::count_if(
      found.begin(), found.end(), [&](const Diagnostic& d) { return d.severity == severity; }));
}

std::string plural(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string line_of(const Verdict& verdict) {
  const std::size_t errors = count_of(verdict.found, Severity::error);
  const std::size_t warnings = count_of(verdict.found, Severity::warning);
  std::string text = verdict.file + ": ";
  if (errors > 0) text += plural(errors, "error");
  if (errors > 0 && warnings > 0) text += ", ";
  if (warnings > 0) text += plural(warnings, "warning");
  return text + (errors + warnings == 0 ? "ok" : "") + "\n";
}

std::string_view word_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

Json json_of(const Diagnostic& d) {
  return {{"severity", word_of(d.severity)},
          {"code", d.code},
          {"file", d.where.file.text()},
          {"line", d.where.line},
          {"column", d.where.column},
          {"path", d.path},
          {"message", d.message},
          {"hint", d.hint}};
}

std::string check_json(const std::vector<Verdict>& verdicts) {
  Json files = Json::array();
  for (const Verdict& verdict : verdicts) {
    Json found = Json::array();
    for (const Diagnostic& d : verdict.found) found.push_back(json_of(d));
    files.push_back({{"file", verdict.file},
                     {"errors", count_of(verdict.found, Severity::error)},
                     {"warnings", count_of(verdict.found, Severity::warning)},
                     {"diagnostics", std::move(found)}});
  }
  return json_text(Json{{"schema", "tantalus.check/1"},
                        {"fingerprint", fingerprint_text(fingerprint_of(json_text(files)))},
                        {"files", std::move(files)}});
}

}  // namespace

ExitCode check(const CheckCommand& command, Console& console) {
  Session session(console, command.output);
  std::vector<Verdict> verdicts;
  for (const std::string& name : command.files) verdicts.push_back(judge(session.files, name));

  Diagnostics all;
  for (const Verdict& verdict : verdicts)
    all.insert(all.end(), verdict.found.begin(), verdict.found.end());
  if (command.output.format == Format::json) {
    session.write(check_json(verdicts));
  } else {
    print(all, session.files, console.err, command.output.quiet);
    for (const Verdict& verdict : verdicts) session.write(line_of(verdict));
  }
  return has_errors(all) ? ExitCode::bad_input : ExitCode::done;
}

}  // namespace tantalus

// tantalus detect: this machine as files that `predict` and `validate` read.
#include "sim/app/detected_files.hpp"
#include "sim/app/host_program.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/app/spec_file.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"

namespace tantalus {

namespace {

std::string table_of(const DetectedMachine& machine, const Style& style) {
  TextTable table({{"file", Align::left},
                   {"field", Align::left},
                   {"value", Align::right},
                   {"mark", Align::left},
                   {"spread", Align::right},
                   {"how", Align::left}});
  for (const DetectedNumber& n : machine.numbers) {
    table.add_row({n.file, n.field, n.value, n.mark,
                   n.mark == "measured" ? percent_text(n.spread) : "-", n.how});
  }
  return table.text(style);
}

}  // namespace

ExitCode detect(const DetectCommand& command, Console& console) {
  Session session(console, command.output);
  const std::string folder = folder_of(command.file);
  const std::string beside = folder.empty() ? "" : folder + "/";
  std::vector<std::string> arguments{"detect", "--folder", folder.empty() ? "." : folder};
  if (command.quick) arguments.insert(arguments.end(), {"--seconds", "0.05"});
  const auto rows = run_host_program(console, arguments);
  if (!session.accept(rows)) return ExitCode::not_here;
  const DetectedMachine machine = machine_of(*rows);
  const auto texts = detected_files(session.files, machine, stem_of(command.file));
  if (!session.accept(texts)) return session.failure();
  for (const auto& [name, text] : *texts) {
    if (!session.write_file(beside + name, text)) return ExitCode::cannot_write;
  }
  // The file must load and check clean: what was measured may contradict itself.
  const Result<FileText> written = session.files.read(command.file);
  if (!session.accept(written)) return session.failure();
  if (!session.accept(check_spec(session.files, *written))) return session.failure();
  session.write(table_of(machine, session.style()));
  return ExitCode::done;
}

}  // namespace tantalus

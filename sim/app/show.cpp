// tantalus show: a file with all that it leaves unsaid.
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/app/spec_file.hpp"

namespace tantalus {

ExitCode show(const ShowCommand& command, Console& console) {
  Session session(console, command.output);
  const Result<FileText> file = session.files.find(command.file, spec_places());
  if (!session.accept(file)) return session.failure();
  const Result<std::string> text =
      show_spec(session.files, *file, command.knowledge, command.overrides);
  if (!session.accept(text)) return session.failure();
  session.write(*text);
  return ExitCode::done;
}

}  // namespace tantalus

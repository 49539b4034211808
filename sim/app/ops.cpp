// tantalus ops: single operators of a table, each timed on the device alone.
#include "sim/app/operator_run.hpp"
#include "sim/app/run.hpp"

namespace tantalus {

namespace {

std::string text_of(const OperatorAnswers& answers, const OpsCommand& command,
                    const Session& session) {
  switch (session.format()) {
    case Format::json:
      return operators_json(answers.table, answers.predictions, stem_of(command.on.system),
                            answers.device);
    case Format::table:
      return operators_table(answers.table, answers.predictions, session.style());
    case Format::csv:
      break;
  }
  return operators_csv(answers.table, answers.predictions);
}

}  // namespace

ExitCode ops(const OpsCommand& command, Console& console) {
  Session session(console, command.output);
  const OperatorAnswers answers = answer_operators(session, command.on, command.table);
  if (answers.answered) session.write(text_of(answers, command, session));
  return answers.code;
}

}  // namespace tantalus

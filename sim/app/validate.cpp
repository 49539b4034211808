// tantalus validate --measured: a table of measured operators beside what is predicted for them, and how far off that is.
#include <cmath>
#include <optional>
#include <utility>

#include "sim/app/operator_run.hpp"
#include "sim/app/run.hpp"
#include "sim/base/units_text.hpp"
#include "sim/report/accuracy_report.hpp"

namespace tantalus {

namespace {

constexpr double longest_ms = 1e9;  // eleven days

// "gemm fp32", "conv2d fp32 weight_gradient": what is summed up together.
std::string family_of(const OperatorRow& row) {
  const Operation& op = row.operation;
  std::string family = op.name;
  if (std::holds_alternative<ElementwiseShape>(op.work)) family = "elementwise";
  family += " " + std::string(name_of(op.type));
  if (op.pass != Pass::forward) family += " " + std::string(name_of(op.pass));
  return family;
}

Diagnostic bad_time(const CsvCell& cell, std::string message) {
  return error_at(cell, "bad-number", "measured_ms", std::move(message),
                  "write milliseconds, such as 0.125");
}

std::optional<Duration> measured_time(const CsvCell& cell, Diagnostics& wrong) {
  const Parsed<double> ms = parse_number(cell.text);
  if (!ms.value) {
    wrong.push_back(bad_time(cell, cell.text.empty() ? "is needed in every row" : ms.message));
    return std::nullopt;
  }
  if (!(*ms.value > 0.0 && *ms.value < longest_ms)) {
    wrong.push_back(bad_time(cell, cell.text + " is not a time above zero and below 11 days"));
    return std::nullopt;
  }
  return Duration{std::max<std::int64_t>(1, std::llround(*ms.value * 1e9))};
}

/// Rows beside their measured times; every bad time is reported.
Result<Validation> compare(const OperatorAnswers& answers, Validation validation) {
  Diagnostics wrong;
  const std::optional<std::size_t> column = answers.table.column("measured_ms");
  if (!column) {
    return error_at(answers.table.header.front(), "missing-column", "measured_ms",
                    "there is no such column, so there is nothing to compare with",
                    "add one with the measured milliseconds of each row");
  }
  const std::optional<std::size_t> label = answers.table.column("label");
  for (std::size_t i = 0; i < answers.rows.size(); ++i) {
    const CsvRow& cells = answers.table.rows[i];
    const OperatorPrediction& p = answers.predictions[i];
    const std::optional<Duration> measured = measured_time(cells[*column], wrong);
    if (!measured || !p.runs) continue;
    ValidatedRow row{cells.front().where.line,
                     label ? cells[*label].text : "",
                     {family_of(answers.rows[i]), *measured, p.time, p.low, p.high, p.roofline}};
    (*measured >= validation.least ? validation.rows : validation.below).push_back(std::move(row));
  }
  if (!wrong.empty()) return wrong;
  return validation;
}

std::string text_of(const Validation& validation, const Session& session) {
  switch (session.format()) {
    case Format::json:
      return validation_json(validation);
    case Format::csv:
      return validation_csv(validation);
    case Format::table:
      break;
  }
  return validation_table(validation, session.style());
}

}  // namespace

ExitCode validate(const ValidateCommand& command, Console& console) {
  if (command.here != HostDevice::none) return validate_here(command, console);
  Session session(console, command.output);
  const OperatorAnswers answers = answer_operators(session, command.on, command.measured);
  if (!answers.answered) return answers.code;
  const Result<Validation> validation =
      compare(answers, {stem_of(command.on.system),
                        answers.device,
                        stem_of(command.measured),
                        std::string(name_of(command.on.knowledge)),
                        command.least,
                        {},
                        {}});
  if (!session.accept(validation)) return session.failure();
  session.write(text_of(*validation, session));
  if (answers.code != ExitCode::done) return answers.code;
  const bool within = !command.tolerance || validation->summary().mape <= *command.tolerance;
  return within ? ExitCode::done : ExitCode::answer_is_no;
}

}  // namespace tantalus

// tantalus ops: single operators of a table, each timed on the device alone.
#include <algorithm>
#include <cmath>
#include <istream>
#include <optional>
#include <set>
#include <utility>

#include "sim/app/csv_table.hpp"
#include "sim/app/loading.hpp"
#include "sim/app/operator_rows.hpp"
#include "sim/app/operator_table.hpp"
#include "sim/app/operator_timers.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"

namespace tantalus {

namespace {

Result<FileText> read_table(Files& files, const std::string& name, std::istream& in) {
  if (name != "-") return files.read(name, largest_table);
  FileText table{"standard input", {}};
  std::string chunk(1 << 16, '\0');
  while (in && static_cast<std::int64_t>(table.text.size()) <= largest_table) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    table.text.append(chunk, 0, static_cast<std::size_t>(in.gcount()));
  }
  if (auto too_large =
          too_large_for(static_cast<std::int64_t>(table.text.size()), table.file, largest_table)) {
    return *too_large;
  }
  files.remember(table.file, table.text);
  return table;
}

Duration time_of(const OperationTimer::Timing& timing, Timing how) {
  switch (how) {
    case Timing::queued:
      return timing.interval;
    case Timing::single_call:
      return timing.single_call;
    case Timing::framework:
      return timing.framework;
  }
  return timing.interval;
}

OperatorPrediction prediction_of(const OperationTimer::Timing& timing, Timing how) {
  OperatorPrediction p;
  p.time = time_of(timing, how);
  const auto half =
      Duration{std::llround(static_cast<double>(p.time.count()) * timing.task.error_share)};
  p.low = p.time - std::min(p.time, half);
  p.high = p.time + half;
  p.bound = name_of(timing.task.bound);
  p.algorithm = timing.task.algorithm;
  return p;
}

// Times every row; what the device cannot run is an error at its row, and the other rows are answered all the same.
class TableRun {
 public:
  TableRun(const CsvTable& table, OperatorTimers& timers) : table_(table), timers_(timers) {}

  std::vector<OperatorPrediction> predict(const std::vector<OperatorRow>& rows) {
    std::vector<OperatorPrediction> predictions;
    predictions.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) predictions.push_back(predict_row(rows[i], i));
    return predictions;
  }

  Diagnostics found;

 private:
  OperatorPrediction predict_row(const OperatorRow& row, std::size_t index) {
    bool missing = false;
    OperationTimer& timer = timers_.timer(row.library, missing);
    if (missing && said_.insert(row.library).second) say_missing(row.library, index);
    const Result<OperationTimer::Timing> timing = timer.time(row.operation);
    if (timing) return prediction_of(*timing, row.timing);
    for (const Diagnostic& d : timing.diagnostics()) {
      found.push_back(error_at(table_.rows[index].front(), d.code, "", d.message, d.hint));
    }
    OperatorPrediction none;
    none.runs = false;
    return none;
  }

  void say_missing(const std::string& library, std::size_t index) {
    Diagnostic d =
        error_at(table_.rows[index][*table_.column("library")], "unknown-library", "library",
                 "there is no catalogue '" + library + "' for this device; its first one answers",
                 "catalogues are files of hw_configs/libraries");
    d.severity = Severity::warning;
    found.push_back(std::move(d));
  }

  const CsvTable& table_;
  OperatorTimers& timers_;
  std::set<std::string> said_;
};

std::string text_of(const CsvTable& table, const std::vector<OperatorPrediction>& predictions,
                    const OpsCommand& command, const std::string& device, const Session& session) {
  switch (session.format()) {
    case Format::json:
      return operators_json(table, predictions, stem_of(command.on.system), device);
    case Format::table:
      return operators_table(table, predictions, session.style());
    case Format::csv:
      break;
  }
  return operators_csv(table, predictions);
}

}  // namespace

ExitCode ops(const OpsCommand& command, Console& console) {
  Session session(console, command.output);

  const Result<FileText> text = read_table(session.files, command.table, console.in);
  const Result<FileText> file = session.files.find(command.on.system, system_places());
  const Result<StackSpec> stack = load_stack(session.files, command.on.stack);
  if (!session.accept(text, file, stack)) return session.failure();
  const Result<SystemSpec> spec =
      system_of(session.files, *file, command.on.knowledge, command.on.overrides);
  const Result<SystemPlan> system = plan_of(session.files, *file, spec);
  const Result<CsvTable> table = parse_csv(text->text, text->file);
  const Result<std::vector<OperatorRow>> rows =
      table ? read_operators(*table) : table.diagnostics();
  if (!session.accept(system, rows)) return session.failure();
  const Result<std::size_t> device = choose_device(*system, command.on.device);
  if (!session.accept(device)) return ExitCode::not_here;

  const std::string& part = system->parts[*device].name;
  OperatorTimers timers(session.files, *file, *spec, *system, {part, *stack});
  TableRun run(*table, timers);
  const std::vector<OperatorPrediction> predictions = run.predict(*rows);
  session.write(text_of(*table, predictions, command, part, session));
  return session.accept(run.found) ? ExitCode::done : ExitCode::not_here;
}

}  // namespace tantalus

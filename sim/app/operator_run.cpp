#include "sim/app/operator_run.hpp"

#include <algorithm>
#include <istream>
#include <set>
#include <utility>

#include "sim/app/loading.hpp"
#include "sim/app/operator_timers.hpp"
#include "sim/report/interval.hpp"

namespace tantalus {

namespace {

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

// The execution is doubted as the kernels are; what the time holds beyond it as the host's times.
Interval interval_of(const OperationTimer::Timing& timing, Duration time) {
  const Duration execution = std::min(time, timing.task.end - timing.task.start);
  DoubtSum sum;
  sum.add(execution, timing.task.doubt);
  sum.add_host(time - execution, timing.host_doubt);
  return interval_of(time, sum.shares());
}

OperatorPrediction prediction_of(const OperationTimer::Timing& timing, Timing how) {
  OperatorPrediction p;
  p.time = time_of(timing, how);
  const Interval interval = interval_of(timing, p.time);
  p.low = interval.low;
  p.high = interval.high;
  p.bound = name_of(timing.task.bound);
  p.algorithm = timing.task.algorithm;
  p.roofline = timing.roofline;
  return p;
}

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
  OperatorPrediction predict_row(const OperatorRow& row, std::size_t index);
  void say_missing(const std::string& library, std::size_t index);

  const CsvTable& table_;
  OperatorTimers& timers_;
  std::set<std::string> said_;
};

OperatorPrediction TableRun::predict_row(const OperatorRow& row, std::size_t index) {
  bool missing = false;
  const Result<OperationTimer::Timing> timing = timers_.time(row, missing);
  if (missing && said_.insert(row.library).second) say_missing(row.library, index);
  if (timing) return prediction_of(*timing, row.timing);
  for (const Diagnostic& d : timing.diagnostics()) {
    found.push_back(error_at(table_.rows[index].front(), d.code, "", d.message, d.hint));
  }
  OperatorPrediction none;
  none.runs = false;
  return none;
}

void TableRun::say_missing(const std::string& library, std::size_t index) {
  Diagnostic d =
      error_at(table_.rows[index][*table_.column("library")], "unknown-library", "library",
               "there is no catalogue '" + library + "' for this device; its first one answers",
               "catalogues are files of hw_configs/libraries");
  d.severity = Severity::warning;
  found.push_back(std::move(d));
}

}  // namespace

OperatorAnswers answer_operators(Session& session, const SystemOptions& on,
                                 const std::string& table_name) {
  OperatorAnswers answers;
  const auto refused = [&](ExitCode code) {
    answers.code = code;
    return std::move(answers);
  };
  const Result<FileText> text = read_table(session.files, table_name, session.console().in);
  const Result<FileText> file = session.files.find(on.system, system_places());
  const Result<StackSpec> stack = load_stack(session.files, on.stack);
  if (!session.accept(text, file, stack)) return refused(session.failure());
  const Result<SystemSpec> spec = system_of(session.files, *file, on.knowledge, on.overrides);
  const Result<SystemPlan> system = plan_of(session.files, *file, spec, stack->libraries);
  Result<CsvTable> table = parse_csv(text->text, text->file);
  Result<std::vector<OperatorRow>> rows = table ? read_operators(*table) : table.diagnostics();
  if (!session.accept(system, rows)) return refused(session.failure());
  const Result<std::size_t> device = choose_device(*system, on.device);
  if (!session.accept(device)) return refused(ExitCode::not_here);

  answers.device = system->parts[*device].name;
  OperatorTimers timers(session.files, *file, *spec, *system, {answers.device, *stack});
  TableRun run(*table, timers);
  answers.predictions = run.predict(*rows);
  answers.table = std::move(table).value();
  answers.rows = std::move(rows).value();
  answers.answered = true;
  if (!session.accept(run.found)) answers.code = ExitCode::not_here;
  return answers;
}

}  // namespace tantalus

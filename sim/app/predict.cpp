// tantalus predict: the spine of the program, from names to an answer.
#include "models/dnn/lower.hpp"
#include "sim/app/loading.hpp"
#include "sim/app/question.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/app/training.hpp"
#include "sim/hardware/simulate.hpp"
#include "sim/report/predict_report.hpp"
#include "sim/report/timeline.hpp"

namespace tantalus {

ExitCode predict(const PredictCommand& command, Console& console) {
  Session session(console, command.output);

  const Result<StackSpec> stack = load_stack(session.files, command.on.stack);
  const Result<SystemPlan> system = load_system(session.files, command.on, stack);
  const Result<Network> network = load_network(session.files, command.network);
  const Result<DataPath> data = load_data_path(session.files, command.data);
  if (!session.accept(system, stack, network, data)) return session.failure();
  RunSpec run = command.run;
  run.software = stack->operators;
  if (!session.accept(check_run(*network, run))) return ExitCode::wrong_usage;
  const Result<std::size_t> device = choose_device(*system, command.on.device);
  if (!session.accept(device)) return ExitCode::not_here;

  const TaskGraph tasks = lower(*network, run);
  Machine machine = build(*system);
  const RunOptions options{system->parts[*device].name, *stack};
  Result<Results> results = simulate(machine, tasks, options);
  if (!session.accept(results)) return ExitCode::not_here;
  if (command.isolated) add_isolated(results.value(), *system, tasks, options);

  Prediction prediction = prediction_of(command, *system, *results, session.warnings());
  if (!command.data.dataset.empty()) {
    const Result<PipelineResults> training =
        train({*system, *device, *network, run, options, *data, command.data}, prediction.results);
    if (!session.accept(training)) return ExitCode::wrong_usage;
    prediction.pipeline = *training;
  }
  session.write(predict_text(prediction, session.format(), session.style()));
  if (!command.trace.empty() && !session.write_file(command.trace, timeline_json(prediction))) {
    return ExitCode::cannot_write;
  }
  return runs(prediction) ? ExitCode::done : ExitCode::answer_is_no;
}

}  // namespace tantalus

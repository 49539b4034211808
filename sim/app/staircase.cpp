// tantalus cache --staircase: latency and bandwidth of a machine against the memory that a program walks.
#include "sim/hardware/cache/staircase.hpp"

#include <utility>

#include "sim/app/loading.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/report/staircase_report.hpp"

namespace tantalus {

namespace {

StaircaseReport report_of(const Stairs& stairs, const std::string& name) {
  StaircaseReport report;
  report.caches = stairs.caches.name.empty() ? name : stairs.caches.name;
  for (std::size_t i = 0; i < stairs.levels.size(); ++i) {
    const StairLevel& level = stairs.levels[i];
    std::optional<Bytes> capacity;
    if (i < stairs.caches.levels.size()) capacity = stairs.caches.levels[i].capacity;
    report.levels.push_back({level.name, capacity, level.latency, level.bandwidth, level.of_one});
  }
  return report;
}

StairRow row_of(StairStep step) {
  std::optional<double> nanoseconds;
  if (step.latency) nanoseconds = *step.latency * 1e9;
  return {step.working_set, std::move(step.chased), std::move(step.streamed),
          nanoseconds,      step.bandwidth,         step.of_one};
}

std::string text_of(const StaircaseReport& report, const Session& session) {
  switch (session.format()) {
    case Format::json:
      return staircase_json(report);
    case Format::csv:
      return staircase_csv(report);
    case Format::table:
      break;
  }
  return staircase_table(report, session.style());
}

}  // namespace

ExitCode staircase(const CacheCommand& command, Session& session) {
  const Result<Stairs> stairs = load_stairs(session.files, command);
  if (!session.accept(stairs)) return session.failure();
  StaircaseReport report = report_of(*stairs, stem_of(command.caches));
  for (const Bytes size : stair_sizes(*stairs)) {
    Result<StairStep> step = stair_step(*stairs, size);
    if (!session.accept(step)) return session.failure();
    report.rows.push_back(row_of(std::move(step).value()));
  }
  report.warnings = session.warnings();
  session.write(text_of(report, session));
  return ExitCode::done;
}

}  // namespace tantalus

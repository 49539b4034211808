// tantalus cache: a program, reference by reference, through the caches of a machine.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/app/cache_program.hpp"
#include "sim/app/loading.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/hardware/cache/access_trace.hpp"
#include "sim/hardware/cache/cache_hierarchy.hpp"
#include "sim/report/cache_report.hpp"

namespace tantalus {

namespace {

/// As many as a trace that is read may hold.
constexpr std::size_t most_recorded = (static_cast<std::size_t>(largest_table) >> 4U) - 1;

CacheCounts counts_of(const LevelCounts& counts, std::size_t kind) {
  return {counts.accesses.by_kind[kind], counts.misses.by_kind[kind]};
}

CacheLevelRow row_of(const HierarchyShape& shape, std::size_t level, const LevelCounts& counts) {
  const CacheShape& cache = level < shape.levels.size() ? shape.levels[level] : *shape.instruction;
  CacheLevelRow row;
  row.name = level_name(shape, level);
  row.replacement = name_of(cache.replacement);
  row.inclusion = name_of(cache.inclusion);
  row.prefetch = name_of(cache.prefetch);
  row.capacity = cache.capacity;
  row.line = cache.line;
  row.sector = cache.sector.count() == 0 ? cache.line : cache.sector;
  row.ways = cache.ways;
  row.instances = shape.cores / cache.shared_by;
  row.write_back = cache.write_back;
  row.write_allocate = cache.write_allocate;
  row.loads = counts_of(counts, 0);
  row.stores = counts_of(counts, 1);
  row.instructions = counts_of(counts, 2);
  row.prefetched = counts_of(counts, 3);
  row.sector_misses = counts.sector_misses;
  row.evictions = counts.evictions;
  row.writebacks = counts.writebacks;
  row.invalidations = counts.invalidations;
  row.prefetches = counts.prefetches;
  row.useful_prefetches = counts.useful_prefetches;
  return row;
}

CacheReport report_of(const CacheHierarchy& caches, const std::string& name,
                      const std::string& program) {
  const HierarchyShape& shape = caches.shape();
  CacheReport report;
  report.caches = shape.name.empty() ? name : shape.name;
  report.program = program;
  report.cores = shape.cores;
  const std::vector<LevelCounts> counts = caches.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    report.levels.push_back(row_of(shape, i, counts[i]));
    if (i != 0 && i < shape.levels.size()) continue;
    report.loads += counts[i].accesses.loads();
    report.stores += counts[i].accesses.stores();
    report.instructions += counts[i].accesses.instructions();
  }
  report.read = caches.memory().read;
  report.written = caches.memory().written;
  return report;
}

std::string text_of(const CacheReport& report, const Session& session) {
  switch (session.format()) {
    case Format::json:
      return cache_json(report);
    case Format::csv:
      return cache_csv(report);
    case Format::table:
      break;
  }
  return cache_table(report, session.style());
}

/// Runs the program, and keeps its references where they are to be written.
Diagnostics simulate(const CacheProgram& program, CacheHierarchy& caches, bool record,
                     Accesses& recorded) {
  Diagnostics wrong;
  program.run([&](std::span<const Access> accesses) {
    if (record && recorded.size() + accesses.size() > most_recorded)
      wrong = {usage_error(
          "--record",
          "the program makes more than " + std::to_string(most_recorded) + " references",
          "record a smaller one")};
    if (record && wrong.empty()) recorded.insert(recorded.end(), accesses.begin(), accesses.end());
    if (wrong.empty()) wrong = caches.run(accesses);
    return wrong.empty();
  });
  return wrong;
}

/// Wrong usage when only the command line is at fault, not here when it names a part that is not.
ExitCode failure_of(const Diagnostics& wrong, const Session& session) {
  const auto all_are = [&](std::string_view code) {
    return !wrong.empty() && std::all_of(wrong.begin(), wrong.end(),
                                         [&](const Diagnostic& d) { return d.code == code; });
  };
  if (all_are("usage")) return ExitCode::wrong_usage;
  return all_are("unknown-device") ? ExitCode::not_here : session.failure();
}

}  // namespace

ExitCode cache(const CacheCommand& command, Console& console) {
  Session session(console, command.output);
  if (command.staircase) return staircase(command, session);
  const Result<HierarchyShape> shape = load_caches(session.files, command);
  const Result<CacheProgram> program = cache_program(command, session);
  if (!session.accept(shape, program))
    return failure_of(shape ? program.diagnostics() : shape.diagnostics(), session);
  Result<CacheHierarchy> caches = CacheHierarchy::make(*shape);
  if (!session.accept(caches)) return session.failure();

  Accesses recorded;
  const Diagnostics wrong = simulate(*program, caches.value(), !command.record.empty(), recorded);
  if (!session.accept(wrong)) return failure_of(wrong, session);
  if (!command.record.empty() && !session.write_file(command.record, access_trace_bytes(recorded)))
    return ExitCode::cannot_write;
  CacheReport report = report_of(*caches, stem_of(command.caches), program->words);
  report.warnings = session.warnings();
  session.write(text_of(report, session));
  return ExitCode::done;
}

}  // namespace tantalus

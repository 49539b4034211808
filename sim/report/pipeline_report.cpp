#include "sim/report/pipeline_report.hpp"

#include <algorithm>
#include <vector>

#include "sim/report/numbers.hpp"
#include "sim/report/text_table.hpp"

namespace tantalus {

namespace {

constexpr double worth_saying = 1.02;  // gains below this are none

constexpr Cause waits[] = {Cause::fetch, Cause::prepare, Cause::copy, Cause::host,
                           Cause::communicate};

std::string what_waits(Cause cause) {
  switch (cause) {
    case Cause::fetch:
      return "storage delivers too slowly";
    case Cause::prepare:
      return "the loader prepares too slowly";
    case Cause::copy:
      return "copies to the device are in the way";
    case Cause::host:
      return "the training loop's thread is too slow";
    case Cause::communicate:
      return "it waits for the other devices";
    case Cause::compute:
      break;
  }
  return "the device itself sets the pace";
}

std::string waits_text(const EpochResult& epoch) {
  std::string text;
  for (const Cause cause : waits) {
    const double share = share_of(epoch, cause);
    if (share < 0.0005) continue;
    text += (text.empty() ? "" : ", ") + std::string(name_of(cause)) + " " + percent_text(share);
  }
  return text.empty() ? "never waits" : "waits for " + text;
}

std::string epochs_text(const PipelineResults& run) {
  std::string text = "first " + time_text(run.first().time);
  if (run.epochs.size() > 1) text += ", then " + time_text(run.last().time);
  text += "; " + rate_text(rate_of(run.last())) + " samples/s";
  if (run.epochs_asked > 2)
    text += "; " + grouped_text(run.epochs_asked) + " epochs " + time_text(run.total());
  return text;
}

std::string stages_table(const PipelineResults& run, const Style& style) {
  TextTable table(
      {{"stage", Align::left}, {"busy"}, {"starved"}, {"blocked"}, {"could do a second"}});
  for (const StageResult& stage : run.stages) {
    table.add_row(
        {stage.name, percent_text(stage.busy), percent_text(stage.starved),
         percent_text(stage.blocked),
         stage.capacity_samples_per_s > 0.0 ? rate_text(stage.capacity_samples_per_s) : "-"});
  }
  return table.text(style);
}

std::string changes_table(const PipelineResults& run, const Style& style) {
  TextTable table(
      {{"one change", Align::left}, {"gain"}, {"samples/s"}, {"then waits for", Align::left}});
  for (const ChangeResult& change : run.changes) {
    table.add_row({change.change, fixed_text(change.gain, 2) + "x", rate_text(change.samples_per_s),
                   std::string(name_of(change.waits_for))});
  }
  return table.text(style);
}

std::string shared_memory_text(const SharedMemoryResult& memory, const Style& style) {
  if (memory.batches == 0) return "";
  return "  shm       " + verdict(memory.fits ? "fits" : "is exhausted", memory.fits, style) +
         ": " + grouped_text(memory.batches) + " batches of " + memory_text(memory.one_batch) +
         ", " + memory_text(memory.needed) + " of " + memory_text(memory.limit) +
         (memory.fits ? "" : "; a worker dies of a bus error") + "\n";
}

}  // namespace

std::string verdict_sentence(const PipelineResults& run) {
  const EpochResult& epoch = run.last();
  const double busy = share_of(epoch, Cause::compute);
  std::string text = "the device is busy " + percent_text(busy) + " of the time";
  const Cause wait = longest_wait(epoch);
  if (wait != Cause::compute) {
    text +=
        " and waits for " + std::string(name_of(wait)) + " " + percent_text(share_of(epoch, wait));
  }
  text += "; " + what_waits(run.verdict);
  if (!run.changes.empty() && run.changes.front().gain >= worth_saying) {
    const ChangeResult& best = run.changes.front();
    text += "; " + best.change + " would give " + fixed_text(best.gain, 2) + "x";
  }
  return text;
}

std::string pipeline_text(const PipelineResults& run, const Style& style) {
  std::string text = bold("training on " + run.dataset + ", loader " + run.loader + ", " +
                              grouped_text(run.workers) +
                              " workers: " + std::string(name_of(run.verdict)) + " sets the pace",
                          style) +
                     "\n";
  text += "  epochs    " + epochs_text(run) + "\n";
  text += "  device    busy " + percent_text(share_of(run.last(), Cause::compute)) + ", " +
          waits_text(run.last()) + "\n";
  text += "  verdict   " + verdict_sentence(run) + "\n";
  text += "  second    once that is mended: " + std::string(name_of(run.second)) + "\n";
  if (run.last().reads > 0) {
    text +=
        "  cache     " +
        percent_text(static_cast<double>(run.last().hits) / static_cast<double>(run.last().reads)) +
        " of the reads are in memory; " + bytes_text(run.last().from_storage) +
        " an epoch from storage\n";
  }
  text += shared_memory_text(run.shared_memory, style);
  return text + "\n" + stages_table(run, style) + "\n" + changes_table(run, style);
}

}  // namespace tantalus

#include "sim/pipeline/changes.hpp"

#include <algorithm>
#include <utility>

namespace tantalus {

namespace {

/// Batches of an epoch that tell what the whole of it would.
constexpr std::int64_t enough_batches = 400;

TrainingSetup short_of(TrainingSetup setup) {
  const std::int64_t batches = (setup.dataset.items + setup.batch - 1) / setup.batch;
  setup.epochs = 2;
  setup.pauses.clear();
  if (batches <= 2 * enough_batches) return setup;
  const std::int64_t parts = batches / enough_batches;
  setup.dataset.items /= parts;
  setup.host.cache_capacity = Bytes{setup.host.cache_capacity.count() / parts};
  return setup;
}

struct Change {
  std::string words;
  std::function<void(TrainingSetup&)> make;
};

void halve(Duration& time) { time = Duration{time.count() / 2}; }

void hasten_device(StepProfile& step) {
  for (Duration* time : {&step.device, &step.busy, &step.update, &step.update_busy, &step.tail})
    halve(*time);
  for (GradientReady& gradient : step.gradients) halve(gradient.ready);
}

void hasten_loop(TrainingSetup& setup) {
  halve(setup.step.host);
  halve(setup.loader.iteration_time);
  halve(setup.loader.take_time);
}

std::vector<Change> changes_for(const TrainingSetup& setup, const StepOfBatch& step_of) {
  std::vector<Change> all;
  const std::int64_t workers = setup.loader.workers;
  all.push_back({workers == 0 ? "a loader worker" : "one loader worker more",
                 [](TrainingSetup& s) { ++s.loader.workers; }});
  if (workers > 1)
    all.push_back({"twice the loader workers", [](TrainingSetup& s) { s.loader.workers *= 2; }});
  all.push_back({"twice the processor cores", [](TrainingSetup& s) { s.host.cores *= 2.0; }});
  if (setup.dataset.layout != DataLayout::memory) {
    if (setup.storage.drive != nullptr)
      all.push_back({"a second such drive", [](TrainingSetup& s) { s.storage.drives *= 2; }});
    if (setup.host.cache_capacity < stored_bytes(setup.dataset)) {
      all.push_back({"twice the memory for the page cache",
                     [](TrainingSetup& s) { s.host.cache_capacity = s.host.cache_capacity * 2; }});
      all.push_back({"memory for the whole data set", [](TrainingSetup& s) {
                       s.host.cache_capacity = stored_bytes(s.dataset) * 2;
                     }});
    }
  }
  if (!setup.device.is_processor) {
    if (setup.loader.copy != BatchCopy::overlapped)
      all.push_back({"pinned memory and copies beside the kernels",
                     [](TrainingSetup& s) { s.loader.copy = BatchCopy::overlapped; }});
    all.push_back({"twice the link to the device",
                   [](TrainingSetup& s) { s.device.link = Bandwidth{s.device.link.count() * 2}; }});
    all.push_back({"half the host time of a step", &hasten_loop});
  }
  if (setup.loader.wait_every == 1)
    all.push_back({"reading the loss every 100 steps only",
                   [](TrainingSetup& s) { s.loader.wait_every = 100; }});
  all.push_back({"a device twice as fast", [](TrainingSetup& s) { hasten_device(s.step); }});
  if (step_of && 2 * setup.batch <= setup.dataset.items)
    all.push_back({"twice the batch", [&step_of](TrainingSetup& s) {
                     s.batch *= 2;
                     s.step = step_of(s.batch);
                   }});
  return all;
}

}  // namespace

std::vector<ChangeResult> what_would_help(const TrainingSetup& setup, const StepOfBatch& step_of) {
  const TrainingSetup base = short_of(setup);
  const double rate = rate_of(simulate_training(base).last());
  std::vector<ChangeResult> results;
  for (const Change& change : changes_for(base, step_of)) {
    TrainingSetup changed = base;
    change.make(changed);
    const EpochResult epoch = simulate_training(changed).last();
    results.push_back({change.words, rate_of(epoch), rate_of(epoch) / rate, longest_wait(epoch)});
  }
  std::stable_sort(results.begin(), results.end(),
                   [](const ChangeResult& a, const ChangeResult& b) { return a.gain > b.gain; });
  return results;
}

namespace {

TrainingSetup mended(TrainingSetup setup, Cause cause) {
  LoaderSpec& loader = setup.loader;
  StepProfile& step = setup.step;
  switch (cause) {
    case Cause::fetch:
      setup.dataset.layout = DataLayout::memory;
      setup.dataset.shards = 1;
      break;
    case Cause::prepare: {
      DatasetSpec& data = setup.dataset;
      data.decode_per_pixel = data.augment_per_value = data.item_time = Duration{0};
      loader.item_time = loader.batch_time = loader.start_time = Duration{0};
      loader.collate_rate = Bandwidth{0};
      break;
    }
    case Cause::copy:
      loader.copy = BatchCopy::overlapped;
      loader.copy_time = Duration{0};
      setup.device.link = Bandwidth{setup.device.link.count() * 100};
      break;
    case Cause::host:
      step.host = step.tail = Duration{0};
      step.device = step.busy;  // the gaps between kernels are the host's
      loader.iteration_time = loader.take_time = Duration{0};
      loader.wait_every = 0;
      break;
    case Cause::communicate:
      break;
    case Cause::compute:
      step.device = step.device - step.busy;
      step.busy = step.update = step.update_busy = Duration{0};
      step.tail = std::min(step.tail, step.device);
      break;
  }
  return setup;
}

/// What gains most by costing nothing; computing, when nothing gains.
Cause slowest_part(const TrainingSetup& setup) {
  constexpr double least_gain = 1.005;
  const double rate = rate_of(simulate_training(setup).last());
  Cause best = Cause::compute;
  double most =
      std::max(rate * least_gain, rate_of(simulate_training(mended(setup, Cause::compute)).last()));
  for (const Cause cause : {Cause::fetch, Cause::prepare, Cause::copy, Cause::host}) {
    const double then = rate_of(simulate_training(mended(setup, cause)).last());
    if (then > most) most = then, best = cause;
  }
  return best;
}

}  // namespace

Bottlenecks bottlenecks_of(const TrainingSetup& setup) {
  const TrainingSetup base = short_of(setup);
  Bottlenecks found;
  found.first = slowest_part(base);
  found.second = slowest_part(mended(base, found.first));
  return found;
}

}  // namespace tantalus

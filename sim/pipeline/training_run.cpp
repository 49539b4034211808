#include "sim/pipeline/training_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/engine/machine.hpp"
#include "sim/hardware/fabric.hpp"
#include "sim/pipeline/trainer.hpp"

namespace tantalus {

namespace {

/// Rate of a copy from pageable memory: the driver's copy to its own buffers, then the link; not overlapped.
Bandwidth staged(Bandwidth link, Bandwidth copy) {
  const Int128 product = Int128{link.count()} * copy.count();
  return Bandwidth{static_cast<std::int64_t>(product / (link.count() + copy.count()))};
}

class TrainingRun {
 public:
  explicit TrainingRun(const TrainingSetup& setup);
  PipelineResults run();

 private:
  /// Everything that is counted, at one instant.
  struct Snapshot {
    TimePoint at;
    CauseTimes causes{};
    StageClock::Times storage{}, pinning{}, loop{}, copying{};
    std::vector<StageClock::Times> workers;
    std::int64_t batches = 0, samples = 0, reads = 0, hits = 0;
    Bytes from_storage, to_devices;
  };

  void add_storage();
  CopyWay copy_way();
  void add_trainer();
  void run_epoch(std::int64_t epoch);
  void epoch_over() { over_ = true; }
  Snapshot look() const;
  EpochResult between(const Snapshot& from, const Snapshot& to) const;
  std::vector<StageResult> stages_between(const Snapshot& from, const Snapshot& to) const;
  bool will_repeat(const EpochResult& last) const;

  const TrainingSetup& setup_;
  Machine machine_;
  Fabric& fabric_;
  CapacityId memory_;
  HostCores cores_;
  DataSource& source_;
  ItemOrder order_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<Loader> loader_;
  bool over_ = false;
};

std::size_t drives_of(const TrainingSetup& setup) {
  return setup.storage.drive == nullptr ? 0 : static_cast<std::size_t>(setup.storage.drives);
}

TrainingRun::TrainingRun(const TrainingSetup& setup)
    : setup_(setup),
      fabric_(machine_.emplace<Fabric>("fabric")),
      memory_(fabric_.add(setup.host.name, "dram", setup.host.memory)),
      cores_(fabric_, setup.host.name, setup.host.cores),
      source_(machine_.emplace<DataSource>(
          "data", PageCache(setup.host.cache, setup.host.cache_capacity, setup.seed),
          drives_of(setup))),
      order_(static_cast<std::uint32_t>(setup.dataset.items), setup.seed) {
  add_storage();
  add_trainer();
  const Diagnostics problems = machine_.start();
  TANTALUS_CHECK(problems.empty(), problems.empty() ? "" : problems.front().message);
}

void TrainingRun::add_storage() {
  for (std::size_t i = 0; i < drives_of(setup_); ++i) {
    const std::string name = "drive" + std::to_string(i);
    Component& component = machine_.add(name, [&](Engine& engine, DeviceId id, std::string own) {
      return setup_.storage.drive->make({engine, id, std::move(own), fabric_});
    });
    auto* drive = dynamic_cast<StorageDevice*>(&component);
    TANTALUS_CHECK(drive != nullptr, "data sets lie on storage");
    for (const Bandwidth link : setup_.storage.links) drive->limit_link(link);
    const auto join = [&](PortName from, PortName to) {
      JoinRequest request;
      request.from = std::move(from);
      request.to = std::move(to);
      const Diagnostics problems = machine_.join(request);
      TANTALUS_CHECK(problems.empty(), "a drive has the ports of storage");
    };
    join({"data", "requests " + std::to_string(i)}, {name, "requests"});
    join({name, "done"}, {"data", "done " + std::to_string(i)});
  }
}

/// Pageable bytes cross memory three times (read, written to the driver's buffer, read again), pinned ones once.
CopyWay TrainingRun::copy_way() {
  CopyWay way;
  way.needed = !setup_.device.is_processor;
  if (!way.needed) return way;
  const bool pageable = setup_.loader.copy == BatchCopy::pageable;
  const CapacityId link = fabric_.add(setup_.device.name, "link", setup_.device.link);
  const Bandwidth rate =
      pageable ? staged(setup_.device.link, setup_.loader.pageable_rate) : setup_.device.link;
  way.flow = fabric_.flows().open_class(
      {{{memory_.value, pageable ? 3 * Crossing::one : Crossing::one}, {link.value}},
       1,
       Rate::of(rate)});
  return way;
}

void TrainingRun::add_trainer() {
  Engine& engine = machine_.engine();
  const Bytes sample = sample_bytes(setup_.dataset);
  trainer_ = std::make_unique<Trainer>(Trainer::Parts{engine, fabric_.flows(), cores_, memory_},
                                       setup_.loader, setup_.step, setup_.batch, sample);
  loader_ = std::make_unique<Loader>(
      Loader::Parts{engine, source_, cores_, memory_, order_, *trainer_}, setup_.dataset,
      setup_.loader, LoaderShare{0, setup_.batch, setup_.batch, setup_.steps});
  for (const WorkerPause& pause : setup_.pauses) loader_->pause(pause);
  trainer_->set_loader(*loader_);
  trainer_->be_busy_first(setup_.loader.first_use);
  DeviceLine& line = trainer_->add_device(copy_way(), nullptr);
  if (setup_.device.is_processor) {
    const auto width = static_cast<std::int64_t>(setup_.host.cores);
    line.run_on(cores_, cores_.open(width, memory_, Bandwidth{0}), width);
  }
}

// ---- Epochs ----------------------------------------------------------------------------------------------------------

void TrainingRun::run_epoch(std::int64_t epoch) {
  if (setup_.dataset.layout == DataLayout::files) order_.shuffle(static_cast<std::uint64_t>(epoch));
  over_ = false;
  trainer_->begin_epoch({on<&TrainingRun::epoch_over>, this});
  machine_.run();
  TANTALUS_CHECK(over_, "an epoch ends: nobody waits for what never comes");
}

TrainingRun::Snapshot TrainingRun::look() const {
  Snapshot now;
  now.at = machine_.engine().now();
  now.causes = trainer_->lines().front()->times();
  now.storage = source_.clock().times(now.at);
  now.pinning = loader_->pinning().times(now.at);
  now.loop = trainer_->clock().times(now.at);
  now.copying = trainer_->copy_clock().times(now.at);
  for (const StageClock& worker : loader_->workers()) now.workers.push_back(worker.times(now.at));
  now.batches = trainer_->steps();
  now.samples = trainer_->samples();
  now.reads = source_.reads();
  now.hits = source_.hits();
  now.from_storage = source_.from_storage();
  now.to_devices = trainer_->copied();
  return now;
}

EpochResult TrainingRun::between(const Snapshot& from, const Snapshot& to) const {
  EpochResult epoch;
  epoch.time = to.at - from.at;
  for (std::size_t cause = 0; cause < cause_count; ++cause)
    epoch.causes[cause] = to.causes[cause] - from.causes[cause];
  epoch.batches = to.batches - from.batches;
  epoch.samples = to.samples - from.samples;
  epoch.reads = to.reads - from.reads;
  epoch.hits = to.hits - from.hits;
  epoch.from_storage = to.from_storage - from.from_storage;
  epoch.to_devices = to.to_devices - from.to_devices;
  TANTALUS_CHECK(setup_.steps > 0 || epoch.samples == setup_.dataset.items,
                 "every item is trained on once an epoch");
  return epoch;
}

/// Shares of an epoch; what a stage does in its busy time.
StageResult stage(std::string name, const StageClock::Times& from, const StageClock::Times& to,
                  const EpochResult& epoch) {
  const auto share = [&](StageState state) {
    const auto i = static_cast<std::size_t>(state);
    return seconds(to[i] - from[i]) / seconds(epoch.time);
  };
  StageResult result{std::move(name), share(StageState::busy), share(StageState::starved),
                     share(StageState::blocked), 0.0};
  if (result.busy > 0.0) result.capacity_samples_per_s = rate_of(epoch) / result.busy;
  return result;
}

std::vector<StageResult> TrainingRun::stages_between(const Snapshot& from,
                                                     const Snapshot& to) const {
  const EpochResult epoch = between(from, to);
  std::vector<StageResult> all;
  if (drives_of(setup_) > 0) all.push_back(stage("storage", from.storage, to.storage, epoch));
  StageResult workers{"loader"};
  for (std::size_t w = 0; w < to.workers.size(); ++w) {
    const StageResult one = stage("", from.workers[w], to.workers[w], epoch);
    workers.busy += one.busy, workers.starved += one.starved, workers.blocked += one.blocked;
  }
  const auto count = static_cast<double>(to.workers.size());
  workers.busy /= count, workers.starved /= count, workers.blocked /= count;
  // Reading is a worker's own time: what it does when nobody holds it up.
  const double engaged = workers.busy + workers.starved;
  if (engaged > 0.0) workers.capacity_samples_per_s = rate_of(epoch) / engaged;
  all.push_back(workers);
  if (setup_.loader.copy != BatchCopy::pageable)
    all.push_back(stage("pin", from.pinning, to.pinning, epoch));
  all.push_back(stage("loop", from.loop, to.loop, epoch));
  if (!setup_.device.is_processor) all.push_back(stage("copy", from.copying, to.copying, epoch));
  StageResult device{"device"};
  device.busy = share_of(epoch, Cause::compute);
  device.blocked = share_of(epoch, Cause::communicate);
  device.starved = std::max(0.0, 1.0 - device.busy - device.blocked);
  if (device.busy > 0.0) device.capacity_samples_per_s = rate_of(epoch) / device.busy;
  all.push_back(device);
  return all;
}

/// The next epoch begins where this one began: what is in memory did not change, and no once-only work is left. With a random
/// order and a cache that holds a part, it is like this one when both hit equally often.
bool TrainingRun::will_repeat(const EpochResult& last) const {
  if (!setup_.repeat_epochs) return false;
  return last.hits == last.reads || setup_.host.cache_capacity == Bytes{0};
}

PipelineResults TrainingRun::run() {
  PipelineResults results;
  results.dataset = setup_.dataset.name;
  results.loader = setup_.loader.name;
  results.workers = setup_.loader.workers;
  results.epochs_asked = setup_.epochs;
  results.shared_memory = shared_memory_need(setup_);
  Snapshot before = look();
  for (std::int64_t epoch = 0; epoch < setup_.epochs; ++epoch) {
    run_epoch(epoch);
    const Snapshot after = look();
    results.epochs.push_back(between(before, after));
    results.stages = stages_between(before, after);
    before = after;
    if (epoch > 0 && epoch + 1 < setup_.epochs && will_repeat(results.last())) {
      results.steady = true;
      break;
    }
  }
  results.verdict = longest_wait(results.last());
  return results;
}

}  // namespace

PipelineResults simulate_training(const TrainingSetup& setup) { return TrainingRun(setup).run(); }

SharedMemoryResult shared_memory_need(const TrainingSetup& setup) {
  SharedMemoryResult need;
  need.limit = setup.host.shared_memory;
  need.one_batch = sample_bytes(setup.dataset) * std::min(setup.batch, setup.dataset.items);
  // Without workers nothing crosses a process.
  need.batches = setup.loader.workers == 0 ? 0 : setup.loader.workers * setup.loader.prefetch + 2;
  need.needed = need.one_batch * need.batches;
  need.fits = need.needed <= need.limit;
  return need;
}

}  // namespace tantalus

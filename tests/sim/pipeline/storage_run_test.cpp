// Training over data that have to be read: drives, page cache, shards.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/sim/pipeline/training_fixture.hpp"

namespace tantalus {
namespace {

using test::drive;
using test::milliseconds;
using test::on_drive;

double rate(const TrainingSetup& setup) { return rate_of(simulate_training(setup).last()); }

TEST_CASE("bytes are conserved from storage to device, whatever the layout") {
  const auto ssd = drive(ssd_kind, test::sata_ssd);
  for (const DataLayout layout : {DataLayout::files, DataLayout::shards}) {
    TrainingSetup setup = on_drive(*ssd, 3'000, Bytes{100'000});
    setup.dataset.layout = layout;
    setup.dataset.shards = layout == DataLayout::shards ? 4 : 1;
    setup.host.cache_capacity = Bytes{0};
    const PipelineResults run = simulate_training(setup);
    for (const EpochResult& epoch : run.epochs) {
      CHECK(epoch.hits == 0);
      CHECK(epoch.to_devices == sample_bytes(setup.dataset) * 3'000);
      // Inodes come on top of files, and the last piece of shards is read whole.
      CHECK(epoch.from_storage >= stored_bytes(setup.dataset) - Bytes{1 << 20});
      CHECK(epoch.from_storage <= stored_bytes(setup.dataset) + Bytes{3'000 * 4'096});
    }
  }
}

TEST_CASE("a page cache larger than the data makes the second epoch fast, and not the first") {
  const auto hdd = drive(hdd_kind, test::desktop_hdd);
  TrainingSetup setup = on_drive(*hdd, 2'000, Bytes{110'000});
  setup.host.cache_capacity = Bytes{1'000'000'000};
  setup.epochs = 100;
  const PipelineResults run = simulate_training(setup);
  CHECK(run.first().hits == 0);
  CHECK(run.last().hits == 2'000);
  CHECK(run.last().from_storage == Bytes{0});
  CHECK(seconds(run.first().time) > 10.0 * seconds(run.last().time));
  CHECK(run.epochs.size() == 2);
  CHECK(run.steady);
  CHECK(run.total() == run.first().time + run.last().time * 99);
}

TEST_CASE("epochs that are not simulated are those that the full run has") {
  TrainingSetup setup = test::in_memory(5'000, Duration{30'000'000});
  setup.epochs = 6;
  const PipelineResults short_run = simulate_training(setup);
  CHECK(short_run.epochs.size() == 2);
  setup.repeat_epochs = false;
  const PipelineResults whole = simulate_training(setup);
  CHECK(whole.epochs.size() == 6);
  CHECK(whole.total() == short_run.total());
}

TEST_CASE("more workers do not help a run that the drive holds up, a faster drive does") {
  const auto hdd = drive(hdd_kind, test::desktop_hdd);
  const auto ssd = drive(ssd_kind, test::sata_ssd);
  TrainingSetup setup = on_drive(*hdd, 10'000, Bytes{110'000});
  setup.loader.workers = 4;
  const double four = rate(setup);
  setup.loader.workers = 10;
  const double ten = rate(setup);
  CHECK(ten < 1.25 * four);
  CHECK(four < 110);
  setup.storage.drive = ssd.get();
  CHECK(rate(setup) > 10 * ten);
}

TEST_CASE("less memory is never faster") {
  const auto ssd = drive(ssd_kind, test::sata_ssd);
  TrainingSetup setup = on_drive(*ssd, 4'000, Bytes{110'000});
  double before = 0.0;
  for (const std::int64_t share : {0, 20, 40, 60, 80, 100, 120}) {
    setup.host.cache_capacity = Bytes{stored_bytes(setup.dataset).count() * share / 100};
    const double now = rate(setup);
    CHECK(now >= before * 0.995);
    before = now;
  }
}

TEST_CASE("one shard feeds one worker, however many there are") {
  const auto ssd = drive(ssd_kind, test::sata_ssd);
  TrainingSetup setup = on_drive(*ssd, 4'000, Bytes{110'000});
  setup.dataset.item_time = milliseconds(4);
  setup.dataset.layout = DataLayout::shards;
  setup.loader.workers = 1;
  const double one = rate(setup);
  setup.loader.workers = 4;
  CHECK(rate(setup) == doctest::Approx(one).epsilon(0.01));
  setup.dataset.shards = 8;
  CHECK(rate(setup) > 3.5 * one);
}

}  // namespace
}  // namespace tantalus

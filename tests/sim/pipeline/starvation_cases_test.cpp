// Runs that starved, as people reported them, with what they said of their machines. The files of data sets, drives and loaders
// are the project's own; nothing was fitted to these runs but what their sources name (ImageNet's preparation: S19).
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "sim/pipeline/changes.hpp"
#include "tests/golden.hpp"
#include "tests/sim/pipeline/training_fixture.hpp"

namespace tantalus {
namespace {

using test::drive;
using test::in_memory;
using test::milliseconds;

DatasetSpec dataset(const std::string& name) {
  const std::string file = std::string(TANTALUS_SOURCE_DIR) + "/models/datasets/" + name + ".yaml";
  const Result<DatasetSpec> spec = load_dataset(testing::text_of_file(file), file);
  REQUIRE(spec.ok());
  return *spec;
}

std::unique_ptr<DevicePlan> drive_file(const DeviceKind& kind, const std::string& name) {
  std::string text = testing::text_of_file(std::string(TANTALUS_SOURCE_DIR) +
                                           "/hw_configs/devices/" + name + ".yaml");
  // The fixture writes a header of its own.
  for (const std::string line : {"tantalus: device/1\n", "kind: hdd\n", "kind: ssd\n"}) {
    const std::size_t at = text.find(line);
    if (at != std::string::npos) text.erase(at, line.size());
  }
  return test::drive_of(kind, "tantalus: device/1\n" + text);
}

/// AlexNet's step takes `step`; `cores` load.
TrainingSetup training(const std::string& data, std::int64_t batch, Duration step, double cores) {
  TrainingSetup setup = in_memory(1, Duration{0});
  setup.dataset = dataset(data);
  setup.batch = batch;
  setup.step.device = setup.step.busy = step;
  setup.host.cores = cores;
  setup.loader.batch_time = Duration{900'000'000};
  setup.epochs = 1;
  return setup;
}

// Two Titans, i7-5930K, hard disk, batch 256, 4 or 10 workers alike: 5.89 s a batch at step 20, of which 0.26 s not waiting.
TEST_CASE("AlexNet from a hard disk: 43 images a second, whatever the workers (case starve-01)") {
  const auto hdd = drive_file(hdd_kind, "hdd-7200");
  const auto ssd = drive_file(ssd_kind, "ssd-sata");
  TrainingSetup setup = training("imagenet", 256, milliseconds(261), 6);
  setup.storage.drive = hdd.get();
  setup.host.cache_capacity = Bytes{32'000'000'000};
  setup.steps = 20;
  setup.loader.workers = 4;
  const PipelineResults four = simulate_training(setup);
  INFO(rate_of(four.last()));
  CHECK(rate_of(four.last()) == doctest::Approx(256 / 5.893).epsilon(0.25));
  CHECK(share_of(four.last(), Cause::compute) < 0.07);
  CHECK(bottlenecks_of(setup).first == Cause::fetch);

  setup.loader.workers = 10;
  CHECK(rate_of(simulate_training(setup).last()) < 1.35 * rate_of(four.last()));
  setup.storage.drive = ssd.get();
  CHECK(rate_of(simulate_training(setup).last()) > 10 * rate_of(four.last()));
}

// Seagate ST2000DM001, i7-8700 (6 cores), 64 GB, 22 workers, two GTX 1080 Ti: 250 batches of 256 in 685 s.
TEST_CASE("250 batches from a hard disk with 22 workers: 93 images a second (S03)") {
  const auto hdd = drive_file(hdd_kind, "hdd-7200");
  TrainingSetup setup = training("imagenet", 256, milliseconds(150), 6);
  setup.storage.drive = hdd.get();
  setup.host.cache_capacity = Bytes{56'000'000'000};
  setup.steps = 250;
  setup.loader.workers = 22;
  const PipelineResults run = simulate_training(setup);
  INFO(rate_of(run.last()));
  CHECK(rate_of(run.last()) == doctest::Approx(93.4).epsilon(0.25));
  CHECK(run.verdict == Cause::fetch);
}

// Four workers asked for, one tar file: 30 batches of 256 in 35 s.
TEST_CASE("one shard feeds one worker: 219 images a second (S20)") {
  const auto ssd = drive_file(ssd_kind, "ssd-nvme-gen4");
  TrainingSetup setup = training("imagenet-shards", 256, Duration{1'000'000}, 16);
  setup.dataset.shards = 1;
  setup.storage.drive = ssd.get();
  setup.steps = 30;
  setup.loader.workers = 4;
  const PipelineResults run = simulate_training(setup);
  INFO(rate_of(run.last()));
  CHECK(rate_of(run.last()) == doctest::Approx(219).epsilon(0.25));
  CHECK(run.verdict == Cause::prepare);
}

// 2.54 ms to decode one JPEG on one thread, a network that takes 2,500 images a second.
TEST_CASE("seven threads that decode feed ResNet-50, and more do not help (case starve-05)") {
  TrainingSetup setup = in_memory(40'000, Duration{2'540'000'000});
  setup.step.device = setup.step.busy = Duration{25'600'000'000};  // 64 of 2,500 a second
  setup.host.cores = 16;
  setup.loader.copy = BatchCopy::overlapped;
  setup.loader.wait_every = 0;
  const auto rate = [&](std::int64_t workers) {
    setup.loader.workers = workers;
    return rate_of(simulate_training(setup).last());
  };
  const double one = rate(1);
  CHECK(one == doctest::Approx(393).epsilon(0.02));
  for (const std::int64_t workers : {2, 4, 6})
    CHECK(rate(workers) == doctest::Approx(one * static_cast<double>(workers)).epsilon(0.03));
  for (const std::int64_t workers : {7, 8, 16})
    CHECK(rate(workers) == doctest::Approx(2'500).epsilon(0.03));
}

}  // namespace
}  // namespace tantalus

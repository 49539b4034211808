#include "sim/pipeline/training_run.hpp"

#include <numeric>

#include <doctest/doctest.h>

#include "tests/sim/pipeline/training_fixture.hpp"

namespace tantalus {
namespace {

using test::in_memory;
using test::milliseconds;

double seconds_of(const EpochResult& epoch) { return seconds(epoch.time); }

TEST_CASE("the parts of a device's time add up to the epoch, for every way of copying") {
  for (const BatchCopy copy : {BatchCopy::pageable, BatchCopy::pinned, BatchCopy::overlapped}) {
    for (const std::int64_t workers : {0, 1, 3}) {
      TrainingSetup setup = in_memory(1'000, Duration{20'000'000});
      setup.loader.copy = copy;
      setup.loader.workers = workers;
      setup.loader.wait_every = 3;
      setup.batch = 48;  // the last one has 40
      const PipelineResults run = simulate_training(setup);
      for (const EpochResult& epoch : run.epochs) {
        const Duration sum = std::accumulate(epoch.causes.begin(), epoch.causes.end(), Duration{});
        CHECK(sum == epoch.time);
        CHECK(epoch.samples == 1'000);
        CHECK(epoch.batches == 21);
        CHECK(epoch.to_devices == Bytes{1'000 * 784 * 4});
      }
      for (const StageResult& stage : run.stages) {
        INFO(stage.name);
        CHECK(stage.busy + stage.starved + stage.blocked == doctest::Approx(1.0).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE(
    "a loader that is slower than the device sets the pace, two workers twice as fast as one") {
  TrainingSetup setup = in_memory(6'400, Duration{100'000'000});  // 6.4 ms a batch
  setup.loader.workers = 1;
  const PipelineResults one = simulate_training(setup);
  CHECK(seconds_of(one.last()) == doctest::Approx(0.64).epsilon(0.01));
  CHECK(one.verdict == Cause::prepare);
  setup.loader.workers = 2;
  const PipelineResults two = simulate_training(setup);
  CHECK(seconds_of(two.last()) == doctest::Approx(0.32).epsilon(0.02));
  // Eight workers on four cores are no faster than four, and the device is not the limit.
  setup.loader.workers = 4;
  const double four = seconds_of(simulate_training(setup).last());
  setup.loader.workers = 8;
  CHECK(seconds_of(simulate_training(setup).last()) == doctest::Approx(four).epsilon(0.05));
}

TEST_CASE("a device that is slower than the loader is busy, and a faster one gains") {
  TrainingSetup setup = in_memory(6'400, Duration{1'000'000});
  setup.loader.copy = BatchCopy::overlapped;
  setup.loader.wait_every = 0;
  const PipelineResults run = simulate_training(setup);
  CHECK(seconds_of(run.last()) == doctest::Approx(0.1).epsilon(0.02));  // 100 steps of 1 ms
  CHECK(run.verdict == Cause::compute);
  setup.step.device = setup.step.busy = milliseconds(1) * 1 - Duration{500'000'000};
  CHECK(seconds_of(simulate_training(setup).last()) == doctest::Approx(0.05).epsilon(0.05));
}

TEST_CASE("a host that issues for longer than the device runs sets the pace") {
  TrainingSetup setup = in_memory(640, Duration{0});
  setup.loader.copy = BatchCopy::overlapped;
  setup.loader.wait_every = 0;
  setup.step.host = milliseconds(3);
  const PipelineResults run = simulate_training(setup);
  CHECK(seconds_of(run.last()) == doctest::Approx(0.03).epsilon(0.02));
  CHECK(run.verdict == Cause::host);
  CHECK(share_of(run.last(), Cause::compute) == doctest::Approx(1.0 / 3.0).epsilon(0.02));
}

TEST_CASE("waiting for each step adds the host's time to the device's") {
  TrainingSetup setup = in_memory(640, Duration{0});
  setup.loader.copy = BatchCopy::pinned;
  setup.step.host = milliseconds(1);
  setup.step.device = setup.step.busy = milliseconds(2);
  setup.step.tail = milliseconds(2);  // nothing runs before all is issued
  setup.loader.wait_every = 0;
  const double ahead = seconds_of(simulate_training(setup).last());
  setup.loader.wait_every = 1;
  const double each = seconds_of(simulate_training(setup).last());
  CHECK(ahead == doctest::Approx(0.02).epsilon(0.1));
  CHECK(each == doctest::Approx(0.03).epsilon(0.1));
}

struct LectureRow {
  std::int64_t batch, workers;
  double measured;  // seconds of one epoch
};

// DeepNN lecture "Hardware Ecosystem" (2021): epochs of LeNet over MNIST on one GPU, two GPUs, and one GPU with one worker. The
// GPU's own millisecond hides behind the loader in all of them.
constexpr LectureRow lecture[] = {
    {512, 2, 2.053}, {1024, 2, 1.861}, {64, 1, 4.383}, {64, 1, 4.489}, {6000, 1, 3.597}};

double lecture_epoch(const LectureRow& row, Duration item, Duration batch, Duration start) {
  TrainingSetup setup = in_memory(60'000, item);
  setup.host.cores = 8;
  setup.loader.batch_time = batch;
  setup.loader.start_time = start;
  setup.batch = row.batch;
  setup.loader.workers = row.workers;
  const PipelineResults run = simulate_training(setup);
  CHECK(run.verdict == Cause::prepare);
  return seconds_of(run.last());
}

// 59 x (512 c + i) + s = 2.053 s and 938 x (64 c + i) + s = 4.489 s, with s = 0.1 s to start workers (fork: 0.05 to 0.2 s).
TEST_CASE("loader constants of two rows of the lecture give its other epochs within 12 %") {
  for (const LectureRow& row : lecture) {
    const double epoch =
        lecture_epoch(row, Duration{63'400'000}, Duration{620'000'000}, milliseconds(100));
    INFO(row.batch, " ", row.workers, " ", epoch);
    CHECK(epoch == doctest::Approx(row.measured).epsilon(0.12));
  }
}

TEST_CASE("loader constants fitted to all rows of the lecture give each within 10 %") {
  for (const LectureRow& row : lecture) {
    const double epoch =
        lecture_epoch(row, Duration{56'000'000}, Duration{930'000'000}, milliseconds(200));
    INFO(row.batch, " ", row.workers, " ", epoch);
    CHECK(epoch == doctest::Approx(row.measured).epsilon(0.10));
  }
}

TEST_CASE("batches ordered ahead and in hand must fit shared memory") {
  TrainingSetup setup = in_memory(60'000, Duration{0});
  setup.host.shared_memory = Bytes{64LL << 20};
  setup.loader.workers = 1;
  setup.batch = 6'000;
  CHECK(shared_memory_need(setup).needed == Bytes{4LL * 6'000 * 3'136});
  CHECK_FALSE(shared_memory_need(setup).fits);
  setup.batch = 512;
  CHECK(shared_memory_need(setup).fits);
  setup.loader.workers = 0;
  setup.batch = 6'000;
  CHECK(shared_memory_need(setup).fits);
}

TEST_CASE("a worker's stall is felt when what was ordered ahead is used up") {
  TrainingSetup setup = in_memory(64'000, Duration{10'000'000});
  setup.loader.workers = 2;
  setup.loader.prefetch = 8;
  setup.epochs = 1;
  setup.step.device = setup.step.busy = milliseconds(5);
  setup.loader.wait_every = 0;
  setup.loader.copy = BatchCopy::overlapped;
  const double smooth = seconds_of(simulate_training(setup).last());
  setup.pauses = {{0, TimePoint{milliseconds(1'000)}, milliseconds(500)}};
  const PipelineResults run = simulate_training(setup);
  const double late = seconds_of(run.last()) - smooth;
  // The stalled batch is the last of 16 that were ordered ahead, behind 8 steps in the device's queue: 23 steps of 5 ms.
  CHECK(late == doctest::Approx(0.500 - 23 * 0.005).epsilon(0.01));
  CHECK(share_of(run.last(), Cause::fetch) * seconds_of(run.last()) ==
        doctest::Approx(late).epsilon(0.05));
}

TEST_CASE("a stall shorter than what was ordered ahead is not felt") {
  TrainingSetup setup = in_memory(64'000, Duration{10'000'000});
  setup.loader.prefetch = 8;
  setup.epochs = 1;
  setup.step.device = setup.step.busy = milliseconds(5);
  setup.loader.wait_every = 0;
  setup.loader.copy = BatchCopy::overlapped;
  const Duration smooth = simulate_training(setup).last().time;
  setup.pauses = {{0, TimePoint{milliseconds(1'000)}, milliseconds(50)}};
  CHECK(simulate_training(setup).last().time == smooth);
}

}  // namespace
}  // namespace tantalus

// What a training run over a data set hands back: time by epoch, where the device's time went, what each stage did, and the
// answer in words. Plain records; everything was observed in events but what the sentences conclude from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"

namespace tantalus {

/// What a device's time goes on. fetch: storage; prepare: the loader's processor time; copy: the batch's way to the device;
/// host: the training loop's thread; communicate: other devices; compute: kernels run.
enum class Cause : std::uint8_t { fetch, prepare, copy, host, communicate, compute };
inline constexpr std::size_t cause_count = 6;
std::string_view name_of(Cause cause);

/// Device time by cause; the parts add up to the wall time.
using CauseTimes = std::array<Duration, cause_count>;

struct EpochResult {
  Duration time;
  CauseTimes causes{};  // mean over the devices
  std::int64_t batches = 0, samples = 0;
  std::int64_t reads = 0, hits = 0;  // of items or pieces of shards; hits were in memory
  Bytes from_storage, to_devices;
};

/// Shares of the steady epoch: busy + starved + blocked = 1. `capacity` is what the stage does in the time that it is busy.
struct StageResult {
  std::string name;
  double busy = 0.0, starved = 0.0, blocked = 0.0;
  double capacity_samples_per_s = 0.0;
};

/// One change to the machine or the run, with the rate it was simulated to give.
struct ChangeResult {
  std::string change;
  double samples_per_s = 0.0;
  double gain = 1.0;  // over the run as asked
  Cause waits_for = Cause::compute;
};

/// Batches on their way through shared memory at most, against what there is.
struct SharedMemoryResult {
  bool fits = true;
  Bytes limit, needed, one_batch;
  std::int64_t batches = 0;
};

struct PipelineResults {
  std::string dataset, loader;
  std::int64_t devices = 1, workers = 0;
  std::string parallel;             // "", "dp" or "ddp"
  std::vector<EpochResult> epochs;  // those that were simulated, in order
  std::int64_t epochs_asked = 1;
  bool steady = false;  // the epochs after the last simulated one are like it
  std::vector<StageResult> stages;
  SharedMemoryResult shared_memory;
  // What sets the pace, and what would once that cost nothing.
  Cause verdict = Cause::compute, second = Cause::compute;
  std::vector<ChangeResult> changes;  // largest gain first

  const EpochResult& first() const { return epochs.front(); }
  /// The last one: what every later epoch is like.
  const EpochResult& last() const { return epochs.back(); }
  /// All epochs that were asked for.
  Duration total() const;
};

/// Samples a second of one epoch.
double rate_of(const EpochResult& epoch);
/// The share of an epoch that the devices spent on one cause.
double share_of(const EpochResult& epoch, Cause cause);
/// compute when the devices were busy for nine tenths of the epoch; else what they waited for longest.
Cause longest_wait(const EpochResult& epoch);

}  // namespace tantalus

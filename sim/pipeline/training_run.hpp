// Training over a data set on one machine: storage, page cache, loader workers, host memory, copies, the training loop and the
// devices' steps in one event simulation. What a step costs a device comes from its own kernel-level simulation
// (step_profile.hpp); everything between the disk and the step happens here, batch by batch and, for items that are not in
// memory, item by item.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/hardware/device_kind.hpp"
#include "sim/hardware/storage/page_cache.hpp"
#include "sim/pipeline/dataset_spec.hpp"
#include "sim/pipeline/loader.hpp"
#include "sim/pipeline/loader_spec.hpp"
#include "sim/pipeline/step_profile.hpp"
#include "sim/results/pipeline_results.hpp"

namespace tantalus {

/// The processor that loads, and what of its memory is left for this.
struct HostSide {
  std::string name = "cpu";
  double cores = 1.0;    // a second hardware thread counts for a part
  Bandwidth memory;      // of its DRAM
  PageCacheSpec cache;   // how the system keeps what was read
  Bytes cache_capacity;  // memory left for that
  Bytes shared_memory;   // /dev/shm
};

/// Where the data set lies; `drives` equal ones take its items by turns.
struct StorageSide {
  const DevicePlan* drive = nullptr;  // null: no drive, the data set must be in memory
  std::vector<Bandwidth> links;       // of the system, on the way to the host
  std::int64_t drives = 1;
};

/// One device's way from the host.
struct DeviceSide {
  std::string name;
  Bandwidth link;             // payload a second; unused when the device is the processor
  bool is_processor = false;  // steps run on the host's cores
};

struct TrainingSetup {
  DatasetSpec dataset;
  LoaderSpec loader;
  StepProfile step;  // of one device at its share of the batch
  std::int64_t batch = 1;
  HostSide host;
  StorageSide storage;
  DeviceSide device;
  std::int64_t epochs = 2;
  std::int64_t steps = 0;  // of an epoch at most; 0: as many as the data set has
  std::uint64_t seed = 1;
  std::vector<WorkerPause> pauses;
  bool repeat_epochs = true;  // false: simulate all of them
};

/// The run. Epochs that would be like the one before are not simulated (PipelineResults::steady). Pure of files and clocks of
/// the real machine; the same setup gives the same results everywhere.
PipelineResults simulate_training(const TrainingSetup& setup);

/// What shared memory must hold at most: every batch ordered ahead, one in the loop's hands and one on its way there.
SharedMemoryResult shared_memory_need(const TrainingSetup& setup);

}  // namespace tantalus

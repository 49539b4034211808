// From a machine, a network's step and the files of a data set and a loader to a training run.
#pragma once

#include "models/dnn/layers.hpp"
#include "sim/app/files.hpp"
#include "sim/app/options.hpp"
#include "sim/base/result.hpp"
#include "sim/hardware/simulate.hpp"
#include "sim/hardware/system_plan.hpp"
#include "sim/pipeline/dataset_spec.hpp"
#include "sim/pipeline/loader_spec.hpp"
#include "sim/results/pipeline_results.hpp"

namespace tantalus {

/// The files that say how data come in.
struct DataPath {
  DatasetSpec dataset;
  LoaderSpec loader;
};

/// Both files; without a data set, nothing that means anything. An empty name of a loader stands for one with nothing of its own.
Result<DataPath> load_data_path(Files& files, const DataOptions& options);

/// What a training run is asked of. All must outlive it.
struct TrainingQuestion {
  const SystemPlan& system;
  std::size_t device;  // part that the steps run on
  const Network& network;
  const RunSpec& run;
  const RunOptions& on;
  const DataPath& data;
  const DataOptions& options;
};

/// Codes: no-host (a lone part has no data path), no-drive, no-route, sample-size (the network reads something else), usage (a
/// batch larger than the data set).
Result<PipelineResults> train(const TrainingQuestion& question, const Results& step);

}  // namespace tantalus

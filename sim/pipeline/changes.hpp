// What sets the pace and what would help: the same run with one thing changed, simulated again. Long epochs are judged on a part of the data set, with
// the page cache cut in the same proportion, so that the share that fits in memory stays what it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/pipeline/training_run.hpp"

namespace tantalus {

/// The step of one device at another batch; what that costs is for the devices to say.
using StepOfBatch = std::function<StepProfile(std::int64_t batch)>;

/// Every single change that means something for this run, largest gain first.
std::vector<ChangeResult> what_would_help(const TrainingSetup& setup, const StepOfBatch& step_of);

/// What sets the pace, and what would once that cost nothing. Each kind of cost is taken away in turn and the run simulated
/// again: the one whose absence gains most is the bottleneck, whatever a device seems to wait for longest.
struct Bottlenecks {
  Cause first = Cause::compute, second = Cause::compute;
};
Bottlenecks bottlenecks_of(const TrainingSetup& setup);

}  // namespace tantalus

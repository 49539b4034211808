// One step of one device as the training run repeats it: what its kernel-level simulation observed, boiled down to what decides
// when the next step may begin. The step is simulated twice: with the software's host thread, and with a host that takes no
// time, so that the device's own pace is known apart from the pace at which it is fed.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/results/results.hpp"

namespace tantalus {

/// The gradients of one layer: there so long after the device began the step, when nothing holds it up.
struct GradientReady {
  Bytes size;
  Duration ready;
};

struct StepProfile {
  Duration host;                         // of the training loop's thread, to issue the step
  Duration tail;                         // from the last issue to the end, alone
  Duration device;                       // from beginning to end when all is queued
  Duration busy;                         // of that: at least one kernel runs
  Duration update, update_busy;          // of device and busy: after the last gradient
  std::vector<GradientReady> gradients;  // in the order in which they are ready
  Bytes parameters, optimizer;
  std::int64_t parameter_tensors = 0;
};

/// From the same task graph on the machine as built and with an ideal host.
StepProfile profile_step(const Results& as_built, const Results& ideal_host);

/// The step of a batch that is `part` of `whole` samples: the device's times in proportion, the host's as they are.
StepProfile shortened(const StepProfile& step, std::int64_t part, std::int64_t whole);

}  // namespace tantalus

// Networks run for real, layer by layer, as a list of cases gives them: what `tantalus validate --device cpu` compares its
// predictions with. Probes of the machine's rates run before, between and after the cases. Rows come out as they are measured.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/dnn/layers.hpp"
#include "sim/base/result.hpp"
#include "validate/samples.hpp"

namespace tantalus::validation {

struct LayerCase {
  std::string network;  // as reports call it
  std::string library;  // "onednn", "openblas"
  std::int64_t batch = 1;
  bool training = false;
};

/// One measured line. `what`: "step" (a task of the lowered step, by its number), "reorder" (a change of layout in front of it),
/// "pass" (all of it without clocks inside), "probe" (a rate of the machine, in `value`).
struct LayerRow {
  LayerCase of;
  int round = 0;
  std::string what;
  std::size_t task = 0;
  std::string name;
  Timing timing;
  double flops = 0, bytes = 0, value = 0;
  std::string implementation;
  std::string flag;  // empty, or why this cannot be true: "beats-flops", "beats-bytes"
};

struct RunOptions {
  int rounds = 2;
  StopRule rule;
  double slow_layers = 1.0;  // a planted lie, for tests
};

using NetworkOf = std::function<Result<Network>(const LayerCase&)>;
using TakeRow = std::function<void(const LayerRow&)>;

/// All cases, `rounds` times over, in a program whose libraries have one thread (one_thread.hpp; checked). The first network that cannot be read or measured ends the run.
Diagnostics run_layers(const std::vector<LayerCase>& cases, const NetworkOf& network_of,
                       const RunOptions& options, const TakeRow& take);

}  // namespace tantalus::validation

// Any text as a network, and what comes of it down to the task graph: no crash, no hang, every complaint has a place inside
// the text, and what was accepted can be profiled and lowered with sums that agree.
#include "models/dnn/layers.hpp"
#include "models/dnn/lower.hpp"
#include "models/dnn/profile.hpp"
#include "sim/config/network_spec.hpp"
#include "tests/fuzz/laws.hpp"

namespace {

using tantalus::fuzz::require;
using tantalus::fuzz::require_placed;

void try_profile(const tantalus::Network& network) {
  const tantalus::Profile profile = tantalus::profile(network);
  std::int64_t macs = 0;
  std::int64_t parameters = 0;
  for (const tantalus::LayerProfile& layer : profile.layers) {
    macs += layer.macs;
    parameters += layer.parameters;
  }
  require(macs == profile.totals.macs, "the layers' MACs add up to the total");
  require(parameters == profile.totals.parameters, "the layers' parameters add up to the total");
}

void try_step(const tantalus::Network& network, tantalus::Mode mode) {
  tantalus::RunSpec run;
  run.batch = 2;
  run.mode = mode;
  if (!tantalus::check_run(network, run).empty()) {
    return;
  }
  const tantalus::TaskGraph tasks = tantalus::lower(network, run);
  require(tasks.layers().size() >= network.layers.size(), "each layer is in the step");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text = tantalus::fuzz::text_of(data, size);
  const auto spec = tantalus::read_network(text, "fuzz.yaml");
  require_placed(spec.diagnostics(), text);
  if (!spec.ok()) {
    return 0;
  }

  const auto network = tantalus::infer(spec.value());
  require_placed(network.diagnostics(), text);
  if (!network.ok()) {
    return 0;
  }
  try_profile(network.value());
  try_step(network.value(), tantalus::Mode::inference);
  try_step(network.value(), tantalus::Mode::training);
  return 0;
}

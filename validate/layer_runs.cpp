#include "validate/layer_runs.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/libraries.hpp"
#include "kernels/cpu/topology.hpp"
#include "models/dnn/lower.hpp"
#include "sim/base/check.hpp"
#include "validate/measure.hpp"
#include "validate/one_thread.hpp"
#include "validate/program_of.hpp"
#include "validate/reach.hpp"

namespace tantalus::validation {

namespace {

/// A sound measurement may pass the probes' best by their own scatter, not by more.
constexpr double beyond_peak = 1.06;
constexpr int fresh_probes = 5;
constexpr std::size_t memory_probe_bytes = std::size_t{128} << 20U;
constexpr std::size_t private_probe_bytes = std::size_t{16} << 10U;
constexpr std::size_t largest_reach_probe = std::size_t{96} << 20U;

class LayerRuns {
 public:
  LayerRuns(const NetworkOf& network_of, const RunOptions& options, const TakeRow& take)
      : network_of_(network_of), options_(options), take_(take), memory_(memory_probe_bytes / 4) {}

  Diagnostics run(const std::vector<LayerCase>& cases) {
    for (int round = 0; round < options_.rounds; ++round) {
      round_ = round;
      probe_machine();
      for (const LayerCase& of : cases) {
        Diagnostics wrong = run_case(of);
        if (!wrong.empty()) return wrong;
        probe_machine();
      }
    }
    return {};
  }

 private:
  Diagnostics run_case(const LayerCase& of);
  void report(const LayerCase& of, const kernels::Program& program, const ChainTiming& timing);
  void probe_machine();
  void take_probe(const std::string& name, double value, double spread);
  Timing stream_time(std::size_t bytes);
  bool beats_bytes(const kernels::Kernel& kernel, double seconds) const;
  bool beats_flops(const kernels::Kernel& kernel, double seconds) const;
  std::string flag_of(const kernels::Kernel& kernel, double seconds);

  const NetworkOf& network_of_;
  const RunOptions& options_;
  const TakeRow& take_;
  RateProbe probe_;
  kernels::Buffer memory_;
  double most_bytes_ = 0;  // a second, of the nearest cache
  std::size_t shared_probe_bytes_ = first_of_last_cache(kernels::topology());
  int round_ = 0;
};

void LayerRuns::take_probe(const std::string& name, double value, double spread) {
  LayerRow row;
  row.round = round_;
  row.what = "probe";
  row.name = name;
  row.value = value;
  row.timing.spread = spread;
  row.timing.samples = 1;
  take_(row);
}

/// Seconds to read `bytes` that lie in a cache.
Timing LayerRuns::stream_time(std::size_t bytes) {
  StopRule rule;
  rule.seconds = 0.2;
  rule.least = 3;
  const auto n = static_cast<std::int64_t>(bytes / 4);
  const auto read = [&] {
    run_stream(kernels::Stream::read, probe_.isa(), memory_.data(), nullptr, nullptr, n);
  };
  const Timing t = measure(read, probe_, rule);
  most_bytes_ = std::max(most_bytes_, static_cast<double>(bytes) / t.seconds);
  return t;
}

void LayerRuns::probe_machine() {
  std::vector<double> rates;
  rates.reserve(25);
  for (int i = 0; i < 25; ++i) rates.push_back(probe_.sample());
  const double middle = median(rates);
  take_probe("fma", sustained_rate(rates),
             (quantile(rates, 0.75) - quantile(rates, 0.25)) / 2 / middle);
  const double memory = memory_rate(probe_.isa(), memory_.data(), memory_probe_bytes);
  take_probe("memory", memory, 0);
  if (shared_probe_bytes_ > 0) {
    const CacheReach reach =
        cache_reach(probe_.isa(), memory_.data(), largest_reach_probe, shared_probe_bytes_, memory);
    take_probe("l3_reach", reach.bytes, 0);
    take_probe("l3_read", reach.rate, 0);
    take_probe("l3_neighbours", reach.neighbours, 0);
  }
  const Timing nearest = stream_time(private_probe_bytes);
  take_probe("l1_read", static_cast<double>(private_probe_bytes) / nearest.seconds, nearest.spread);
}

bool LayerRuns::beats_flops(const kernels::Kernel& kernel, double seconds) const {
  return kernel.flops / seconds > beyond_peak * probe_.best();
}

/// A kernel both reads and writes; no pass over its tensors is faster than reads of the nearest cache.
bool LayerRuns::beats_bytes(const kernels::Kernel& kernel, double seconds) const {
  return kernel.bytes / seconds > beyond_peak * 2.0 * most_bytes_;
}

/// A neighbour may have had half of the core while the probes ran: what seems to beat them is judged by fresh ones.
std::string LayerRuns::flag_of(const kernels::Kernel& kernel, double seconds) {
  for (int again = 0; beats_flops(kernel, seconds) && again < fresh_probes; ++again)
    probe_.sample();
  for (int again = 0; beats_bytes(kernel, seconds) && again < fresh_probes; ++again)
    stream_time(private_probe_bytes);
  if (beats_flops(kernel, seconds)) return "beats-flops";
  return beats_bytes(kernel, seconds) ? "beats-bytes" : "";
}

Diagnostics LayerRuns::run_case(const LayerCase& of) {
  const Result<Network> network = network_of_(of);
  if (!network) return network.diagnostics();
  RunSpec run;
  run.batch = of.batch;
  run.mode = of.training ? Mode::training : Mode::inference;
  Diagnostics wrong = check_run(*network, run);
  if (!wrong.empty()) return wrong;
  const Result<kernels::Program> program = program_of(*network, lower(*network, run), of.training);
  if (!program) return program.diagnostics();
  try {
    const auto chain =
        of.library == "onednn" ? kernels::dnn_chain(*program) : kernels::blas_chain(*program);
    report(of, *program, measure_chain(*chain, probe_, options_.rule, options_.slow_layers));
  } catch (const std::bad_alloc&) {
    return {{Severity::error,
             "env-no-memory",
             {},
             of.network,
             "does not fit in memory here",
             "use a smaller batch",
             1}};
  } catch (const std::runtime_error& error) {
    return {{Severity::error, "not-measurable", {}, of.network, error.what(), "", 1}};
  }
  return {};
}

void LayerRuns::report(const LayerCase& of, const kernels::Program& program,
                       const ChainTiming& timing) {
  LayerRow row;
  row.of = of;
  row.round = round_;
  for (const KernelTiming& k : timing.kernels) {
    row.what = k.kernel->reorder ? "reorder" : "step";
    row.task = k.kernel->step;
    row.name = program.steps[k.kernel->step].name;
    row.timing = k.timing;
    row.flops = k.kernel->flops, row.bytes = k.kernel->bytes;
    row.implementation = k.kernel->implementation;
    row.flag = flag_of(*k.kernel, k.timing.seconds);
    take_(row);
  }
  LayerRow pass;
  pass.of = of;
  pass.round = round_;
  pass.what = "pass";
  pass.timing = timing.pass;
  take_(pass);
}

}  // namespace

Diagnostics run_layers(const std::vector<LayerCase>& cases, const NetworkOf& network_of,
                       const RunOptions& options, const TakeRow& take) {
  TANTALUS_CHECK(libraries_have_one_thread(),
                 "the CPU time of one thread is all of a layer's work");
  return LayerRuns(network_of, options, take).run(cases);
}

}  // namespace tantalus::validation

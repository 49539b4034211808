// What every form of a predict report is made from: the question, the Results, and the sums that people ask for (one entry a
// layer and pass, totals with their interval). Pure functions of plain records; table, JSON and CSV only lay them out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/results/pipeline_results.hpp"
#include "sim/results/results.hpp"

namespace tantalus {

/// What was asked, in words. `what_if` has one sentence for each override.
struct Question {
  std::string system;       // "a100-80gb-pcie"
  std::string system_name;  // "NVIDIA A100 80 GB PCIe"
  std::string network;
  std::string mode;       // "inference" or "training"
  std::string precision;  // "fp32"
  std::string knowledge;  // "all" or "datasheet"
  std::int64_t batch = 1;
  std::int64_t batch_per_device = 1;
  std::int64_t micro_batch = 1;
  bool has_host = false;  // a lone part has an ideal host
  std::vector<std::string> what_if;
};

struct Prediction {
  Question question;
  Results results;
  std::optional<PipelineResults> pipeline;  // with a data set
};

/// All tasks of one layer in one pass. Times are sums over kernels; `time` is from each kernel's first block to its last.
struct LayerPass {
  std::string name, kind, pass, algorithm;
  LayerId layer;
  Duration time, compute, memory, launch, sync, host;
  Duration low, high;  // 80 % interval of `time`
  Duration roofline;   // from the listed peaks alone
  Duration isolated;   // each operation by itself, repeated; zero unless asked for
  std::int64_t macs = 0, other_ops = 0, executed_flops = 0;
  Bytes input_bytes, output_bytes, parameter_bytes, cache_bytes, dram_bytes, workspace;
  Bound bound = Bound::compute;              // of the tasks that took longest
  std::vector<const KernelResult*> kernels;  // into the Results that were summed
};

/// In order of first issue; copies are left out. The Results must outlive the answer.
std::vector<LayerPass> layer_passes(const Results& results);

/// The kernel that took longest, or null when the entry has none.
const KernelResult* main_kernel(const LayerPass& entry);

/// One group of passes of a step: what the clock advanced while they ended, gaps included, and the plain roofline.
struct Stretch {
  Duration time, roofline;
};

struct Totals {
  Duration time, low, high;
  Duration kernels;  // sum over all kernels
  Duration isolated;
  Stretch forward, backward, update;  // together the step
  std::int64_t macs = 0, flops = 0, other_ops = 0, parameters = 0;
  double samples_per_s = 0.0;
};

/// The interval of the step adds up the doubts of its kernels as DoubtSum (report/interval.hpp) does; the time in which none
/// ran is doubted as the host's times are.
Totals totals_of(const Prediction& prediction);

/// "l2" or "l3": what the device calls the cache in front of its memory.
std::string cache_level_of(const Results& results);

/// 16 hexadecimal digits.
std::string fingerprint_text(std::uint64_t fingerprint);

/// FNV-1a, for documents that no run stands behind.
std::uint64_t fingerprint_of(std::string_view text);

}  // namespace tantalus

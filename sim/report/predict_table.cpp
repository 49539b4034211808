#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/numbers.hpp"
#include "sim/report/pipeline_report.hpp"
#include "sim/report/predict_report.hpp"
#include "sim/report/text_table.hpp"

namespace tantalus {

namespace {

std::string interval_text(Duration low, Duration high) {
  return time_text(low) + " to " + time_text(high);
}

// "lenet on a100-80gb-pcie (generic kernel catalogue): 35.2 us a step, 28,400 samples/s"
std::string headline(const Prediction& prediction, const Totals& totals, const Style& style) {
  const Question& question = prediction.question;
  std::string text = question.network + " on " + question.system;
  if (prediction.results.generic_library) text += " (generic kernel catalogue)";
  text += ": " + time_text(totals.time) +
          (question.mode == "training" ? " a training step, " : " a step, ") +
          rate_text(totals.samples_per_s) + " samples/s";
  return bold(text, style) + "\n";
}

std::string batch_text(const Question& question) {
  std::string text = "batch " + grouped_text(question.batch);
  if (question.batch_per_device != question.batch) {
    text += " (" + grouped_text(question.batch_per_device) + " per device)";
  }
  if (question.micro_batch != question.batch_per_device) {
    text += " in micro-batches of " + grouped_text(question.micro_batch);
  }
  return text;
}

std::string assumptions(const Prediction& prediction) {
  const Question& question = prediction.question;
  const Results& results = prediction.results;
  std::string text = "  system    " + question.system_name + ", device " + results.device +
                     (question.has_host ? "" : " (a lone part: ideal host)") + "\n";
  text += "  run       " + question.mode + ", " + batch_text(question) + ", " + question.precision +
          "\n";
  text += "  software  stack " + results.stack + ", kernel library " + results.library +
          (results.generic_library ? " (generic catalogue: typical efficiencies, wider interval)"
                                   : " (known catalogue)");
  if (question.knowledge == "datasheet") text += ", data sheet figures only";
  text += "\n";
  for (const std::string& sentence : question.what_if) text += "  what if   " + sentence + "\n";
  return text;
}

std::string share_text(Duration part, Duration whole) {
  return whole.count() > 0 ? percent_text(seconds(part) / seconds(whole)) : "-";
}

std::string dash_if_none(Duration time) { return time.count() == 0 ? "-" : time_text(time); }

std::string grid_text(const KernelResult* kernel) {
  if (kernel == nullptr) return "-";
  const auto blocks = kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
  const auto threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
  return std::to_string(blocks) + " x " + std::to_string(threads);
}

// "2, registers": blocks resident on one SM or core, and what keeps it from being more.
std::string occupancy_text(const KernelResult* kernel) {
  if (kernel == nullptr) return "-";
  return std::to_string(kernel->blocks_per_sm) + ", " +
         std::string(name_of(kernel->occupancy_limit));
}

std::string waves_text(const KernelResult* kernel) {
  return kernel == nullptr ? "-" : fixed_text(kernel->waves, 2);
}

std::string algorithm_text(const LayerPass& entry) {
  std::string text = entry.algorithm.empty() ? "-" : entry.algorithm;
  if (entry.kernels.size() > 1) {
    text += " +" + std::to_string(entry.kernels.size() - 1);  // and so many kernels more
  }
  return text;
}

std::string inference_rows(const std::vector<LayerPass>& entries, const Totals& totals,
                           const Style& style) {
  TextTable table({{"layer", Align::left},
                   {"kind", Align::left},
                   {"time"},
                   {"share"},
                   {"bound", Align::left},
                   {"algorithm", Align::left},
                   {"blocks x threads"},
                   {"per unit", Align::left},
                   {"waves"},
                   {"MACs"},
                   {"memory"}});
  Bytes memory;
  for (const LayerPass& entry : entries) {
    const KernelResult* kernel = main_kernel(entry);
    memory += entry.dram_bytes;
    table.add_row({entry.name, entry.kind, dash_if_none(entry.time),
                   share_text(entry.time, totals.kernels), std::string(name_of(entry.bound)),
                   algorithm_text(entry), grid_text(kernel), occupancy_text(kernel),
                   waves_text(kernel), count_text(entry.macs), bytes_text(entry.dram_bytes)});
  }
  table.add_rule();
  table.add_row({"kernels", "", time_text(totals.kernels),
                 share_text(totals.kernels, totals.kernels), "", "", "", "", "",
                 count_text(totals.macs), bytes_text(memory)});
  return table.text(style);
}

// One layer over all its passes: a column for each, because people compare forward with backward.
struct LayerTimes {
  const LayerPass* longest = nullptr;
  Duration total, forward, input_gradient, weight_gradient, update;
  std::int64_t macs = 0;
  Bytes memory;
};

Duration& column_of(LayerTimes& times, std::string_view pass) {
  if (pass == "forward") return times.forward;
  if (pass == "input_gradient") return times.input_gradient;
  if (pass == "update") return times.update;
  return times.weight_gradient;  // and of the bias
}

std::vector<LayerTimes> times_by_layer(const std::vector<LayerPass>& entries) {
  std::vector<LayerTimes> layers;
  std::map<LayerId, std::size_t> place;
  for (const LayerPass& entry : entries) {
    const auto [it, is_new] = place.try_emplace(entry.layer, layers.size());
    if (is_new) layers.emplace_back();
    LayerTimes& times = layers[it->second];
    times.total += entry.time;
    column_of(times, entry.pass) += entry.time;
    times.macs += entry.macs;
    times.memory += entry.dram_bytes;
    if (times.longest == nullptr || entry.time > times.longest->time) times.longest = &entry;
  }
  return layers;
}

std::string training_rows(const std::vector<LayerPass>& entries, const Totals& totals,
                          const Style& style) {
  TextTable table({{"layer", Align::left},
                   {"kind", Align::left},
                   {"time"},
                   {"share"},
                   {"forward"},
                   {"input grad"},
                   {"weight grad"},
                   {"update"},
                   {"bound", Align::left},
                   {"algorithm", Align::left},
                   {"MACs"},
                   {"memory"}});
  LayerTimes sum;
  for (const LayerTimes& times : times_by_layer(entries)) {
    const LayerPass& longest = *times.longest;
    table.add_row({longest.name, longest.kind, dash_if_none(times.total),
                   share_text(times.total, totals.kernels), dash_if_none(times.forward),
                   dash_if_none(times.input_gradient), dash_if_none(times.weight_gradient),
                   dash_if_none(times.update), std::string(name_of(longest.bound)),
                   algorithm_text(longest), count_text(times.macs), bytes_text(times.memory)});
    sum.forward += times.forward;
    sum.input_gradient += times.input_gradient;
    sum.weight_gradient += times.weight_gradient;
    sum.update += times.update;
    sum.memory += times.memory;
  }
  table.add_rule();
  table.add_row({"kernels", "", time_text(totals.kernels),
                 share_text(totals.kernels, totals.kernels), dash_if_none(sum.forward),
                 dash_if_none(sum.input_gradient), dash_if_none(sum.weight_gradient),
                 dash_if_none(sum.update), "", "", count_text(totals.macs),
                 bytes_text(sum.memory)});
  return table.text(style);
}

std::string totals_text(const Prediction& prediction, const Totals& totals) {
  const Results& results = prediction.results;
  std::string text = "  step      " + time_text(totals.time) + ", 80 % interval " +
                     interval_text(totals.low, totals.high) + "; " +
                     rate_text(totals.samples_per_s) + " samples/s\n";
  if (results.has_isolated) {
    text +=
        "  isolated  " + time_text(totals.isolated) +
        " for the same operations, each by itself and repeated (the times above are in chain)\n";
  }
  text += "  device    " + time_text(results.device_busy) + " with a kernel running, " +
          share_text(results.device_busy, totals.time) + " of the step\n";
  if (prediction.question.has_host) {
    text += "  host      " + time_text(results.host_busy) + " to issue the step, " +
            time_text(results.host_per_operator) + " an operator";
    if (results.host_busy > results.device_busy) text += ": the host is slower than the device";
    text += "\n";
  }
  text += "  work      " + grouped_text(totals.macs) + " MACs (" + count_text(totals.flops) +
          "FLOP), " + grouped_text(totals.parameters) + " parameters";
  if (totals.time.count() > 0 && totals.flops > 0) {
    const double rate = static_cast<double>(totals.flops) / seconds(totals.time);
    text += ", " + fixed_text(rate / 1e9, rate < 1e10 ? 2 : rate < 1e11 ? 1 : 0) + " GFLOP/s";
  }
  return text + "\n";
}

std::string memory_part(std::string_view name, Bytes bytes) {
  return bytes.count() == 0 ? "" : ", " + std::string(name) + " " + memory_text(bytes);
}

std::string memory_verdict(const MemoryResult& memory, const Style& style) {
  std::string text = "  memory    ";
  text += verdict(memory.fits ? "fits" : "does not fit", memory.fits, style);
  text += ": " + memory_text(memory.peak) + " of " + memory_text(memory.capacity);
  text += memory_part("parameters", memory.parameters) +
          memory_part("gradients", memory.gradients) + memory_part("optimizer", memory.optimizer) +
          memory_part("activations", memory.activations) +
          memory_part("workspace", memory.workspace) + memory_part("context", memory.context);
  if (!memory.fits && !memory.largest_layer.empty())
    text += "; the peak is at " + memory.largest_layer;
  return text + "\n";
}

}  // namespace

std::string predict_table(const Prediction& prediction, const Style& style) {
  const std::vector<LayerPass> entries = layer_passes(prediction.results);
  const Totals totals = totals_of(prediction);
  const bool training = prediction.question.mode == "training";

  std::string text = headline(prediction, totals, style) + assumptions(prediction) + "\n";
  text += training ? training_rows(entries, totals, style) : inference_rows(entries, totals, style);
  text += "\n" + totals_text(prediction, totals) + memory_verdict(prediction.results.memory, style);
  if (prediction.pipeline) text += "\n" + pipeline_text(*prediction.pipeline, style);
  return text;
}

}  // namespace tantalus

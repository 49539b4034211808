#include "sim/report/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "sim/report/interval.hpp"

namespace tantalus {

namespace {

constexpr std::size_t bounds = 8;  // the words of `Bound`

Duration length(const KernelResult& kernel) { return kernel.end - kernel.start; }

Duration kernel_time(const TaskResult& task) {
  Duration sum;
  for (const KernelResult& kernel : task.kernels) sum += length(kernel);
  return sum;
}

// An entry while its tasks are being added up.
struct Sum {
  LayerPass entry;
  std::array<Duration, bounds> by_bound{};
  Duration longest_task;
  DoubtSum doubt;
  bool any = false;
};

void add_kernel(LayerPass& entry, const KernelResult& kernel) {
  entry.time += length(kernel);
  entry.compute += kernel.compute;
  entry.memory += std::max(kernel.cache, kernel.dram);
  entry.cache_bytes += kernel.cache_bytes;
  entry.dram_bytes += kernel.dram_bytes;
  entry.executed_flops += kernel.executed_flops;
  entry.kernels.push_back(&kernel);
}

void add_task(Sum& sum, const TaskResult& task) {
  LayerPass& entry = sum.entry;
  const Duration time = kernel_time(task);
  for (const KernelResult& kernel : task.kernels) add_kernel(entry, kernel);
  entry.roofline += task.roofline;
  entry.isolated += task.isolated;
  entry.launch += task.launch;
  entry.sync += task.sync;
  entry.host += task.host;
  entry.macs += task.macs;
  entry.other_ops += task.other_ops;
  entry.input_bytes += task.input_bytes;
  entry.output_bytes += task.output_bytes;
  entry.parameter_bytes += task.parameter_bytes;
  entry.workspace = std::max(entry.workspace, task.workspace);
  sum.doubt.add(time, task.doubt);
  sum.by_bound[static_cast<std::size_t>(task.bound)] += time;
  if (!sum.any || time > sum.longest_task) {
    entry.algorithm = task.algorithm;
    sum.longest_task = time;
  }
  sum.any = true;
}

// A layer of several forward operations hands data between them; what it reads and writes as a whole is the layer's own.
LayerPass finished(Sum sum, const Results& results) {
  LayerPass& entry = sum.entry;
  const auto longest = std::max_element(sum.by_bound.begin(), sum.by_bound.end());
  entry.bound = static_cast<Bound>(longest - sum.by_bound.begin());
  const Interval interval = interval_of(entry.time, sum.doubt.shares());
  entry.low = interval.low;
  entry.high = interval.high;
  if (entry.pass == "forward" && entry.layer.value < results.layers.size()) {
    const LayerResult& layer = results.layers[entry.layer.value];
    entry.input_bytes = layer.input_bytes;
    entry.output_bytes = layer.output_bytes;
    entry.parameter_bytes = layer.parameter_bytes;
  }
  return std::move(entry);
}

}  // namespace

std::vector<LayerPass> layer_passes(const Results& results) {
  std::vector<Sum> sums;
  std::map<std::pair<LayerId, std::string_view>, std::size_t> place;
  for (const TaskResult& task : results.tasks) {
    if (task.is_copy) continue;
    const auto [it, is_new] = place.try_emplace({task.layer, task.pass}, sums.size());
    if (is_new) {
      Sum& sum = sums.emplace_back();
      const bool known = task.layer.value < results.layers.size();
      sum.entry.name = known ? results.layers[task.layer.value].name : task.name;
      sum.entry.kind = known ? results.layers[task.layer.value].kind : task.kind;
      sum.entry.pass = task.pass;
      sum.entry.layer = task.layer;
    }
    add_task(sums[it->second], task);
  }

  std::vector<LayerPass> entries;
  entries.reserve(sums.size());
  for (Sum& sum : sums) entries.push_back(finished(std::move(sum), results));
  return entries;
}

const KernelResult* main_kernel(const LayerPass& entry) {
  const KernelResult* best = nullptr;
  for (const KernelResult* kernel : entry.kernels) {
    if (best == nullptr || length(*kernel) > length(*best)) best = kernel;
  }
  return best;
}

namespace {

Stretch& stretch_of(Totals& totals, std::string_view pass) {
  if (pass == "forward" || pass == "copy") return totals.forward;
  return pass == "update" ? totals.update : totals.backward;
}

// In issue order: each task takes what the clock had not yet reached when it ended.
void add_stretches(Totals& totals, const Results& results) {
  TimePoint reached;
  for (const TaskResult& task : results.tasks) {
    Stretch& stretch = stretch_of(totals, task.pass);
    stretch.roofline += task.roofline;
    if (task.end <= reached) continue;
    stretch.time += task.end - reached;
    reached = task.end;
  }
}

// Kernels of several streams overlap: their doubt is that of the time in which any ran, the rest is the host's.
Shares step_doubt(const Results& results, const DoubtSum& kernels) {
  const Duration busy = std::min(results.step, results.device_busy);
  DoubtSum step;
  step.add_overlapped(busy, kernels);
  step.add_host(results.step - busy, results.host_doubt);
  return step.shares();
}

}  // namespace

Totals totals_of(const Prediction& prediction) {
  const Results& results = prediction.results;
  Totals totals;
  DoubtSum kernels;
  for (const TaskResult& task : results.tasks) {
    const Duration time = kernel_time(task);
    totals.kernels += time;
    totals.macs += task.macs;
    totals.other_ops += task.other_ops;
    totals.isolated += task.isolated;
    if (!task.is_copy) kernels.add(time, task.doubt);
  }
  for (const LayerResult& layer : results.layers) totals.parameters += layer.parameters;
  totals.flops = 2 * totals.macs;
  add_stretches(totals, results);

  totals.time = results.step;
  const Interval interval = interval_of(totals.time, step_doubt(results, kernels));
  totals.low = interval.low;
  totals.high = interval.high;
  if (totals.time.count() > 0) {
    totals.samples_per_s = static_cast<double>(prediction.question.batch) / seconds(totals.time);
  }
  return totals;
}

std::string cache_level_of(const Results& results) {
  const bool has_l3 =
      std::any_of(results.resources.begin(), results.resources.end(), [&](const ResourceUse& use) {
        return use.device == results.device && use.resource == name_of(Bound::l3);
      });
  return std::string(name_of(has_l3 ? Bound::l3 : Bound::l2));
}

std::string fingerprint_text(std::uint64_t fingerprint) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; fingerprint >>= 4U)
    text[i] = digits[fingerprint & 15U];
  return text;
}

std::uint64_t fingerprint_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

}  // namespace tantalus

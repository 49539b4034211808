#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/report/json_text.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/pipeline_report.hpp"
#include "sim/report/predict_report.hpp"

namespace tantalus {

namespace {

using Json = nlohmann::ordered_json;  // keys stay in the order of the contract

Json kernel_json(const KernelResult& kernel, const std::string& cache) {
  return {{"name", kernel.name},
          {"algorithm", kernel.algorithm},
          {"grid", kernel.grid},
          {"block", kernel.block},
          {"registers_per_thread", kernel.registers_per_thread},
          {"shared_bytes", kernel.shared_bytes.count()},
          {"blocks_per_sm", kernel.blocks_per_sm},
          {"occupancy_limit", name_of(kernel.occupancy_limit)},
          {"waves", rounded(kernel.waves)},
          {"start_ns", nanoseconds(kernel.start.since_start())},
          {"time_ns", nanoseconds(kernel.end - kernel.start)},
          {"compute_ns", nanoseconds(kernel.compute)},
          {cache + "_ns", nanoseconds(kernel.cache)},
          {"dram_ns", nanoseconds(kernel.dram)},
          {cache + "_bytes", kernel.cache_bytes.count()},
          {"dram_bytes", kernel.dram_bytes.count()},
          {"executed_flops", kernel.executed_flops},
          {"bound", name_of(kernel.bound)}};
}

Json layer_json(const LayerPass& entry, const std::string& cache, bool isolated) {
  Json kernels = Json::array();
  for (const KernelResult* kernel : entry.kernels) kernels.push_back(kernel_json(*kernel, cache));
  Json json = {{"name", entry.name},
               {"kind", entry.kind},
               {"pass", entry.pass},
               {"time_ns", nanoseconds(entry.time)},
               {"time_low_ns", nanoseconds(entry.low)},
               {"time_high_ns", nanoseconds(entry.high)},
               {"compute_ns", nanoseconds(entry.compute)},
               {"memory_ns", nanoseconds(entry.memory)},
               {"launch_ns", nanoseconds(entry.launch)},
               {"sync_ns", nanoseconds(entry.sync)},
               {"host_ns", nanoseconds(entry.host)},
               {"bound", name_of(entry.bound)},
               {"algorithm", entry.algorithm},
               {"macs", entry.macs},
               {"flops", 2 * entry.macs},
               {"other_ops", entry.other_ops},
               {"executed_flops", entry.executed_flops},
               {"input_bytes", entry.input_bytes.count()},
               {"output_bytes", entry.output_bytes.count()},
               {"parameter_bytes", entry.parameter_bytes.count()},
               {cache + "_bytes", entry.cache_bytes.count()},
               {"dram_bytes", entry.dram_bytes.count()},
               {"workspace_bytes", entry.workspace.count()},
               {"roofline_ns", nanoseconds(entry.roofline)},
               {"kernels", std::move(kernels)}};
  if (isolated) json["isolated_ns"] = nanoseconds(entry.isolated);
  return json;
}

Json copy_json(const TaskResult& copy) {
  return {{"name", copy.name},
          {"start_ns", nanoseconds(copy.start.since_start())},
          {"time_ns", nanoseconds(copy.end - copy.start)},
          {"bytes", (copy.input_bytes + copy.output_bytes).count()}};
}

Json totals_json(const Prediction& prediction) {
  const Totals totals = totals_of(prediction);
  const Results& results = prediction.results;
  Json json = {{"time_ns", nanoseconds(totals.time)},
               {"time_low_ns", nanoseconds(totals.low)},
               {"time_high_ns", nanoseconds(totals.high)},
               {"host_ns", nanoseconds(results.host_busy)},
               {"device_ns", nanoseconds(results.device_busy)},
               {"host_per_operator_ns", nanoseconds(results.host_per_operator)},
               {"kernels_ns", nanoseconds(totals.kernels)},
               {"macs", totals.macs},
               {"flops", totals.flops},
               {"other_ops", totals.other_ops},
               {"parameters", totals.parameters},
               {"samples_per_s", rounded(totals.samples_per_s)},
               {"forward_ns", nanoseconds(totals.forward.time)},
               {"backward_ns", nanoseconds(totals.backward.time)},
               {"update_ns", nanoseconds(totals.update.time)},
               {"roofline_forward_ns", nanoseconds(totals.forward.roofline)},
               {"roofline_backward_ns", nanoseconds(totals.backward.roofline)},
               {"roofline_update_ns", nanoseconds(totals.update.roofline)}};
  if (results.has_isolated) json["isolated_ns"] = nanoseconds(totals.isolated);
  return json;
}

Json memory_json(const MemoryResult& memory) {
  return {{"fits", memory.fits},
          {"capacity_bytes", memory.capacity.count()},
          {"peak_bytes", memory.peak.count()},
          {"parameters_bytes", memory.parameters.count()},
          {"gradients_bytes", memory.gradients.count()},
          {"optimizer_bytes", memory.optimizer.count()},
          {"activations_bytes", memory.activations.count()},
          {"workspace_bytes", memory.workspace.count()},
          {"context_bytes", memory.context.count()},
          {"largest_layer", memory.largest_layer}};
}

/// `busy + starved + blocked = 1`, and the shares of a device's time add up to 1.
Json pipeline_json(const PipelineResults& run) {
  const EpochResult& epoch = run.last();
  Json stages = Json::array(), changes = Json::array(), epochs = Json::array();
  Json stall = Json::object();
  for (const Cause cause :
       {Cause::fetch, Cause::prepare, Cause::copy, Cause::host, Cause::communicate})
    stall[std::string(name_of(cause))] = rounded(share_of(epoch, cause));
  for (const StageResult& stage : run.stages) {
    stages.push_back({{"name", stage.name},
                      {"busy", rounded(stage.busy)},
                      {"starved", rounded(stage.starved)},
                      {"blocked", rounded(stage.blocked)},
                      {"capacity_samples_per_s", rounded(stage.capacity_samples_per_s)}});
  }
  for (const ChangeResult& change : run.changes) {
    changes.push_back({{"change", change.change},
                       {"samples_per_s", rounded(change.samples_per_s)},
                       {"gain", rounded(change.gain)},
                       {"waits_for", name_of(change.waits_for)}});
  }
  for (const EpochResult& one : run.epochs) {
    epochs.push_back({{"time_s", rounded(seconds(one.time), 9)},
                      {"samples", one.samples},
                      {"batches", one.batches},
                      {"reads", one.reads},
                      {"hits", one.hits},
                      {"storage_bytes", one.from_storage.count()},
                      {"copied_bytes", one.to_devices.count()}});
  }
  const SharedMemoryResult& memory = run.shared_memory;
  return {{"dataset", run.dataset},
          {"loader", run.loader},
          {"workers", run.workers},
          {"samples_per_s", rounded(rate_of(epoch))},
          {"device_busy_fraction", rounded(share_of(epoch, Cause::compute))},
          {"epoch_s", rounded(seconds(epoch.time), 9)},
          {"first_epoch_s", rounded(seconds(run.first().time), 9)},
          {"total_s", rounded(seconds(run.total()), 9)},
          {"epochs", run.epochs_asked},
          {"steady", run.steady},
          {"verdict", name_of(run.verdict)},
          {"second", name_of(run.second)},
          {"sentence", verdict_sentence(run)},
          {"stages", std::move(stages)},
          {"stall", std::move(stall)},
          {"changes", std::move(changes)},
          {"simulated_epochs", std::move(epochs)},
          {"shared_memory",
           {{"fits", memory.fits},
            {"limit_bytes", memory.limit.count()},
            {"needed_bytes", memory.needed.count()},
            {"batches", memory.batches}}}};
}

Json resource_json(const ResourceUse& use, Duration step) {
  const double span = seconds(step);
  return {{"device", use.device},
          {"resource", use.resource},
          {"busy_ns", nanoseconds(use.busy)},
          {"busy", span > 0.0 ? rounded(seconds(use.busy) / span) : 0.0},
          {"bytes", use.bytes.count()}};
}

Json warnings_json(const Diagnostics& warnings) {
  Json list = Json::array();
  for (const Diagnostic& d : warnings) {
    list.push_back({{"code", d.code}, {"path", d.path}, {"message", d.message}, {"hint", d.hint}});
  }
  return list;
}

}  // namespace

std::string predict_json(const Prediction& prediction) {
  const Question& question = prediction.question;
  const Results& results = prediction.results;
  const std::string cache = cache_level_of(results);

  Json layers = Json::array();
  for (const LayerPass& entry : layer_passes(results))
    layers.push_back(layer_json(entry, cache, results.has_isolated));
  Json copies = Json::array();
  for (const TaskResult& task : results.tasks) {
    if (task.is_copy) copies.push_back(copy_json(task));
  }
  Json resources = Json::array();
  for (const ResourceUse& use : results.resources)
    resources.push_back(resource_json(use, results.step));

  Json document = {{"schema", "tantalus.predict/1"},
                   {"fingerprint", fingerprint_text(results.fingerprint)},
                   {"system", question.system},
                   {"system_name", question.system_name},
                   {"network", question.network},
                   {"device", results.device},
                   {"has_host", question.has_host},
                   {"mode", question.mode},
                   {"batch", question.batch},
                   {"batch_per_device", question.batch_per_device},
                   {"micro_batch", question.micro_batch},
                   {"precision", question.precision},
                   {"knowledge", question.knowledge},
                   {"stack", results.stack},
                   {"library", results.library},
                   {"library_is_generic", results.generic_library},
                   {"what_if", question.what_if},
                   {"totals", totals_json(prediction)},
                   {"layers", std::move(layers)},
                   {"copies", std::move(copies)},
                   {"resources", std::move(resources)},
                   {"memory", memory_json(results.memory)}};
  if (prediction.pipeline) document["pipeline"] = pipeline_json(*prediction.pipeline);
  document["warnings"] = warnings_json(results.warnings);
  return json_text(document);
}

}  // namespace tantalus

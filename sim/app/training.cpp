#include "sim/app/training.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "models/dnn/lower.hpp"
#include "sim/app/loading.hpp"
#include "sim/hardware/device_kind.hpp"
#include "sim/pipeline/changes.hpp"
#include "sim/pipeline/training_run.hpp"

namespace tantalus {

namespace {

Diagnostic refusal(std::string code, std::string path, std::string message, std::string hint) {
  return {Severity::error,    std::move(code), {}, std::move(path),
          std::move(message), std::move(hint), 1};
}

std::optional<std::size_t> drive_of(const SystemPlan& system) {
  for (std::size_t i = 0; i < system.parts.size(); ++i) {
    if (system.parts[i].kind->role == DeviceKind::Role::storage) return i;
  }
  return std::nullopt;
}

std::int64_t values_read_by(const Network& network) {
  return network.activations.front().shape.elements();
}

Diagnostics mistakes_of(const TrainingQuestion& question) {
  const SystemPlan& system = question.system;
  Diagnostics wrong;
  if (!system.host) {
    wrong.push_back(refusal("no-host", "--data", "a lone part has no path from storage",
                            "use a machine of hw_configs/systems"));
    return wrong;
  }
  if (question.data.dataset.layout != DataLayout::memory && !drive_of(system)) {
    wrong.push_back(refusal("no-drive", "--data",
                            "the data set lies on storage and the machine has none",
                            "add a drive to the system's parts and a link to the processor"));
  }
  if (question.device != *system.host && system.routes[question.device].empty()) {
    wrong.push_back(refusal("no-route", system.parts[question.device].name,
                            "no link leads from the processor to the device",
                            "add one to the system's links"));
  }
  if (question.data.dataset.values != values_read_by(question.network)) {
    wrong.push_back(refusal("sample-size", "--data",
                            "a sample of " + question.data.dataset.name + " has " +
                                std::to_string(question.data.dataset.values) +
                                " values, and the network reads " +
                                std::to_string(values_read_by(question.network)),
                            "choose a data set whose samples are the network's input"));
  }
  if (question.run.batch > question.data.dataset.items) {
    wrong.push_back(usage_error("--batch", "is larger than the data set",
                                "use at most " + std::to_string(question.data.dataset.items)));
  }
  return wrong;
}

/// The step of a batch, with its software's host and with an ideal one.
StepProfile profile(const TrainingQuestion& question, std::int64_t batch, const Results* as_built) {
  RunSpec run = question.run;
  run.batch = batch;
  if (run.micro_batch && batch % *run.micro_batch != 0) run.micro_batch.reset();
  const TaskGraph tasks = lower(question.network, run);
  const auto simulated = [&](bool ideal_host) {
    Machine machine = build(question.system);
    RunOptions options = question.on;
    options.ideal_host = ideal_host;
    return simulate(machine, tasks, options).value();
  };
  StepProfile step =
      profile_step(as_built != nullptr ? *as_built : simulated(false), simulated(true));
  if (question.device == *question.system.host) {
    // The processor that runs the step also issues it: nothing is left to overlap.
    step.device = step.busy = step.host + step.tail;
    step.host = step.tail = Duration{0};
  }
  return step;
}

HostSide host_side(const SystemPlan& system) {
  const PartPlan& part = system.parts[*system.host];
  const DeviceModel& model = *part.device->model();
  const DeviceRates rates = model.rates();
  HostSide host;
  host.name = part.name;
  host.cores = static_cast<double>(rates.units);
  host.memory = rates.bandwidth.back();
  const HostSpec& spec = system.host_spec;
  const Bytes memory = model.memory_capacity();
  const Bytes limit = std::min(memory, spec.memory_limit.value_or(memory));
  const Bytes programs = spec.program_memory.value_or(Bytes{limit.count() / 8});
  host.cache = spec.page_cache;
  host.cache_capacity = std::max(limit - programs, Bytes{0});
  host.shared_memory = spec.shared_memory.value_or(Bytes{memory.count() / 2});
  return host;
}

Bandwidth slowest(const SystemPlan& system, std::size_t part) {
  Bandwidth rate{INT64_MAX};
  for (const std::size_t link : system.routes[part])
    rate = std::min(rate, system.links[link].bandwidth);
  return rate;
}

TrainingSetup setup_of(const TrainingQuestion& question, StepProfile step) {
  const SystemPlan& system = question.system;
  TrainingSetup setup;
  setup.dataset = question.data.dataset;
  setup.loader = question.data.loader;
  if (question.options.workers) setup.loader.workers = *question.options.workers;
  setup.step = std::move(step);
  setup.batch = question.run.batch;
  setup.host = host_side(system);
  if (const auto drive = drive_of(system)) {
    setup.storage.drive = system.parts[*drive].device.get();
    for (const std::size_t link : system.routes[*drive])
      setup.storage.links.push_back(system.links[link].bandwidth);
  }
  setup.device.name = system.parts[question.device].name;
  setup.device.is_processor = question.device == *system.host;
  if (!setup.device.is_processor) setup.device.link = slowest(system, question.device);
  setup.epochs = question.options.epochs;
  setup.seed = static_cast<std::uint64_t>(question.options.seed);
  return setup;
}

}  // namespace

Result<DataPath> load_data_path(Files& files, const DataOptions& options) {
  DataPath path;
  if (options.dataset.empty()) return path;
  const Result<DatasetSpec> dataset = load_dataset(files, options.dataset);
  const Result<LoaderSpec> loader = options.loader.empty() ? Result<LoaderSpec>(LoaderSpec{})
                                                           : load_loader(files, options.loader);
  Diagnostics found = dataset.diagnostics();
  found.insert(found.end(), loader.diagnostics().begin(), loader.diagnostics().end());
  if (!dataset || !loader) return found;
  return {{*dataset, *loader}, std::move(found)};
}

Result<PipelineResults> train(const TrainingQuestion& question, const Results& step) {
  const Diagnostics wrong = mistakes_of(question);
  if (!wrong.empty()) return wrong;
  const TrainingSetup setup = setup_of(question, profile(question, question.run.batch, &step));
  PipelineResults results = simulate_training(setup);
  const Bottlenecks found = bottlenecks_of(setup);
  results.verdict = found.first;
  results.second = found.second;
  results.changes =
      what_would_help(setup, [&](std::int64_t batch) { return profile(question, batch, nullptr); });
  return results;
}

}  // namespace tantalus

#include "sim/app/host_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/dnn/lower.hpp"
#include "sim/app/loading.hpp"
#include "sim/hardware/simulate.hpp"

namespace tantalus {

namespace {

std::string whole_number(double value, const char* unit) {
  return std::to_string(std::llround(value)) + " " + unit;
}

// The step twice: its tasks once more, on the same tensors.
TaskGraph repeated(const TaskGraph& step) {
  TaskGraph twice;
  for (const LayerInfo& layer : step.layers()) twice.add_layer(layer);
  for (int pass = 0; pass < 2; ++pass) {
    for (const Task& task : step.tasks()) twice.add(std::get<Operation>(task.work));
  }
  twice.memory = step.memory;
  return twice;
}

PredictedTime predicted(const TaskResult& task, Duration time, Duration roofline) {
  PredictedTime p{task.name, task.pass, task.kind, time, time, time, roofline};
  const Duration half{std::llround(static_cast<double>(time.count()) * task.error_share)};
  p.low = time - std::min(time, half);
  p.high = time + half;
  return p;
}

}  // namespace

HostPredictor::HostPredictor(Files& files, const FileText& system, const std::string& library,
                             HostRates rates)
    : files_(files), system_(system), library_(library), plan_(planned({})) {
  std::vector<std::string> overrides{"cores=1"};
  if (plan_ && rates.flops > 0.0) {
    // Peak at 1 GHz gives the clock at which one core has the probed rate.
    const Result<SystemPlan> slow =
        planned({"cores=1", "clock.base=1 GHz", "clock.sustained=1 GHz", "clock.one_core=1 GHz"});
    if (slow) {
      const double at_one = slow->parts.front().device->model()->listed_peaks(DType::fp32).flops;
      const std::string clock = whole_number(rates.flops / at_one * 1e3, "MHz");
      for (const char* name : {"clock.base=", "clock.sustained=", "clock.one_core="}) {
        overrides.push_back(name + clock);
      }
    }
  }
  if (rates.bytes > 0.0) {
    overrides.push_back("one_core_bandwidth=" + whole_number(rates.bytes / 1e6, "MB/s"));
  }
  plan_ = planned(overrides);
}

Result<SystemPlan> HostPredictor::planned(const std::vector<std::string>& overrides) const {
  const Result<SystemSpec> spec = system_of(files_, system_, Knowledge::all, overrides);
  const std::string catalogue = stem_of(system_.file) + "-" + library_;
  return plan_of(files_, system_, spec, {catalogue});
}

Result<std::vector<PredictedTime>> HostPredictor::tasks(const HostCase& of) const {
  const Result<FileText> file = files_.read(of.file);
  if (!file) return file.diagnostics();
  const Result<Network> network = network_of(*file);
  if (!network) return network.diagnostics();
  RunSpec run;
  run.batch = of.batch;
  run.mode = of.mode;
  const TaskGraph step = lower(*network, run);
  Machine machine = build(*plan_);
  const Result<Results> results =
      simulate(machine, repeated(step), {plan_->parts.front().name, {}});
  if (!results) return results.diagnostics();
  const ListedPeaks peaks = plan_->parts.front().device->model()->listed_peaks(DType::fp32);
  std::vector<PredictedTime> times;
  const std::size_t count = step.tasks().size();
  for (std::size_t i = 0; i < count; ++i) {
    const TaskResult& task = results->tasks.at(count + i);
    // From the end of the task before: what it adds to the step.
    const Duration time = task.end - results->tasks.at(count + i - 1).end;
    times.push_back(
        predicted(task, time, roofline_time(std::get<Operation>(step.tasks()[i].work), peaks)));
  }
  return times;
}

Result<PredictedTime> HostPredictor::reorder(double bytes) const {
  const std::int64_t half = std::max<std::int64_t>(4, std::llround(bytes / 2));
  Operation copy;
  copy.name = "reorder";
  copy.work = ElementwiseShape{ElementFn::copy, half / 4};
  copy.operands = {{TensorId{0}, Bytes{half}}, {TensorId{1}, Bytes{half}, true}};
  OperationTimer timer(*plan_, {plan_->parts.front().name, {}});
  const Result<OperationTimer::Timing> timing = timer.time(copy);
  if (!timing) return timing.diagnostics();
  return predicted(timing->task, timing->interval, timing->roofline);
}

}  // namespace tantalus

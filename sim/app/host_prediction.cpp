#include "sim/app/host_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/dnn/lower.hpp"
#include "sim/app/loading.hpp"
#include "sim/hardware/simulate.hpp"
#include "sim/report/interval.hpp"

namespace tantalus {

namespace {

std::string whole_number(double value, const char* unit) {
  return std::to_string(std::llround(value)) + " " + unit;
}

double padded_share(const Network& network, const Operation& op, std::int64_t block) {
  const Layer& layer = network.layers.at(op.layer.value);
  const std::vector<std::int64_t>& dims = network.activations[layer.output].shape.dims;
  if (dims.size() != 3 || op.pass == Pass::update) return 1.0;
  const std::int64_t whole = (dims[0] + block - 1) / block * block;
  return static_cast<double>(whole) / static_cast<double>(dims[0]);
}

// Loops over an image that lies in blocks of channels pass over the padding too.
void pad_blocks(Operation& op, const Network& network, std::int64_t block) {
  auto* loop = std::get_if<ElementwiseShape>(&op.work);
  auto* pool = std::get_if<PoolShape>(&op.work);
  if (loop == nullptr && pool == nullptr) return;
  const double share = padded_share(network, op, block);
  std::int64_t& size = loop != nullptr ? loop->elements : pool->channels;
  size = std::llround(static_cast<double>(size) * share);
  for (TensorUse& use : op.operands) {
    use.size = Bytes{std::llround(static_cast<double>(use.size.count()) * share)};
  }
}

// A copy of the operand whose size fits best; what was not used before is new to every cache.
Operation layout_change(const Operation& before, const HostWork& work, TensorId target) {
  Operation copy;
  copy.name = "reorder";
  copy.layer = before.layer;
  const Bytes half{std::max<std::int64_t>(4, std::llround(work.bytes / 2))};
  const auto distance = [&](const TensorUse& use) {
    return std::abs(use.size.count() - half.count());
  };
  const auto source =
      std::min_element(before.operands.begin(), before.operands.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  copy.operands = {{source->tensor, half}, {target, half, true}};
  copy.work = ElementwiseShape{ElementFn::copy, half.count() / 4};
  return copy;
}

// What moving one number after the other takes besides its passes over memory, neither of which hides the other. The padding of
// blocks is not moved. A number takes a cycle where a vector of eight takes 2.6 (microbenchmark, Zen 4): three steps.
Operation numbers_of(const Operation& copy, const Operation& before) {
  constexpr std::int64_t steps = 3;
  constexpr Bytes line{64};
  Operation moves = copy;
  Bytes most{0};
  for (const TensorUse& use : before.operands) {
    if (use.tensor == copy.operands.front().tensor) most = use.size;
  }
  const std::int64_t numbers = std::min(copy.operands.front().size, most).count() / 4;
  moves.work = ElementwiseShape{ElementFn::copy, numbers * steps};
  for (TensorUse& use : moves.operands) use.size = std::min(use.size, line);
  return moves;
}

TensorId first_free(const TaskGraph& step) {
  std::uint32_t most = 0;
  for (const Task& task : step.tasks()) {
    for (const TensorUse& use : std::get<Operation>(task.work).operands) {
      most = std::max(most, static_cast<std::uint32_t>(use.tensor.value) + 1);
    }
  }
  return TensorId{most};
}

// The operations that run, in order, each with the number of the work that it belongs to.
struct Runs {
  std::vector<Operation> operations;
  std::vector<std::size_t> owner;
};

Runs runs_of(const TaskGraph& step, const Network& network, const std::vector<HostWork>& work,
             std::int64_t block) {
  std::vector<bool> runs_alone(step.tasks().size());
  for (const HostWork& w : work) {
    if (!w.reorder) runs_alone.at(w.task) = true;
  }
  Runs runs;
  const auto add = [&](Operation operation, std::size_t owner) {
    runs.operations.push_back(std::move(operation));
    runs.owner.push_back(owner);
  };
  TensorId target = first_free(step);
  for (std::size_t i = 0; i < work.size(); ++i) {
    const auto& operation = std::get<Operation>(step.tasks()[work[i].task].work);
    if (work[i].reorder) {
      const Operation copy = layout_change(operation, work[i], target);
      add(copy, i);
      if (work[i].by_number) add(numbers_of(copy, operation), i);
      ++target.value;
      continue;
    }
    std::size_t task = work[i].task;
    do {
      Operation run = std::get<Operation>(step.tasks()[task].work);
      pad_blocks(run, network, block);
      add(std::move(run), i);
    } while (++task < runs_alone.size() && !runs_alone[task]);
  }
  return runs;
}

// The step twice: its operations once more, on the same tensors.
TaskGraph twice(const TaskGraph& step, const Runs& runs) {
  TaskGraph graph;
  for (const LayerInfo& layer : step.layers()) graph.add_layer(layer);
  for (int pass = 0; pass < 2; ++pass) {
    for (const Operation& operation : runs.operations) graph.add(operation);
  }
  graph.memory = step.memory;
  return graph;
}

void add(PredictedTime& to, const PredictedTime& more) {
  to.time += more.time, to.low += more.low, to.high += more.high;
  to.roofline += more.roofline;
}

PredictedTime predicted(const TaskResult& task, Duration time, Duration roofline) {
  DoubtSum doubt;
  doubt.add(time, task.doubt);
  const Interval interval = interval_of(time, doubt.shares());
  return {task.name, task.pass, task.kind, time, interval.low, interval.high, roofline};
}

}  // namespace

HostPredictor::HostPredictor(Files& files, const FileText& system, const std::string& library,
                             HostRates rates)
    : files_(files), system_(system), library_(library), plan_(planned({})) {
  std::vector<std::string> overrides{"cores=1"};
  double hertz = 0;
  if (plan_ && rates.flops > 0.0) {
    // Peak at 1 GHz gives the clock at which one core has the probed rate.
    const Result<SystemPlan> slow =
        planned({"cores=1", "clock.base=1 GHz", "clock.sustained=1 GHz", "clock.one_core=1 GHz"});
    if (slow) {
      const double at_one = slow->parts.front().device->model()->listed_peaks(DType::fp32).flops;
      hertz = rates.flops / at_one * 1e9;
      const std::string clock = whole_number(hertz / 1e6, "MHz");
      for (const char* name : {"clock.base=", "clock.sustained=", "clock.one_core="}) {
        overrides.push_back(name + clock);
      }
    }
  }
  if (rates.bytes > 0.0) {
    overrides.push_back("one_core_bandwidth=" + whole_number(rates.bytes / 1e6, "MB/s"));
  }
  plan_ = planned(overrides);
  if (!plan_ || rates.reach <= 0.0 || hertz <= 0.0) return;
  // A file without a third level, or with a smaller one, stands as it is.
  overrides.push_back("l3.effective=" + whole_number(rates.reach / 1024.0, "KiB"));
  overrides.push_back("l3.bandwidth=" + whole_number(std::max(1.0, rates.cache / hertz), "B/clk"));
  overrides.push_back("l3.neighbours=" + whole_number(rates.neighbours / 1e6, "MB/s"));
  Result<SystemPlan> with_cache = planned(overrides);
  if (with_cache) plan_ = std::move(with_cache);
}

Result<SystemPlan> HostPredictor::planned(const std::vector<std::string>& overrides) const {
  const Result<SystemSpec> spec = system_of(files_, system_, Knowledge::all, overrides);
  const std::string catalogue = stem_of(system_.file) + "-" + library_;
  return plan_of(files_, system_, spec, {catalogue});
}

Result<std::vector<PredictedTime>> HostPredictor::times(const HostCase& of,
                                                        const std::vector<HostWork>& work,
                                                        std::int64_t block) const {
  const Result<FileText> file = files_.read(of.file);
  if (!file) return file.diagnostics();
  const Result<Network> network = network_of(*file);
  if (!network) return network.diagnostics();
  RunSpec run;
  run.batch = of.batch;
  run.mode = of.mode;
  // oneDNN remembers the winner of a window in a byte, as its place in the window.
  if (of.library == "onednn") run.software.bytes_of_index = 1;
  const TaskGraph step = lower(*network, run);
  const Runs runs = runs_of(step, *network, work, block);
  Machine machine = build(*plan_);
  RunOptions bare{plan_->parts.front().name, {}};
  // No framework stands between the calls; what a call costs is a constant of its library.
  bare.stack.host_per_operator = Duration{0};
  const Result<Results> results = simulate(machine, twice(step, runs), bare);
  if (!results) return results.diagnostics();
  const ListedPeaks peaks = plan_->parts.front().device->model()->listed_peaks(DType::fp32);
  std::vector<PredictedTime> times(work.size());
  const std::size_t count = runs.operations.size();
  for (std::size_t i = 0; i < count; ++i) {
    const TaskResult& task = results->tasks.at(count + i);
    // From the end of the task before: what it adds to the step.
    const Duration time = task.end - results->tasks.at(count + i - 1).end;
    const PredictedTime one = predicted(task, time, roofline_time(runs.operations[i], peaks));
    PredictedTime& whole = times[runs.owner[i]];
    if (whole.layer.empty()) {
      whole = one;
    } else {
      add(whole, one);
    }
  }
  return times;
}

}  // namespace tantalus

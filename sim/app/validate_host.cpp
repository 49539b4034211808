// tantalus validate --device cpu: layers run here beside what is predicted for them from the detected machine.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "sim/app/detected_files.hpp"
#include "sim/app/host_program.hpp"
#include "sim/app/host_rows.hpp"
#include "sim/app/loading.hpp"
#include "sim/app/random_networks.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/app/tolerances.hpp"
#include "sim/report/host_validation.hpp"
#include "sim/report/numbers.hpp"

namespace tantalus {

namespace {

constexpr const char* detected_stem = "this-machine";

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Duration duration(double nanoseconds) {
  return Duration{std::max<std::int64_t>(1, std::llround(nanoseconds * 1e3))};
}

// Where the calls of a library stand; the library itself, with its version, is part of the machine's state.
std::string source_of(const std::string& library) {
  return library == "onednn" ? "kernels/cpu/dnn_chain.cpp" : "kernels/cpu/blas_chain.cpp";
}

std::string state_of(const HostMeasurements& measured, const std::string& name) {
  for (const auto& [key, value] : measured.machine) {
    if (key == name) return value;
  }
  return "unknown";
}

class HostValidator {
 public:
  HostValidator(const ValidateCommand& command, Session& session)
      : command_(command), session_(session) {}

  ExitCode run() {
    if (command_.here == HostDevice::cuda) return without_gpu();
    if (!find_limits() || !find_cases()) return session_.failure();
    const ExitCode found = find_system();
    if (found != ExitCode::done) return found;
    const ExitCode measured = measure();
    if (measured != ExitCode::done) return measured;
    if (!predict()) return session_.failure();
    return answer();
  }

 private:
  ExitCode without_gpu();
  bool find_limits();
  bool find_cases();
  bool add_network(const std::string& name, const std::string& file,
                   const std::vector<std::int64_t>& batches);
  ExitCode find_system();
  ExitCode measure();
  bool predict();
  bool predict_case(const HostPredictor& predictor, std::size_t number);
  void add_row(const HostCase& of, const HostMeasurement& m, const PredictedTime& p,
               const std::string& what);
  void say_probes();
  ExitCode answer();

  const ValidateCommand& command_;
  Session& session_;
  ScratchFolder scratch_;
  std::vector<HostCase> cases_;
  FileText system_;
  HostMeasurements measured_;
  HostValidation validation_;
  HostLimits limits_;
};

// First of all: nobody wants to measure for minutes to hear of a slip in this file.
bool HostValidator::find_limits() {
  const Result<Tolerances> t = load_tolerances(session_.files, session_.console().data_folders);
  if (!session_.accept(t)) return false;
  limits_ = {t->forward.value(), t->backward.value(), t->small.value(),
             t->whole.value(),   t->most.value(),     t->small_below};
  return true;
}

ExitCode HostValidator::without_gpu() {
  session_.accept(Diagnostics{{Severity::error,
                               "env-no-gpu",
                               {},
                               "",
                               "there is no CUDA device here, or this build has no CUDA kernels",
                               "validate --device cpu measures this machine's processor",
                               1}});
  return ExitCode::not_here;
}

bool HostValidator::add_network(const std::string& name, const std::string& file,
                                const std::vector<std::int64_t>& batches) {
  for (const std::int64_t batch : batches) {
    for (const Mode mode : {Mode::inference, Mode::training}) {
      if (command_.mode && *command_.mode != mode) continue;
      for (const char* library : {"onednn", "openblas"}) {
        if (!command_.library.empty() && command_.library != library) continue;
        cases_.push_back({name, file, batch, mode, library});
      }
    }
  }
  return true;
}

// Without names: the networks and batches of the accuracy promise.
bool HostValidator::find_cases() {
  std::vector<std::string> names = command_.networks;
  const bool asked = !names.empty() || command_.random_networks > 0;
  if (!asked) names = {"alexnet", "lenet"};
  for (const std::string& name : names) {
    const Result<FileText> file = session_.files.find(name, network_places());
    if (!session_.accept(file)) return false;
    std::vector<std::int64_t> batches = command_.batches;
    const bool small = stem_of(name).rfind("lenet", 0) == 0;
    if (batches.empty())
      batches = small ? std::vector<std::int64_t>{64, 512} : std::vector<std::int64_t>{1, 16};
    add_network(stem_of(name), file->file, batches);
  }
  for (std::int64_t i = 0; i < command_.random_networks; ++i) {
    const RandomNetwork random = random_network(command_.seed, i);
    const std::string path = scratch_.path() + "/" + random.name + ".yaml";
    if (!session_.write_file(path, random.text)) return false;
    add_network(random.name, path, {random.batch});
  }
  return true;
}

ExitCode HostValidator::find_system() {
  if (!command_.on.system.empty()) {
    const Result<FileText> file = session_.files.find(command_.on.system, system_places());
    if (!session_.accept(file)) return session_.failure();
    system_ = *file;
    return ExitCode::done;
  }
  const auto rows = run_host_program(session_.console(), {"detect", "--folder", scratch_.path()});
  if (!session_.accept(rows)) return ExitCode::not_here;
  const auto texts = detected_files(session_.files, machine_of(*rows), detected_stem);
  if (!session_.accept(texts)) return session_.failure();
  for (const auto& [name, text] : *texts) {
    if (!session_.write_file(scratch_.path() + "/" + name, text)) return ExitCode::cannot_write;
  }
  const auto file = session_.files.read(scratch_.path() + "/" + detected_stem + ".yaml");
  if (!session_.accept(file)) return session_.failure();
  system_ = *file;
  return ExitCode::done;
}

ExitCode HostValidator::measure() {
  const std::string plan = scratch_.path() + "/plan.csv";
  if (!session_.write_file(plan, plan_text(cases_))) return ExitCode::cannot_write;
  std::vector<std::string> arguments{"measure", "--plan", plan, "--rounds",
                                     std::to_string(command_.rounds)};
  if (!command_.seconds.empty()) arguments.insert(arguments.end(), {"--seconds", command_.seconds});
  if (!command_.slow_layers.empty()) {
    arguments.insert(arguments.end(), {"--slow-layers", command_.slow_layers});
  }
  const auto rows = run_host_program(session_.console(), arguments);
  if (!session_.accept(rows)) return ExitCode::not_here;
  measured_ = measurements_of(*rows, cases_);
  return ExitCode::done;
}

void HostValidator::add_row(const HostCase& of, const HostMeasurement& m, const PredictedTime& p,
                            const std::string& what) {
  HostRow row;
  row.network = of.network, row.library = of.library, row.batch = of.batch;
  row.mode = std::string(name_of(of.mode));
  row.what = what, row.layer = m.name, row.pass = p.pass;
  row.time = {p.kind, duration(m.middle()), p.time, p.low, p.high, p.roofline};
  row.spread = m.spread, row.repeatability = m.repeatability();
  row.samples = m.samples, row.dropped = m.dropped;
  row.source = source_of(of.library);
  row.implementation = m.implementation, row.flag = m.flag;
  validation_.samples += m.samples;
  validation_.dropped += m.dropped;
  validation_.rows.push_back(std::move(row));
}

// A task that was not measured on its own ran inside the one before it: a bias gradient in its weight gradient.
bool HostValidator::predict_case(const HostPredictor& predictor, std::size_t number) {
  const HostCase& of = cases_[number];
  Result<std::vector<PredictedTime>> tasks = predictor.tasks(of);
  if (!session_.accept(tasks)) return false;
  std::vector<PredictedTime>& times = tasks.value();
  std::vector<bool> ran(times.size());
  for (const HostMeasurement& m : measured_.cases[number]) {
    if (m.what == "step" && m.task < ran.size()) ran[m.task] = true;
  }
  PredictedTime whole{"", "whole", "whole", {}, {}, {}, {}};
  const auto sum = [](PredictedTime& into, const PredictedTime& more) {
    into.time += more.time, into.low += more.low, into.high += more.high;
    into.roofline += more.roofline;
  };
  for (std::size_t i = times.size(); i-- > 1;) {
    if (!ran[i]) sum(times[i - 1], times[i]);
  }
  for (const HostMeasurement& m : measured_.cases[number]) {
    if (m.what == "pass") {
      add_row(of, m, whole, "whole");
    } else if (m.what == "reorder") {
      Result<PredictedTime> copy = predictor.reorder(m.bytes);
      if (!session_.accept(copy)) return false;
      copy.value().pass = "reorder";
      sum(whole, *copy);
      add_row(of, m, *copy, "reorder");
    } else {
      sum(whole, times.at(m.task));
      add_row(of, m, times.at(m.task), "layer");
    }
  }
  return true;
}

bool HostValidator::predict() {
  const auto probed = [&](const char* name) { return median(measured_.probes[name]); };
  const HostRates rates{probed("fma"), probed("memory_read")};
  for (const char* library : {"onednn", "openblas"}) {
    const HostPredictor predictor(session_.files, system_, library, rates);
    const auto needed = std::any_of(cases_.begin(), cases_.end(),
                                    [&](const HostCase& c) { return c.library == library; });
    if (!needed) continue;
    if (!predictor.plan()) {
      session_.accept(predictor.plan());
      return false;
    }
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (cases_[i].library == library && !predict_case(predictor, i)) return false;
    }
  }
  return true;
}

void HostValidator::say_probes() {
  const auto say = [&](const char* name, const char* words, double unit, const char* unit_name) {
    std::vector<double> values = measured_.probes[name];
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    const auto text = [&](double value) { return fixed_text(value / unit, 1); };
    validation_.probes.emplace_back(
        words, text(values[values.size() / 2]) + " " + unit_name + " (" + text(values.front()) +
                   " to " + text(values.back()) + ", " + std::to_string(values.size()) + " times)");
  };
  say("fma", "multiply-add rate", 1e9, "GFLOP/s");
  say("memory_read", "memory reads", 1e9, "GB/s");
  say("l1_read", "first level reads", 1e9, "GB/s");
}

ExitCode HostValidator::answer() {
  validation_.system = stem_of(system_.file);
  validation_.device = "cpu: " + state_of(measured_, "processor") + ", one thread";
  validation_.driver = state_of(measured_, "system") + " (a CPU has no other driver)";
  validation_.machine = measured_.machine;
  say_probes();
  if (!command_.baseline.empty() &&
      !session_.write_file(command_.baseline, host_validation_csv(validation_))) {
    return ExitCode::cannot_write;
  }
  switch (session_.format()) {
    case Format::json:
      session_.write(host_validation_json(validation_, limits_));
      break;
    case Format::csv:
      session_.write(host_validation_csv(validation_));
      break;
    case Format::table:
      session_.write(host_validation_table(validation_, limits_, session_.style()));
  }
  return is_within(validation_.groups(limits_)) ? ExitCode::done : ExitCode::answer_is_no;
}

}  // namespace

ExitCode validate_here(const ValidateCommand& command, Console& console) {
  Session session(console, command.output);
  return HostValidator(command, session).run();
}

}  // namespace tantalus

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
  std::int64_t channel_block(std::size_t number) const;
  std::int64_t vector_of_onednn() const;
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
  row.time = {p.kind, duration(m.time()), p.time, p.low, p.high, p.roofline};
  row.spread = m.spread, row.repeatability = m.repeatability();
  row.samples = m.samples, row.dropped = m.dropped;
  row.source = source_of(of.library);
  row.implementation = m.implementation, row.flag = m.flag;
  validation_.samples += m.samples;
  validation_.dropped += m.dropped;
  validation_.rows.push_back(std::move(row));
}

// oneDNN's own kernels keep channels in blocks of a vector, its newer ones (brgconv) side by side.
std::int64_t HostValidator::channel_block(std::size_t number) const {
  if (cases_[number].library != "onednn") return 1;
  for (const HostMeasurement& m : measured_.cases[number]) {
    if (m.implementation.rfind("brgconv", 0) == 0) return 1;
  }
  return vector_of_onednn();
}

std::int64_t HostValidator::vector_of_onednn() const {
  return state_of(measured_, "onednn").find("AVX-512") != std::string::npos ? 16 : 8;
}

bool HostValidator::predict_case(const HostPredictor& predictor, std::size_t number) {
  const HostCase& of = cases_[number];
  const std::vector<HostMeasurement>& measured = measured_.cases[number];
  std::vector<HostWork> work;
  for (const HostMeasurement& m : measured) {
    if (m.what == "pass") continue;
    // oneDNN's general kernel (uni) moves numbers where its block kernel (blk) moves vectors.
    const bool by_number = m.implementation == "jit:uni";
    work.push_back({m.task, m.what == "reorder", m.bytes, by_number});
  }
  const auto times = predictor.times(of, work, channel_block(number));
  if (!session_.accept(times)) return false;
  PredictedTime whole{"", "whole", "whole", {}, {}, {}, {}};
  std::size_t next = 0;
  for (const HostMeasurement& m : measured) {
    if (m.what == "pass") {
      add_row(of, m, whole, "whole");
      continue;
    }
    PredictedTime one = times->at(next++);
    if (m.what == "reorder") one.pass = "reorder";
    whole.time += one.time, whole.low += one.low, whole.high += one.high;
    whole.roofline += one.roofline;
    add_row(of, m, one, m.what == "reorder" ? "reorder" : "layer");
  }
  return true;
}

// Each case at the rates that were probed beside it.
bool HostValidator::predict() {
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const HostPredictor predictor(session_.files, system_, cases_[i].library, measured_.rates[i]);
    if (!predictor.plan()) {
      session_.accept(predictor.plan());
      return false;
    }
    if (!predict_case(predictor, i)) return false;
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
  say("memory", "memory", 1e9, "GB/s");
  say("l1_read", "first level reads", 1e9, "GB/s");
  say("l3_read", "last level reads", 1e9, "GB/s");
  say("l3_neighbours", "others in the last level", 1e9, "GB/s");
  say("l3_reach", "share of the last level", 1024.0 * 1024.0, "MiB");
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

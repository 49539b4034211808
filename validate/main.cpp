// The second program: real kernels on this machine. `tantalus detect` and `tantalus validate --device cpu` start it and read its
// rows; it predicts nothing. Rows are comma-separated, one line each, on standard output; progress goes to standard error.
//
//   tantalus-host detect [--folder DIR] [--seconds S]
//   tantalus-host measure --plan FILE [--rounds N] [--seconds S] [--slow-layers X]
//
// A plan has a line for each case: NETWORK,FILE,BATCH,inference|training,onednn|openblas. Exit codes are those of tantalus.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>
#include <xmmintrin.h>

#include "sim/base/units_text.hpp"
#include "sim/config/network_spec.hpp"
#include "sim/report/csv.hpp"
#include "validate/detect.hpp"
#include "validate/layer_runs.hpp"
#include "validate/machine_state.hpp"
#include "validate/one_thread.hpp"

namespace tantalus::validation {
namespace {

constexpr int done = 0, wrong_usage = 2, bad_input = 3, bug = 70;

void put(const std::vector<std::string>& fields) { std::cout << csv_line(fields) << std::flush; }

std::string digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

void put_machine() {
  for (const auto& [name, value] : machine_state()) put({"machine", name, value});
}

int detect_here(std::map<std::string, std::string>& options) {
  DetectOptions detect_options;
  detect_options.folder = options.contains("--folder") ? options["--folder"] : ".";
  if (options.contains("--seconds")) {
    detect_options.seconds = parse_number(options["--seconds"]).value.value_or(0.25);
  }
  detect_options.progress = [](const std::string& what) {
    std::cerr << "detect: " << what << '\n';
  };
  put_machine();
  for (const DetectedValue& v : detect(detect_options)) {
    put({"value", v.file, v.field, v.value, digits(v.spread), v.mark, v.how});
  }
  return done;
}

struct Plan {
  std::vector<LayerCase> cases;
  std::map<std::string, std::string> files;  // of networks
};

bool read_plan(const std::string& path, Plan& plan) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    if (cells.size() != 5) return false;
    const auto batch = parse_integer(cells[2]).value;
    if (!batch || *batch < 1) return false;
    plan.files[cells[0]] = cells[1];
    plan.cases.push_back({cells[0], cells[4], *batch, cells[3] == "training"});
  }
  return !plan.cases.empty();
}

Result<Network> read_network_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const Result<NetworkSpec> spec = read_network(text.str(), path);
  if (!spec) return spec.diagnostics();
  return infer(*spec);
}

void put_row(const LayerRow& r) {
  put({"row", r.of.network, r.of.library, std::to_string(r.of.batch),
       r.of.training ? "training" : "inference", std::to_string(r.round), r.what,
       std::to_string(r.task), r.name, digits(r.timing.seconds * 1e9), digits(r.timing.spread),
       std::to_string(r.timing.samples), std::to_string(r.timing.dropped),
       r.timing.confident ? "1" : "0", digits(r.flops), digits(r.bytes), digits(r.value),
       r.implementation, r.flag});
  if (r.what == "pass") {
    std::cerr << "measured: " << r.of.network << " batch " << r.of.batch << ' '
              << (r.of.training ? "training" : "inference") << ' ' << r.of.library << '\n';
  }
}

int measure_here(std::map<std::string, std::string>& options) {
  Plan plan;
  if (!read_plan(options["--plan"], plan)) {
    std::cerr << "error[bad-plan]: " << options["--plan"] << " is no list of cases\n";
    return bad_input;
  }
  RunOptions run;
  run.rule.seconds = parse_number(options["--seconds"]).value.value_or(2.0);
  run.rule.patience = 3.0;
  run.rounds = static_cast<int>(parse_integer(options["--rounds"]).value.value_or(2));
  run.slow_layers = parse_number(options["--slow-layers"]).value.value_or(1.0);
  put_machine();
  const Diagnostics wrong = run_layers(
      plan.cases, [&](const LayerCase& of) { return read_network_file(plan.files[of.network]); },
      run, put_row);
  for (const Diagnostic& d : wrong) {
    std::cerr << "error[" << d.code << "]: " << d.path << ": " << d.message << '\n';
  }
  return wrong.empty() ? done : bad_input;
}

int run(int argc, char** argv) {
  insist_on_one_thread(argv);
  // Denormals cost a hundred times a multiplication; random weights must not decide whether there are any.
  _mm_setcsr(_mm_getcsr() | 0x8040U);
  std::map<std::string, std::string> options;
  for (int i = 2; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "detect") return detect_here(options);
  if (verb == "measure") return measure_here(options);
  std::cerr << "usage: tantalus-host detect|measure ...; tantalus detect and validate start it\n";
  return wrong_usage;
}

}  // namespace
}  // namespace tantalus::validation

int main(int argc, char** argv) {
  try {
    return tantalus::validation::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "error[bug]: " << error.what() << '\n';
    return tantalus::validation::bug;
  }
}

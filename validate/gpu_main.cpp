// The program that measures a GPU with the project's own kernels. `scripts/validate_gpu.sh` starts it and keeps its rows; it predicts
// nothing, but runs the tiles and algorithms that a prediction chose. Rows are comma-separated, one line each, on standard output.
//
//   tantalus-gpu facts | probes
//   tantalus-gpu network FILE BATCH inference|training PREDICTION.json
//
// The facts of the device come first in any case. PREDICTION is what `tantalus predict SYSTEM FILE --stack tantalus-cuda --format json` printed for the same batch and mode.
// With --emulate first, everything runs under the emulator: the rows say so, and their times mean nothing. Exit codes are
// those of tantalus: 4 without a GPU.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernels/gpu/gpu_session.hpp"
#include "models/dnn/lower.hpp"
#include "sim/config/network_spec.hpp"
#include "sim/report/csv.hpp"
#include "validate/predicted_choice.hpp"
#include "validate/program_of.hpp"

namespace tantalus::validation {
namespace {

constexpr int done = 0, wrong_usage = 2, bad_input = 3, no_gpu = 4, bug = 70;

using Words = std::vector<std::string>;

void put(const Words& fields) { std::cout << csv_line(fields) << std::flush; }

std::string digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

/// Of samples in order of size, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0.0;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Median, p10 and p90 in microseconds, and how many samples.
Words times_of(const kernels::Timing& timing) {
  std::vector<double> sorted = timing.seconds;
  std::sort(sorted.begin(), sorted.end());
  return {digits(quantile(sorted, 0.5) * 1e6),
          digits(quantile(sorted, 0.1) * 1e6),
          digits(quantile(sorted, 0.9) * 1e6),
          std::to_string(sorted.size()),
          digits(timing.bytes),
          digits(timing.flops)};
}

void put_row(Words head, const kernels::Timing& timing) {
  const Words times = times_of(timing);
  head.insert(head.end(), times.begin(), times.end());
  put(head);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::invalid_argument("cannot read " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void put_facts() {
  const kernels::GpuFacts facts = kernels::gpu_facts();
  put({"gpu", "name", facts.name});
  put({"gpu", "architecture", "sm_" + std::to_string(facts.major) + std::to_string(facts.minor)});
  put({"gpu", "multiprocessors", std::to_string(facts.multiprocessors)});
  put({"gpu", "memory", std::to_string(facts.memory)});
  put({"gpu", "l2", std::to_string(facts.l2)});
  put({"gpu", "driver", std::to_string(facts.driver)});
  put({"gpu", "runtime", std::to_string(facts.runtime)});
  put({"gpu", "emulated", facts.emulated ? "yes" : "no"});
}

kernels::Effort effort_of(bool emulated) {
  kernels::Effort effort;
  if (!emulated) return effort;
  effort.samples = 2;
  effort.warm_up = 1;
  effort.steps_per_sample = 1;
  effort.stream_bytes = 1 << 16;
  effort.l2_bytes = 1 << 15;
  effort.chase_steps = 50;
  effort.fma_steps = 4;
  return effort;
}

/// One network at one batch, lowered as the stack tantalus-cuda lowers it.
struct Case {
  std::string network, batch, mode;
  kernels::Program program;
  std::map<std::string, kernels::ProductChoice> choices;  // by layer and pass
};

std::string pass_of(const kernels::Step& step) {
  static constexpr std::array names{"forward", "input_gradient", "weight_gradient", "bias_gradient",
                                    "update"};
  return names[static_cast<std::size_t>(step.direction)];
}

/// A step's name is its layer's, with a suffix for sums and copies.
std::string layer_of(const kernels::Step& step) { return step.name.substr(0, step.name.find('.')); }

void read_choices(const std::string& path, Case& c) {
  const nlohmann::json prediction = nlohmann::json::parse(text_of(path));
  for (const auto& layer : prediction.at("layers")) {
    Words names;
    for (const auto& kernel : layer.at("kernels")) names.push_back(kernel.at("name"));
    const std::string key =
        layer.at("name").get<std::string>() + "/" + layer.at("pass").get<std::string>();
    if (const auto choice = choice_from(names)) c.choices[key] = *choice;
  }
}

Case read_case(const Words& words) {
  Case c{words.at(1), words.at(2), words.at(3), {}, {}};
  const Result<NetworkSpec> spec = read_network(text_of(c.network), c.network);
  if (!spec) throw std::invalid_argument(render(spec.diagnostics().front()));
  const Result<Network> network = infer(*spec);
  if (!network) throw std::invalid_argument(render(network.diagnostics().front()));
  RunSpec run;
  run.batch = std::stoll(c.batch);
  run.mode = c.mode == "training" ? Mode::training : Mode::inference;
  run.software.bytes_of_index = 4;
  Result<kernels::Program> program =
      program_of(*network, lower(*network, run), run.mode == Mode::training);
  if (!program) throw std::invalid_argument(render(program.diagnostics().front()));
  c.program = std::move(program).value();
  read_choices(words.at(4), c);
  return c;
}

void measure(const Case& c, const kernels::Effort& effort) {
  const int multiprocessors = kernels::gpu_facts().multiprocessors;
  const auto choose = [&](const kernels::Step& step) {
    const auto known = c.choices.find(layer_of(step) + "/" + pass_of(step));
    return known != c.choices.end() ? known->second : kernels::usual_choice(step, multiprocessors);
  };
  const std::vector<kernels::Timing> layers = kernels::time_layers(c.program, choose, effort);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const kernels::Step& step = c.program.steps[i];
    put_row({"layer", c.network, c.batch, c.mode, layer_of(step), pass_of(step)}, layers[i]);
  }
  for (const auto style : {kernels::LaunchStyle::plain, kernels::LaunchStyle::graph,
                           kernels::LaunchStyle::synchronised}) {
    const kernels::Timing step = kernels::time_step(c.program, choose, style, effort);
    put_row({"step", c.network, c.batch, c.mode, step.name, "whole"}, step);
  }
}

int usage() {
  std::cerr << "usage: tantalus-gpu [--emulate] facts | probes | network FILE BATCH "
               "inference|training PREDICTION.json\n";
  return wrong_usage;
}

int run(Words words) {
  const bool emulate = !words.empty() && words.front() == "--emulate";
  if (emulate) words.erase(words.begin());
  if (words.empty()) return usage();
#if defined(TANTALUS_GPU_EMULATED)
  if (!emulate) {
    std::cerr << "error: this build has no CUDA kernels (TANTALUS_CUDA=ON builds them)\n";
    return no_gpu;
  }
#else
  if (emulate) {
    std::cerr << "error: this build has CUDA kernels; one without them has the emulator\n";
    return no_gpu;
  }
#endif
  if (kernels::gpu_count() == 0) {
    std::cerr << "error: no CUDA device here\n";
    return no_gpu;
  }
  const kernels::Effort effort = effort_of(emulate);
  put_facts();
  if (words.front() == "facts" && words.size() == 1) return done;
  if (words.front() == "probes" && words.size() == 1) {
    for (const kernels::Timing& timing : kernels::probe(effort))
      put_row({"probe", timing.name}, timing);
  } else if (words.front() == "network" && words.size() == 5) {
    measure(read_case(words), effort);
  } else {
    return usage();
  }
  return done;
}

}  // namespace
}  // namespace tantalus::validation

int main(int argc, char** argv) {
  try {
    return tantalus::validation::run({argv + 1, argv + argc});
  } catch (const std::invalid_argument& error) {
    std::cerr << "error: " << error.what() << '\n';
    return tantalus::validation::bad_input;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return tantalus::validation::bug;
  }
}

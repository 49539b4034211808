// Events and flows per second of the real engine, with the trace off and on, beside SystemC and SimGrid on the same
// workloads where they are installed. Every figure is the CPU time of a program of its own, a median over rounds in which
// the programs take turns; a ratio is the median of those of single rounds, because on a shared host only what ran in the
// same moment can be compared. Usage: engine_bench [--quick] [--check] [--beside ENGINE_PEER].
//   --quick   short runs: does it work, and roughly how fast
//   --check   only what has a reach; exit 1 and say what was missed: a reach, equal clocks, no allocation in steady state
//   --beside  engine_peer of another compiler's build: neither may be 1.5 times slower than the other
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace {

struct Options {
  bool quick = false;
  bool check = false;
  std::string beside;
};

/// One workload; AMOUNT and warm-up follow from it. A reach of 0 is none.
struct Case {
  const char* kind;
  int count;  // events pending or flows active
  double reach;

  bool of_flows() const {
    return std::strcmp(kind, "single") == 0 || std::strcmp(kind, "core") == 0;
  }
};

constexpr Case cases[] = {{"hold", 64, 0},    {"hold", 1000, 3},    {"hold", 100'000, 0},
                          {"clocked", 64, 0}, {"clocked", 1000, 6}, {"clocked", 100'000, 0},
                          {"single", 16, 20}, {"single", 100, 50},  {"core", 16, 20},
                          {"core", 100, 50}};
constexpr double largest_compiler_ratio = 1.5;
constexpr double largest_clock_error = 1e-6;

struct Measured {
  double cost = 0;   // per event or completed flow
  double clock = 0;  // simulated seconds when the amount was reached
  long allocations = 0;
};

std::string last_line(std::FILE* pipe) {
  std::string text;
  char part[256];
  while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
  text.erase(text.find_last_not_of('\n') + 1);
  return text.substr(text.find_last_of('\n') + 1);  // SystemC prints a banner first
}

std::optional<Measured> run(const std::string& program, const Case& one, long warm, long amount,
                            const char* tracing = "") {
  if (program.empty()) return std::nullopt;
  const std::string command = program + " " + one.kind + " " + std::to_string(one.count) + " " +
                              std::to_string(warm) + " " + std::to_string(amount) + " " + tracing +
                              " 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  const std::string line = last_line(pipe);
  Measured measured;
  const int read = std::sscanf(line.c_str(), "%lf %lf %ld", &measured.cost, &measured.clock,
                               &measured.allocations);
  return pclose(pipe) == 0 && read >= 1 ? std::optional(measured) : std::nullopt;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// What the rounds of one workload gave.
struct Series {
  std::vector<double> off, fingerprint, records, peer, ratio, beside_ratio;
  double clock_error = 0;
  long allocations = 0;
  bool failed = false;
};

struct Amounts {
  long warm, ours, peers;
};

Amounts amounts_of(const Case& one, const Options& options) {
  if (one.of_flows()) return {10L * one.count, options.quick ? 5'000 : 50'000, 2'000};
  const long events = options.quick ? 200'000 : 500'000;
  return {3L * one.count + 20'000, events, one.count > 10'000 || options.quick ? 50'000 : 250'000};
}

// Clocks are compared after 2,000 completions: flows that start when others end amplify a rounding of one picosecond about
// tenfold every 400 completions, in any simulator, so a longer run compares the roundings and not the models.
double clock_error(const Case& one, const Amounts& amounts, double clock) {
  const auto ours = run(TANTALUS_ENGINE_PEER, one, amounts.warm, amounts.peers);
  return ours ? std::abs(ours->clock - clock) / clock : 1;
}

void play_round(const Case& one, const Amounts& amounts, const Options& options, Series& series) {
  const auto ours = [&](const char* tracing, std::vector<double>& costs) {
    const auto measured = run(TANTALUS_ENGINE_PEER, one, amounts.warm, amounts.ours, tracing);
    series.failed |= !measured;
    if (!measured) return Measured{};
    costs.push_back(measured->cost);
    return *measured;
  };
  const Measured off = ours("off", series.off);
  series.allocations = std::max(series.allocations, off.allocations);
  const auto peer = run(one.of_flows() ? TANTALUS_SIMGRID_PEER : TANTALUS_SYSTEMC_PEER, one,
                        amounts.warm, amounts.peers);
  if (peer) {
    series.peer.push_back(peer->cost);
    series.ratio.push_back(peer->cost / off.cost);
    if (one.of_flows() && series.peer.size() == 1) {
      series.clock_error = clock_error(one, amounts, peer->clock);
    }
  }
  if (const auto beside = run(options.beside, one, amounts.warm, amounts.ours, "off")) {
    series.beside_ratio.push_back(beside->cost / off.cost);
  }
  const Measured traced = ours("fingerprint", series.fingerprint);
  series.allocations = std::max(series.allocations, traced.allocations);
  ours("records", series.records);
}

void print_row(const Case& one, const Series& series) {
  std::printf("%-10s %7d %10.3f %11.3f %10.3f", one.kind, one.count, median(series.off),
              median(series.fingerprint), median(series.records));
  if (series.peer.empty()) {
    std::printf(" %10s %8s", "-", "-");
  } else {
    std::printf(" %10.3f %7.1fx", median(series.peer), median(series.ratio));
  }
  if (one.reach > 0) std::printf("  reach %.0fx", one.reach);
  if (!series.beside_ratio.empty()) {
    std::printf("  beside %.2f", median(series.beside_ratio));
  }
  std::printf("\n");
}

// Says what this workload misses; false when it misses anything.
bool judge(const Case& one, const Series& series, const Options& options) {
  bool good = true;
  const auto miss = [&](const char* what, double value, double limit) {
    std::printf("MISSED: %s %d: %s: %.3g (limit %.3g)\n", one.kind, one.count, what, value, limit);
    good = false;
  };
  if (series.failed) miss("engine_peer failed", 1, 0);
  if (!series.peer.empty() && median(series.ratio) < one.reach) {
    miss("times as fast as the peer", median(series.ratio), one.reach);
  }
  if (series.clock_error > largest_clock_error) {
    miss("relative difference of the clocks", series.clock_error, largest_clock_error);
  }
  if (series.allocations != 0) {
    miss("allocations in steady state", static_cast<double>(series.allocations), 0);
  }
  const double beside = median(series.beside_ratio);
  if (!options.beside.empty() &&
      (beside == 0 || std::max(beside, 1 / beside) > largest_compiler_ratio)) {
    miss("time of the other compiler's build over ours", beside, largest_compiler_ratio);
  }
  return good;
}

bool measure(const Case& one, const Options& options) {
  const Amounts amounts = amounts_of(one, options);
  Series series;
  for (int round = 0; round < (options.quick ? 3 : 9); ++round) {
    play_round(one, amounts, options, series);
  }
  print_row(one, series);
  return !options.check || judge(one, series, options);
}

bool measure_all(const Options& options) {
  bool good = true;
  const auto run_kind = [&](bool flows, const char* header) {
    std::printf("%s\n%-10s %7s %10s %11s %10s %10s %8s\n", header, "workload",
                flows ? "flows" : "pending", "trace off", "fingerprint", "records", "peer",
                "ratio");
    for (const Case& one : cases) {
      if (one.of_flows() == flows && (!options.check || one.reach > 0)) {
        good = measure(one, options) && good;
      }
    }
  };
  run_kind(false, "events: CPU ns per event; peer: SystemC, SC_METHOD and sc_event.notify");
  run_kind(true, "flows: CPU us per completed flow; peer: SimGrid, CM02");
  if (*TANTALUS_SYSTEMC_PEER == '\0') std::printf("SystemC not compared: install libsystemc-dev\n");
  if (*TANTALUS_SIMGRID_PEER == '\0') std::printf("SimGrid not compared: install libsimgrid-dev\n");
#ifndef __OPTIMIZE__
  std::printf("this build is not optimised: the ratios say nothing\n");
#endif
  return good;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--quick") == 0) {
      options.quick = true;
    } else if (std::strcmp(words[i], "--check") == 0) {
      options.check = true;
    } else if (std::strcmp(words[i], "--beside") == 0 && i + 1 < count) {
      options.beside = words[++i];
    } else {
      std::fprintf(stderr, "usage: engine_bench [--quick] [--check] [--beside ENGINE_PEER]\n");
      return 2;
    }
  }
  return measure_all(options) ? 0 : 1;
}

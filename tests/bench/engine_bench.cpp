// Events and flows per second of the real engine, with the trace off and on, beside SystemC and SimGrid on the same
// workloads where they are installed. Everything is thread CPU time, medians over rounds in which the programs take turns:
// only ratios inside one run mean anything on a shared host.
// Usage: engine_bench [--quick] [--check]. --check exits 1 when a ratio is below the project's reach.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/shared_capacity.hpp"
#include "tests/bench/workload.hpp"

namespace tantalus::bench {
namespace {

struct Options {
  bool quick = false;
  bool check = false;
};

struct Measured {
  double cost = 0;   // per event or completion
  double clock = 0;  // simulated seconds at the end, for flows
};

class Samples {
 public:
  void add(double cost) { costs_.push_back(cost); }
  double median() {
    std::sort(costs_.begin(), costs_.end());
    return costs_.empty() ? 0 : costs_[costs_.size() / 2];
  }

 private:
  std::vector<double> costs_;
};

enum class Tracing { off, fingerprint, records };

// One trace for all rounds: the first touch of its memory is the operating system's cost, not the trace's.
Trace* cleared_trace(Tracing tracing) {
  static Trace fingerprint(Trace::Keep::fingerprint_only);
  static Trace records(Trace::Keep::records);
  if (tracing == Tracing::off) return nullptr;
  Trace& trace = tracing == Tracing::records ? records : fingerprint;
  trace.clear();
  return &trace;
}

/// Ours without a trace, with a fingerprint, with all records kept; and the peer.
struct Series {
  Samples off, fingerprint, records, peer;
};

// Ours: events.

struct Node {
  Engine* engine = nullptr;
  const std::int64_t* delays = nullptr;
  std::size_t place = 0;

  void go() {
    place = next_place(place);
    engine->record(TraceKind::task_started, DeviceId{0}, static_cast<std::uint32_t>(place));
    engine->after(Duration{delays[place]}, {on<&Node::go>, this});
  }
};

double events_cost(const std::vector<std::int64_t>& delays, std::size_t pending, std::uint64_t warm,
                   std::uint64_t events, Tracing tracing) {
  Engine engine;
  std::vector<Node> nodes(pending);
  for (std::size_t i = 0; i < pending; ++i) {
    nodes[i] = {&engine, delays.data(), first_place(i)};
    nodes[i].go();
  }
  engine.run({.max_events = warm});
  engine.set_trace(cleared_trace(tracing));
  const double begin = cpu_seconds();
  engine.run({.max_events = events});
  return (cpu_seconds() - begin) * 1e9 / static_cast<double>(events);
}

// Ours: flows.

struct Network {
  explicit Network(bool single) {
    if (single) {
      shared.add_link("link", Bandwidth{single_link_rate});
      classes.assign(edges * edges, shared.open_class({.route = {{0}}}));
      return;
    }
    for (std::size_t i = 0; i < edges; ++i) shared.add_link("edge", Bandwidth{edge_rate});
    const std::uint32_t core = shared.add_link("core", Bandwidth{core_rate}).value;
    for (std::uint32_t from = 0; from < edges; ++from) {
      for (std::uint32_t to = 0; to < edges; ++to) {
        FlowClassSpec spec{.route = {{from}, {core}}};
        if (from != to) spec.route.push_back({to});
        classes.push_back(shared.open_class(spec));
      }
    }
  }

  Engine engine;
  SharedCapacity shared{engine, DeviceId{0}, "network"};
  std::vector<FlowClassId> classes;
  std::vector<std::int64_t> sizes = flow_sizes();
  std::vector<std::size_t> routes = flow_routes();
  std::uint64_t done = 0;
  std::uint64_t target = 0;
};

struct Flow {
  Network* network = nullptr;
  std::size_t place = 0;

  void start() {
    network->shared.start(network->classes[network->routes[place]], Bytes{network->sizes[place]},
                          {on<&Flow::finished>, this});
  }
  void finished() {
    place = next_place(place);
    ++network->done;
    start();
  }
};

// A completion is two events (finish, divide) unless several fall together: run in small steps up to the target.
void complete(Network& network, std::uint64_t completions) {
  network.target += completions;
  while (network.done < network.target) {
    const std::uint64_t left = network.target - network.done;
    network.engine.run({.max_events = left > 8 ? left : 1});
  }
}

Measured flows_cost(bool single, std::size_t count, std::uint64_t warm, std::uint64_t completions,
                    Tracing tracing) {
  Network network(single);
  network.engine.set_trace(cleared_trace(tracing));
  std::vector<Flow> flows(count);
  for (std::size_t k = 0; k < count; ++k) {
    flows[k] = {&network, first_place(k)};
    flows[k].start();
  }
  complete(network, warm);
  const double begin = cpu_seconds();
  complete(network, completions);
  const double taken = cpu_seconds() - begin;
  return {taken * 1e6 / static_cast<double>(completions),
          seconds(network.engine.now().since_start())};
}

// Theirs: a program per measurement.

std::optional<Measured> peer(const char* program, const std::string& arguments) {
  if (*program == '\0') return std::nullopt;
  std::FILE* pipe = popen((std::string(program) + " " + arguments + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char part[256];
  while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
  if (pclose(pipe) != 0) return std::nullopt;
  // SystemC may print a banner first: the figures are on the last line.
  text.erase(text.find_last_not_of('\n') + 1);
  const std::size_t line = text.find_last_of('\n');
  if (line != std::string::npos) text.erase(0, line + 1);
  Measured measured;
  if (std::sscanf(text.c_str(), "%lf %lf", &measured.cost, &measured.clock) < 1)
    return std::nullopt;
  return measured;
}

std::string words(const char* kind, std::size_t count, std::uint64_t warm, std::uint64_t amount) {
  return std::string(kind) + " " + std::to_string(count) + " " + std::to_string(warm) + " " +
         std::to_string(amount);
}

void print_header(const char* workload, const char* count) {
  std::printf("%-10s %7s %10s %11s %10s %10s %8s\n", workload, count, "trace off", "fingerprint",
              "records", "peer", "ratio");
}

bool report(const char* name, std::size_t count, Series& series, bool have_peer, double reach) {
  std::printf("%-10s %7zu %10.3f %11.3f %10.3f", name, count, series.off.median(),
              series.fingerprint.median(), series.records.median());
  if (!have_peer) {
    std::printf(" %10s %8s\n", "-", "-");
    return true;
  }
  const double ratio = series.peer.median() / series.off.median();
  const bool good = ratio >= reach;
  std::printf(" %10.3f %7.1fx", series.peer.median(), ratio);
  if (reach > 0) std::printf("  reach %.0fx: %s", reach, good ? "yes" : "NO");
  std::printf("\n");
  return good;
}

bool bench_events(const char* name, const std::vector<std::int64_t>& delays, std::size_t pending,
                  double reach, const Options& options) {
  const std::uint64_t warm = std::min<std::uint64_t>(3 * pending + 20'000, 6'000'000);
  const std::uint64_t events = options.quick ? 200'000 : 1'000'000;
  const std::uint64_t slow = pending > 10'000 || options.quick ? events / 4 : events / 2;
  Series series;
  bool have_peer = true;
  for (int round = 0; round < (options.quick ? 3 : 7); ++round) {
    series.off.add(events_cost(delays, pending, warm, events, Tracing::off));
    series.fingerprint.add(events_cost(delays, pending, warm, events, Tracing::fingerprint));
    series.records.add(events_cost(delays, pending, warm, events, Tracing::records));
    const auto measured =
        have_peer ? peer(TANTALUS_SYSTEMC_PEER, words(name, pending, warm, slow)) : std::nullopt;
    have_peer = measured.has_value();
    if (measured) series.peer.add(measured->cost);
  }
  return report(name, pending, series, have_peer, reach);
}

// Clocks are compared after 2,000 completions: flows that start when others end amplify a rounding of one picosecond about
// tenfold every 400 completions, in any simulator, so a longer run compares the roundings and not the models.
bool bench_flows(const char* name, std::size_t count, double reach, const Options& options) {
  const bool single = std::strcmp(name, "single") == 0;
  const std::uint64_t warm = 10 * count;
  const std::uint64_t completions = options.quick ? 5'000 : 50'000;
  const std::uint64_t slow = 2'000;
  Series series;
  bool have_peer = true;
  bool equal_clocks = true;
  for (int round = 0; round < (options.quick ? 3 : 7); ++round) {
    series.off.add(flows_cost(single, count, warm, completions, Tracing::off).cost);
    series.fingerprint.add(flows_cost(single, count, warm, completions, Tracing::fingerprint).cost);
    series.records.add(flows_cost(single, count, warm, completions, Tracing::records).cost);
    const auto measured =
        have_peer ? peer(TANTALUS_SIMGRID_PEER, words(name, count, warm, slow)) : std::nullopt;
    have_peer = measured.has_value();
    if (!measured) continue;
    series.peer.add(measured->cost);
    const double clock = flows_cost(single, count, warm, slow, Tracing::off).clock;
    if (std::abs(clock - measured->clock) > 1e-6 * clock) {
      equal_clocks = false;
      std::printf("clocks differ: ours %.12g s, theirs %.12g s\n", clock, measured->clock);
    }
  }
  return report(name, count, series, have_peer, reach) && equal_clocks;
}

bool run_all(const Options& options) {
  bool good = true;
  std::printf("events: CPU ns per event; peer: SystemC, SC_METHOD and sc_event.notify\n");
  print_header("workload", "pending");
  for (const std::size_t pending : {64UL, 1000UL, 100'000UL}) {
    good &= bench_events("hold", hold_delays(), pending, pending == 1000 ? 3 : 0, options);
  }
  for (const std::size_t pending : {64UL, 1000UL, 100'000UL}) {
    good &= bench_events("clocked", clocked_delays(), pending, pending == 1000 ? 6 : 0, options);
  }
  std::printf("\nflows: CPU us per completed flow; peer: SimGrid, CM02\n");
  print_header("links", "flows");
  for (const char* links : {"single", "core"}) {
    good &= bench_flows(links, 16, 20, options);
    good &= bench_flows(links, 100, 50, options);
  }
  if (*TANTALUS_SYSTEMC_PEER == '\0') std::printf("SystemC not compared: install libsystemc-dev\n");
  if (*TANTALUS_SIMGRID_PEER == '\0') std::printf("SimGrid not compared: install libsimgrid-dev\n");
#ifndef __OPTIMIZE__
  std::printf("this build is not optimised: the ratios say nothing\n");
#endif
  return good;
}

}  // namespace
}  // namespace tantalus::bench

int main(int count, char** words) {
  tantalus::bench::Options options;
  for (int i = 1; i < count; ++i) {
    const bool quick = std::strcmp(words[i], "--quick") == 0;
    const bool check = std::strcmp(words[i], "--check") == 0;
    if (!quick && !check) {
      std::fprintf(stderr, "usage: engine_bench [--quick] [--check]\n");
      return 2;
    }
    options.quick |= quick;
    options.check |= check;
  }
  const bool good = tantalus::bench::run_all(options);
  return options.check && !good ? 1 : 0;
}

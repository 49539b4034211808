// The workloads of the bench on our engine, as a program like those of SystemC and SimGrid: what is compared runs alike.
// Usage: engine_peer hold|clocked|single|core COUNT WARM AMOUNT [off|fingerprint|records]; prints CPU nanoseconds per event
// (hold, clocked) or microseconds per completed flow (single, core), the simulated clock in seconds when AMOUNT is first
// reached, and how many allocations the measured part made: none are needed once everything has had its largest size.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/shared_capacity.hpp"
#include "tests/bench/workload.hpp"
#include "tests/counted_allocations.hpp"

namespace tantalus::bench {
namespace {

struct Task {
  std::string_view kind;
  std::size_t count = 0;     // events pending or flows active
  std::uint64_t warm = 0;    // events or completions before the measured ones
  std::uint64_t amount = 0;  // measured events or completions
};

struct Measured {
  double seconds = 0;
  double clock = 0;
  long allocations = 0;
};

// What runs is measured the second time: the first touches the memory of the trace, which is the operating system's cost.
template <class Run, class Clock>
Measured measure(Engine& engine, Trace* trace, Run run, Clock clock) {
  Measured measured;
  engine.set_trace(trace);
  run();
  measured.clock = clock();
  run();  // a run of the same length may need a few records more
  if (trace != nullptr) trace->clear();
  const long before = allocations;
  const double begin = cpu_seconds();
  run();
  measured.seconds = cpu_seconds() - begin;
  measured.allocations = allocations - before;
  return measured;
}

// Events: each pending one schedules the next.

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

Measured events(const Task& task, Trace* trace) {
  const std::vector<std::int64_t> delays = task.kind == "hold" ? hold_delays() : clocked_delays();
  Engine engine;
  std::vector<Node> nodes(task.count);
  for (std::size_t i = 0; i < task.count; ++i) {
    nodes[i] = {&engine, delays.data(), first_place(i)};
    nodes[i].go();
  }
  engine.run({.max_events = task.warm});
  return measure(
      engine, trace, [&] { engine.run({.max_events = task.amount}); },
      [&] { return seconds(engine.now().since_start()); });
}

// Flows: each that ends starts the next.

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
        const std::array<Crossing, 3> route{{{from}, {core}, {to}}};
        const std::size_t length = from == to ? 2 : 3;
        classes.push_back(shared.join_class(std::span(route).first(length), 1, Rate::unlimited()));
      }
    }
  }

  // Every class has once held all flows, so that none needs more memory later.
  void fill_once(std::size_t flows) {
    for (const FlowClassId id : classes) {
      for (std::size_t i = 0; i < flows; ++i)
        shared.start(id, Bytes{0}, {on<&Network::ignore>, this});
    }
    engine.run();
  }
  void ignore() {}

  // A completion is two events (finish, divide) unless several fall together: small steps up to the target.
  void complete(std::uint64_t completions) {
    target += completions;
    while (done < target) {
      const std::uint64_t left = target - done;
      engine.run({.max_events = left > 8 ? left : 1});
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

Measured flows(const Task& task, Trace* trace) {
  Network network(task.kind == "single");
  network.fill_once(task.count);
  std::vector<Flow> active(task.count);
  for (std::size_t k = 0; k < task.count; ++k) {
    active[k] = {&network, first_place(k)};
    active[k].start();
  }
  network.complete(task.warm);
  return measure(
      network.engine, trace, [&] { network.complete(task.amount); },
      [&] { return seconds(network.engine.now().since_start()); });
}

int run(const Task& task, std::string_view tracing) {
  Trace trace(tracing == "records" ? Trace::Keep::records : Trace::Keep::fingerprint_only);
  Trace* used = tracing == "off" ? nullptr : &trace;
  const bool of_events = task.kind == "hold" || task.kind == "clocked";
  const Measured measured = of_events ? events(task, used) : flows(task, used);
  const double unit = of_events ? 1e9 : 1e6;
  std::printf("%.4f %.12g %ld\n", measured.seconds * unit / static_cast<double>(task.amount),
              measured.clock, measured.allocations);
  return 0;
}

}  // namespace
}  // namespace tantalus::bench

int main(int count, char** words) {
  if (count != 5 && count != 6) return 2;
  return tantalus::bench::run(
      {words[1], std::strtoul(words[2], nullptr, 10), std::strtoul(words[3], nullptr, 10),
       std::strtoul(words[4], nullptr, 10)},
      count == 6 ? words[5] : "off");
}

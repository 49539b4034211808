// The hold model and the clocked workload on SystemC: one SC_METHOD and one sc_event per pending event. A process can hold
// one elaboration only, so the bench starts this program anew for each measurement.
// Usage: systemc_peer hold|clocked PENDING WARM EVENTS; prints CPU nanoseconds per event.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <systemc>
#include <vector>

#include "tests/bench/workload.hpp"

namespace {

namespace bench = tantalus::bench;

std::vector<sc_core::sc_time> delays;
unsigned long events_left = 0;

class Node : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Node);
  Node(const sc_core::sc_module_name& name, std::size_t index)
      : sc_core::sc_module(name), place_(bench::first_place(index)) {
    SC_METHOD(go);
    sensitive << wake_;
  }

 private:
  void go() {
    place_ = bench::next_place(place_);
    wake_.notify(delays[place_]);
    if (--events_left == 0) sc_core::sc_pause();
  }

  sc_core::sc_event wake_;
  std::size_t place_;
};

void run(unsigned long events) {
  events_left = events;
  sc_core::sc_start();
}

}  // namespace

int sc_main(int count, char** words) {
  if (count != 5) return 2;
  const bool hold = std::strcmp(words[1], "hold") == 0;
  const unsigned long pending = std::strtoul(words[2], nullptr, 10);
  const unsigned long warm = std::strtoul(words[3], nullptr, 10);
  const unsigned long events = std::strtoul(words[4], nullptr, 10);
  for (const std::int64_t delay : hold ? bench::hold_delays() : bench::clocked_delays()) {
    delays.emplace_back(static_cast<double>(delay), sc_core::SC_PS);
  }
  std::vector<std::unique_ptr<Node>> nodes;
  for (unsigned long i = 0; i < pending; ++i) {
    nodes.push_back(std::make_unique<Node>(("n" + std::to_string(i)).c_str(), i));
  }
  run(pending + warm);
  const double begin = bench::cpu_seconds();
  run(events);
  std::printf("%.3f\n", (bench::cpu_seconds() - begin) * 1e9 / static_cast<double>(events));
  std::fflush(stdout);
  std::_Exit(0);  // tearing down a hundred thousand modules is not what we measure
}

// Max-min flows on SimGrid: as many actors as flows, each sending one message after the other over links without latency
// (model CM02, no window limit, no cross-traffic, no factors: the plain fluid model that SharedCapacity computes too).
// Usage: simgrid_peer single|core FLOWS WARM COMPLETIONS; prints CPU microseconds per completion and the final clock.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include "tests/bench/workload.hpp"

namespace {

namespace sg4 = simgrid::s4u;
namespace bench = tantalus::bench;

struct Progress {
  unsigned long warm;
  unsigned long completions;
  unsigned long done = 0;
  double begin = 0;
};

void one_is_done(Progress& progress) {
  ++progress.done;
  if (progress.done == progress.warm) progress.begin = bench::cpu_seconds();
  if (progress.done != progress.warm + progress.completions) return;
  const double taken = bench::cpu_seconds() - progress.begin;
  std::printf("%.4f %.12g\n", taken * 1e6 / static_cast<double>(progress.completions),
              sg4::Engine::get_clock());
  std::fflush(stdout);
  std::_Exit(0);
}

std::vector<const sg4::Link*> route_links(bool single, std::size_t from, std::size_t to,
                                          const std::vector<sg4::Link*>& links) {
  if (single) return {links[0]};
  if (from == to) return {links[from], links[bench::edges]};
  return {links[from], links[bench::edges], links[to]};
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  const bool single = std::strcmp(words[1], "single") == 0;
  const std::size_t flows = std::strtoul(words[2], nullptr, 10);
  Progress progress{std::strtoul(words[3], nullptr, 10), std::strtoul(words[4], nullptr, 10)};

  int none = 1;
  sg4::Engine engine(&none, words);
  for (const char* setting :
       {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "network/weight-S:0",
        "network/bandwidth-factor:1", "network/latency-factor:1"}) {
    sg4::Engine::set_config(setting);
  }
  auto* zone = sg4::create_full_zone("zone");
  std::vector<sg4::Host*> sources, targets;
  for (std::size_t i = 0; i < bench::edges; ++i) {
    sources.push_back(zone->create_host("s" + std::to_string(i), 1e9)->seal());
    targets.push_back(zone->create_host("t" + std::to_string(i), 1e9)->seal());
  }
  std::vector<sg4::Link*> links;
  const auto add_link = [&](std::int64_t rate) {
    links.push_back(zone->create_link("l" + std::to_string(links.size()), static_cast<double>(rate))
                        ->set_latency(0)
                        ->seal());
  };
  if (single) add_link(bench::single_link_rate);
  for (std::size_t i = 0; !single && i < bench::edges; ++i) add_link(bench::edge_rate);
  if (!single) add_link(bench::core_rate);
  for (std::size_t i = 0; i < bench::edges; ++i) {
    for (std::size_t j = 0; j < bench::edges; ++j) {
      std::vector<sg4::LinkInRoute> route;
      for (const sg4::Link* link : route_links(single, i, j, links)) route.emplace_back(link);
      zone->add_route(sources[i]->get_netpoint(), targets[j]->get_netpoint(), nullptr, nullptr,
                      route, false);
    }
  }
  zone->seal();

  const auto sizes = bench::flow_sizes();
  const auto routes = bench::flow_routes();
  for (std::size_t k = 0; k < flows; ++k) {
    sg4::Actor::create("f" + std::to_string(k), sources[0], [&, k] {
      for (std::size_t place = bench::first_place(k);; place = bench::next_place(place)) {
        const std::size_t route = single ? 0 : routes[place];
        sg4::Comm::sendto(sources[route / bench::edges], targets[route % bench::edges],
                          static_cast<std::uint64_t>(sizes[place]));
        one_is_done(progress);
      }
    });
  }
  engine.run();
  return 1;  // the flows never end by themselves
}

#include "sim/hardware/system_plan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>

#include "sim/base/text.hpp"
#include "sim/hardware/link/nvlink.hpp"
#include "sim/hardware/link/pcie.hpp"

namespace tantalus {

namespace {

void append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "'" : ", '") + word + "'";
  return text;
}

Diagnostic error(const SourcePos& where, std::string code, std::string path, std::string message,
                 std::string hint) {
  return {Severity::error,    std::move(code), where, std::move(path),
          std::move(message), std::move(hint), 1};
}

// ---- Parts -----------------------------------------------------------------------------------------------------------

Diagnostic unknown_kind(const PartSpec& part, std::span<const DeviceKind> kinds) {
  std::vector<std::string> words;
  for (const DeviceKind& kind : kinds) words.emplace_back(kind.key);
  const std::string near = closest_word(part.kind, words);
  Diagnostic result =
      error(part.kind_where, "unknown-kind", part.id + ".kind",
            "there is no kind of device '" + part.kind + "'",
            near.empty() ? "the kinds are " + quoted_list(words) : "did you mean '" + near + "'?");
  result.width = static_cast<int>(std::max<std::size_t>(1, part.kind.size()));
  return result;
}

/// The fabric counts rates in fractions of a byte a second; what it cannot hold, or what would never end, is said here.
Diagnostics check_rates(const PartSpec& part, const DeviceModel& model) {
  constexpr Bandwidth most{100'000'000'000'000};
  const auto level = [&](SharedLevel which) {
    return model.rates().bandwidth[static_cast<std::size_t>(which)];
  };
  Diagnostics found;
  if (level(SharedLevel::dram) <= Bandwidth{0}) {
    found.push_back(error_at(part.body, "no-bandwidth", part.id + ".dram",
                             "memory without any bandwidth: nothing would ever end",
                             "give the memory a rate above zero"));
  }
  if (level(SharedLevel::cache) > most || level(SharedLevel::dram) > most) {
    found.push_back(
        error_at(part.body, "too-large", part.id,
                 "a memory level moves more than 100 TB/s, which is more than this program counts",
                 "check the units of bandwidths and clocks"));
  }
  return found;
}

std::optional<PartPlan> plan_part(const PartSpec& part, std::span<const DeviceKind> kinds,
                                  const LibraryLookup& libraries,
                                  const std::vector<std::string>& preferred, Diagnostics& found) {
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const DeviceKind& one) { return one.key == part.kind; });
  if (kind == kinds.end()) {
    found.push_back(unknown_kind(part, kinds));
    return std::nullopt;
  }
  ReadDevice device = kind->read({part.body, reading(part), libraries, preferred});
  append(found, device.diagnostics());
  if (!device) return std::nullopt;
  if (const DeviceModel* model = device.value()->model()) append(found, check_rates(part, *model));
  return PartPlan{part.id, &*kind, std::move(device).value()};
}

// ---- Links -----------------------------------------------------------------------------------------------------------

/// What the link trains at: no end can do more than its own port.
Bandwidth trained_rate(PcieSlot link, std::span<const PartPlan* const> ends) {
  for (const PartPlan* end : ends) {
    const std::optional<PcieSlot> slot = end->device->slot();
    if (!slot) continue;
    link.generation = std::min(link.generation, slot->generation);
    link.lanes = std::min(link.lanes, slot->lanes);
  }
  return pcie_bandwidth(link.generation, link.lanes);
}

std::optional<Bandwidth> rate_of(const LinkPlan& link, std::span<const PartPlan* const> ends,
                                 Diagnostics& found) {
  if (link.pcie) return trained_rate({link.pcie->generation, link.pcie->lanes}, ends);
  const NvlinkLinkSpec& nvlink = *link.nvlink;
  std::optional<Bandwidth> per_link = nvlink.per_link;
  if (!per_link && nvlink.generation) per_link = nvlink_rate(*nvlink.generation);
  if (!per_link) {
    found.push_back(error(link.where, "missing-rate", link.path + ".nvlink.per_link",
                          "the rate of one link is not known",
                          "write 'per_link: 25 GB/s', or 'generation:' 1 to 5"));
    return std::nullopt;
  }
  return nvlink_bandwidth(nvlink.links, *per_link);
}

/// `place[i]` is where part i of the spec stands in the plan.
void plan_links(const SystemSpec& spec, const std::vector<std::size_t>& place, SystemPlan& plan,
                Diagnostics& found) {
  for (const LinkPlan& link : spec.links) {
    std::vector<const PartPlan*> ends;  // those that could be read
    for (const std::size_t end : {link.a, link.b}) {
      if (const PartPlan* part = plan.find(spec.parts[end].id)) ends.push_back(part);
    }
    const std::optional<Bandwidth> rate = rate_of(link, ends, found);
    if (!rate) continue;
    const std::string kind = link.pcie ? "pcie " : "nvlink ";
    plan.links.push_back({kind + spec.parts[link.a].id + "-" + spec.parts[link.b].id, place[link.a],
                          place[link.b], *rate});
  }
  std::stable_sort(plan.links.begin(), plan.links.end(),
                   [](const PlannedLink& a, const PlannedLink& b) { return a.name < b.name; });
}

// ---- Host and routes -------------------------------------------------------------------------------------------------

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                    boost::no_property, std::size_t>;

/// Fewest links first; among equals the link that comes first by name. The edge property is the link's index.
std::vector<std::vector<std::size_t>> routes_from(const SystemPlan& plan, std::size_t host) {
  Graph graph(plan.parts.size());
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    boost::add_edge(plan.links[i].a, plan.links[i].b, i, graph);
  }
  std::vector<Graph::edge_descriptor> last_edge(plan.parts.size());
  std::vector<std::size_t> distance(plan.parts.size(), 0);
  boost::breadth_first_search(
      graph, host,
      boost::visitor(boost::make_bfs_visitor(std::make_pair(
          boost::record_distances(distance.data(), boost::on_tree_edge()),
          boost::record_edge_predecessors(last_edge.data(), boost::on_tree_edge())))));
  std::vector<std::vector<std::size_t>> routes(plan.parts.size());
  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    std::size_t at = part;
    while (distance[at] > 0) {
      const std::size_t link = boost::get(boost::edge_bundle, graph, last_edge[at]);
      routes[part].insert(routes[part].begin(), link);
      at = plan.links[link].a == at ? plan.links[link].b : plan.links[link].a;
    }
  }
  return routes;
}

std::optional<std::size_t> index_of(const SystemPlan& plan, std::string_view name) {
  const auto found = std::find_if(plan.parts.begin(), plan.parts.end(),
                                  [&](const PartPlan& part) { return part.name == name; });
  if (found == plan.parts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - plan.parts.begin());
}

bool can_host(const PartPlan& part) { return part.kind->role == DeviceKind::Role::host; }

/// The place of `host.processor` in the text, for its diagnostics.
const YamlNode& place_of_processor(const YamlNode& host) {
  const YamlNode* node = host.find("processor");
  return node == nullptr ? host : *node;
}

void find_host(const SystemSpec& spec, SystemPlan& plan, Diagnostics& found) {
  if (spec.lone) {  // a processor issues its own operations, whoever else is there
    if (can_host(plan.parts.front())) plan.host = 0;
    return;
  }
  HostSpec host;
  if (!spec.host.is_null()) {
    ReadContext context;
    context.path = "host";
    context.hypothetical = spec.hypothetical;
    context.sources = &spec.host_sources;
    Result<HostSpec> read = read_spec<HostSpec>(spec.host, context);
    append(found, read.diagnostics());
    if (!read) return;
    host = read.value();
  }
  plan.host_spec = host;
  std::vector<std::string> processors;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    if (!can_host(plan.parts[i])) continue;
    processors.push_back(plan.parts[i].name);
    if (!plan.host && (host.processor.empty() || host.processor == plan.parts[i].name)) {
      plan.host = i;
    }
  }
  if (plan.host || host.processor.empty()) return;
  const YamlNode& place = place_of_processor(spec.host);
  found.push_back(error_at(place, "unknown-device", "host.processor",
                           "'" + host.processor + "' is no CPU of this system",
                           processors.empty() ? "add a part with 'kind: cpu'"
                                              : "the CPUs are " + quoted_list(processors)));
}

const LinkPlan* any_link_of(const SystemSpec& spec, const std::string& part) {
  for (const LinkPlan& link : spec.links) {
    if (spec.parts[link.a].id == part || spec.parts[link.b].id == part) return &link;
  }
  return nullptr;
}

Diagnostic no_route(const SystemSpec& spec, const std::string& part, const std::string& host) {
  const LinkPlan* link = any_link_of(spec, part);
  const auto written = spec.find_part(part);
  return error(link != nullptr ? link->where : spec.parts[*written].where, "no-route",
               link != nullptr ? link->path : part,
               "no chain of links joins '" + part + "' to the host '" + host + "'",
               "add a link such as '- {join: [" + host + ", " + part +
                   "], pcie: {generation: 4, lanes: 16}}'");
}

void check_routes(const SystemSpec& spec, const SystemPlan& plan, Diagnostics& found) {
  if (!plan.host) return;
  const std::string& host = plan.parts[*plan.host].name;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    if (plan.parts[i].kind->role != DeviceKind::Role::accelerator || !plan.routes[i].empty())
      continue;
    found.push_back(no_route(spec, plan.parts[i].name, host));
  }
}

void check_runner(const SystemSpec& spec, const SystemPlan& plan, Diagnostics& found) {
  if (plan.parts.empty() || !run_order(plan).empty()) return;
  if (spec.lone && plan.parts.front().kind->role == DeviceKind::Role::storage) return;
  found.push_back(error(spec.parts.front().kind_where, "no-runner", spec.parts.front().id,
                        "no part of this system can run a network",
                        "add a part with 'kind: gpu' or 'kind: cpu'"));
}

}  // namespace

const PartPlan* SystemPlan::find(std::string_view part) const {
  const auto index = index_of(*this, part);
  return index ? &parts[*index] : nullptr;
}

std::vector<std::size_t> run_order(const SystemPlan& plan) {
  std::vector<std::size_t> order;
  for (const DeviceKind::Role role :
       {DeviceKind::Role::accelerator, DeviceKind::Role::host, DeviceKind::Role::other}) {
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
      const PartPlan& part = plan.parts[i];
      if (part.kind->role == role && part.device->model() != nullptr) order.push_back(i);
    }
  }
  return order;
}

Result<SystemPlan> plan_system(const SystemSpec& spec, std::span<const DeviceKind> kinds,
                               const LibraryLookup& libraries,
                               const std::vector<std::string>& preferred) {
  Diagnostics found;
  SystemPlan plan;
  plan.name = spec.name;
  for (const PartSpec& part : spec.parts) {
    if (auto planned = plan_part(part, kinds, libraries, preferred, found)) {
      plan.parts.push_back(std::move(*planned));
    }
  }
  const bool whole = plan.parts.size() == spec.parts.size();
  std::sort(plan.parts.begin(), plan.parts.end(),
            [](const PartPlan& a, const PartPlan& b) { return a.name < b.name; });
  std::vector<std::size_t> place;
  for (const PartSpec& part : spec.parts) place.push_back(index_of(plan, part.id).value_or(0));
  plan_links(spec, place, plan, found);
  if (whole) {  // otherwise a missing part would be blamed on the links
    find_host(spec, plan, found);
    plan.routes.resize(plan.parts.size());
    if (plan.host) plan.routes = routes_from(plan, *plan.host);
    check_routes(spec, plan, found);
    check_runner(spec, plan, found);
  }
  sort_by_place(found);
  drop_repeats(found);
  if (has_errors(found)) return found;
  return {std::move(plan), std::move(found)};
}

Result<std::size_t> choose_device(const SystemPlan& plan, const std::string& wanted) {
  std::vector<std::string> names;
  for (const std::size_t part : run_order(plan)) {
    if (wanted.empty() || plan.parts[part].name == wanted) return part;
    names.push_back(plan.parts[part].name);
  }
  return unknown_run_device(wanted, names);
}

Diagnostic unknown_run_device(const std::string& wanted, const std::vector<std::string>& names) {
  if (names.empty())  // a drive by itself
    return error({}, "no-runner", "--device", "no part here can run a network",
                 "name a system, or the file of a gpu or a cpu");
  const std::string near = closest_word(wanted, names);
  return error(
      {}, "unknown-device", "--device",
      "no part '" + wanted + "' can run a network here; those that can: " + quoted_list(names),
      near.empty() ? "name one of them" : "did you mean '" + near + "'?");
}

}  // namespace tantalus

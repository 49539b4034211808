#include "models/dnn/layer_graph.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include "sim/base/text.hpp"

namespace tantalus {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Index = std::map<std::string, std::size_t>;  // layer name to its number

Diagnostic at_field(const LayerSpec& layer, const std::string& field, std::string code,
                    const std::string& message, std::string hint) {
  const Place& place = layer.place_of(field);
  const std::string path = layer.path.empty() ? layer.name + "." + field : layer.path + "." + field;
  return {Severity::error, std::move(code), place.where, path, layer.name + ": " + message,
          std::move(hint), place.width};
}

Index index_names(const NetworkSpec& spec, Diagnostics& found) {
  Index index;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const LayerSpec& layer = spec.layers[i];
    const auto [first, fresh] = index.emplace(layer.name, i);
    if (fresh) continue;
    const int line = spec.layers[first->second].place.where.line;
    const std::string where = line == 0 ? "" : " (line " + std::to_string(line) + ")";
    found.push_back(at_field(layer, "name", "duplicate-layer",
                             "another layer has this name" + where,
                             "give each layer its own name"));
  }
  return index;
}

/// Names that may have been meant: those beside the layer as they are written there, then all.
std::vector<std::string> candidates(const NetworkSpec& spec, const LayerSpec& layer) {
  const std::size_t dot = layer.name.rfind('.');
  const std::string prefix = dot == std::string::npos ? "" : layer.name.substr(0, dot + 1);
  std::vector<std::string> near, all;
  for (const LayerSpec& other : spec.layers) {
    if (!prefix.empty() && other.name.compare(0, prefix.size(), prefix) == 0) {
      near.push_back(other.name.substr(prefix.size()));
    }
    all.push_back(other.name);
  }
  near.insert(near.end(), all.begin(), all.end());
  near.emplace_back(input_name);
  return near;
}

class Connector {
 public:
  explicit Connector(const NetworkSpec& spec)
      : spec_(spec), index_(index_names(spec, result_.found)), readers_(spec.layers.size()) {}

  LayerGraph run() {
    for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
      result_.inputs.push_back(sources_of(i));
      result_.weights.push_back(weights_of(i));
    }
    report_later_references();
    return std::move(result_);
  }

 private:
  struct LaterReference {
    std::size_t reader, source;  // layers; source >= reader
    std::string field;
  };

  std::vector<Source> sources_of(std::size_t reader) {
    const LayerSpec& layer = spec_.layers[reader];
    if (layer.from.empty()) {  // what the layer before makes, or the input
      if (reader > 0) readers_[reader - 1].push_back(reader);
      return {reader};
    }
    std::vector<Source> sources;
    for (std::size_t k = 0; k < layer.from.size(); ++k) {
      sources.push_back(source_named(reader, layer.from[k], from_field(layer, k)));
    }
    return sources;
  }

  static std::string from_field(const LayerSpec& layer, std::size_t k) {
    const std::string item = "from." + std::to_string(k);
    return layer.fields.count(item) != 0 ? item : "from";
  }

  Source source_named(std::size_t reader, const std::string& name, const std::string& field) {
    if (name == input_name) return 0;
    const auto found = find(reader, name, field);
    if (!found) return std::nullopt;
    readers_[*found].push_back(reader);
    if (*found < reader) return *found + 1;
    later_.push_back({reader, *found, field});
    return std::nullopt;
  }

  std::optional<std::size_t> weights_of(std::size_t reader) {
    const LayerSpec& layer = spec_.layers[reader];
    const auto* conv = std::get_if<Conv2dSpec>(&layer.body);
    const auto* linear = std::get_if<LinearSpec>(&layer.body);
    const std::string name = conv != nullptr     ? conv->weights
                             : linear != nullptr ? linear->weights
                                                 : "";
    if (name.empty()) return std::nullopt;
    const auto owner = find(reader, name, "weights");
    if (owner && *owner < reader) return owner;
    if (owner) {
      result_.found.push_back(at_field(layer, "weights", "forward-reference",
                                       "'" + name + "' is not an earlier layer",
                                       "let the later layer share the weights of the earlier one"));
    }
    return std::nullopt;
  }

  std::optional<std::size_t> find(std::size_t reader, const std::string& name,
                                  const std::string& field) {
    if (const auto it = index_.find(name); it != index_.end()) return it->second;
    const LayerSpec& layer = spec_.layers[reader];
    // Looking for a near name costs the length of the whole network: a file full of mistakes gets the hint for the first few.
    const std::string near =
        ++unknown_ <= 50 ? closest_word(name, candidates(spec_, layer)) : std::string();
    result_.found.push_back(at_field(
        layer, field, "unknown-layer", "there is no layer '" + name + "'",
        near.empty() ? "write the name of an earlier layer" : "did you mean '" + near + "'?"));
    return std::nullopt;
  }

  void report_later_references() {
    if (later_.empty()) return;
    const std::vector<std::size_t> component = components();
    std::set<std::size_t> named;  // one message a knot, not one an edge
    for (const LaterReference& later : later_) {
      const LayerSpec& layer = spec_.layers[later.reader];
      const std::string& source = spec_.layers[later.source].name;
      if (component[later.reader] != component[later.source]) {
        result_.found.push_back(at_field(layer, later.field, "forward-reference",
                                         "'" + source + "' is written further down",
                                         "move '" + source + "' above '" + layer.name + "'"));
      } else if (named.insert(component[later.reader]).second) {
        result_.found.push_back(at_field(
            layer, later.field, "cycle", "layers wait for each other: " + cycle_text(later),
            "a network runs from its input to its output; break the loop"));
      }
    }
  }

  std::vector<std::size_t> components() const {
    Graph graph(spec_.layers.size());
    for (std::size_t source = 0; source < readers_.size(); ++source) {
      for (const std::size_t reader : readers_[source]) boost::add_edge(source, reader, graph);
    }
    std::vector<std::size_t> component(spec_.layers.size());
    boost::strong_components(graph, boost::make_iterator_property_map(
                                        component.begin(), boost::get(boost::vertex_index, graph)));
    return component;
  }

  /// The shortest way from the reader to its source, closed: "a -> b -> a".
  std::string cycle_text(const LaterReference& later) const {
    std::vector<std::optional<std::size_t>> came_from(spec_.layers.size());
    std::deque<std::size_t> queue{later.reader};
    came_from[later.reader] = later.reader;
    while (!queue.empty() && !came_from[later.source]) {
      const std::size_t at = queue.front();
      queue.pop_front();
      for (const std::size_t next : readers_[at]) {
        if (came_from[next]) continue;
        came_from[next] = at;
        queue.push_back(next);
      }
    }
    std::vector<std::size_t> way{later.source};
    while (way.back() != later.reader) way.push_back(*came_from[way.back()]);
    std::reverse(way.begin(), way.end());
    return way_text(way);
  }

  std::string way_text(const std::vector<std::size_t>& way) const {
    constexpr std::size_t most_shown = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(way.size(), most_shown); ++i) {
      text += spec_.layers[way[i]].name + " -> ";
    }
    if (way.size() > most_shown) text += "... -> ";
    return text + spec_.layers[way.front()].name;
  }

  const NetworkSpec& spec_;
  LayerGraph result_;
  Index index_;
  std::vector<std::vector<std::size_t>> readers_;  // of each layer
  std::vector<LaterReference> later_;
  std::size_t unknown_ = 0;
};

}  // namespace

LayerGraph connect_layers(const NetworkSpec& spec) { return Connector(spec).run(); }

}  // namespace tantalus

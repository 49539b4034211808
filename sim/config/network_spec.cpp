#include "sim/config/network_spec.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "sim/base/text.hpp"
#include "sim/config/document_header.hpp"

namespace tantalus {

namespace {

constexpr EnumName<LayerKind> kind_names[] = {
    {"conv2d", LayerKind::conv2d},
    {"linear", LayerKind::linear},
    {"matmul", LayerKind::matmul},
    {"max_pool", LayerKind::max_pool},
    {"avg_pool", LayerKind::avg_pool},
    {"global_avg_pool", LayerKind::global_avg_pool},
    {"relu", LayerKind::relu},
    {"gelu", LayerKind::gelu},
    {"tanh", LayerKind::tanh},
    {"sigmoid", LayerKind::sigmoid},
    {"softmax", LayerKind::softmax},
    {"lrn", LayerKind::lrn},
    {"batch_norm", LayerKind::batch_norm},
    {"layer_norm", LayerKind::layer_norm},
    {"add", LayerKind::add},
    {"mul", LayerKind::mul},
    {"concat", LayerKind::concat},
    {"flatten", LayerKind::flatten},
    {"dropout", LayerKind::dropout},
    {"embedding", LayerKind::embedding},
    {"scale", LayerKind::scale},
    {"mask", LayerKind::mask},
    {"slice", LayerKind::slice},
    {"split_heads", LayerKind::split_heads},
    {"merge_heads", LayerKind::merge_heads},
};

// Keys that may be written as a single value where a list is meant.
constexpr std::array<std::string_view, 5> one_or_many = {"from", "kernel", "stride", "pad",
                                                         "dilation"};

void wrap_single_values(YamlNode& map) {
  for (const std::string_view key : one_or_many) {
    YamlNode* value = map.find(key);
    if (value == nullptr || !value->is_scalar()) continue;
    YamlNode list = *value;
    list.kind = YamlNode::Kind::list;
    list.text.clear();
    list.items.push_back(std::move(*value));
    *value = std::move(list);
  }
}

std::string all_kinds() {
  std::string text;
  for (const auto& kind : kind_names) text += (text.empty() ? "" : ", ") + std::string(kind.name);
  return text;
}

// --------------------------------------------------------------------------------------- the file as a tree of entries

struct Block;

/// A layer or a block, as written: one of the two.
struct Entry {
  LayerSpec layer;           // when `block` is empty
  std::vector<Block> block;  // at most one; a vector because Block is not complete here
};

struct Block {
  BlockText text;
  std::string path;
  Place place, from_place;
  std::vector<Entry> entries;
};

class EntryReader {
 public:
  EntryReader(bool hypothetical, Diagnostics& found) : hypothetical_(hypothetical), found_(found) {}

  std::vector<Entry> read_list(const YamlNode& list, const std::string& path) {
    std::vector<Entry> entries;
    if (!list.is_list()) {
      report(error_at(list, "bad-type", path,
                      "expected a list of layers, not " + describe_node(list),
                      "write one '- {name: ..., kind: ...}' line a layer"));
      return entries;
    }
    if (list.items.empty()) {
      report(error_at(list, "empty-network", path, "there are no layers: no work to predict",
                      "write one '- {name: ..., kind: ...}' line a layer"));
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      read_entry(list.items[i], path + "." + std::to_string(i), entries);
    }
    return entries;
  }

 private:
  void read_entry(const YamlNode& node, const std::string& path, std::vector<Entry>& entries) {
    if (!node.is_map()) {
      report(error_at(node, "bad-type", path, "expected a layer, not " + describe_node(node),
                      "write {name: ..., kind: ...}"));
    } else if (node.find("layers") != nullptr) {
      read_block(node, path, entries);
    } else {
      read_layer(node, path, entries);
    }
  }

  void read_block(YamlNode node, const std::string& path, std::vector<Entry>& entries) {
    const YamlNode layers = take(node, "layers");
    wrap_single_values(node);
    Result<BlockText> text = read_spec<BlockText>(node, context(path));
    keep(text.diagnostics());
    Block block;
    block.path = path;
    block.place = {node.where, node.width};
    block.from_place = block.place;
    if (const YamlNode* from = find_path(node, "from.0"))
      block.from_place = {from->where, from->width};
    block.entries = read_list(layers, path + ".layers");
    if (text) block.text = std::move(text).value();
    entries.push_back({});
    entries.back().block.push_back(std::move(block));
  }

  void read_layer(YamlNode node, const std::string& path, std::vector<Entry>& entries) {
    const auto kind = kind_of(node, path);
    if (!kind) return;
    LayerSpec layer;
    layer.kind = *kind;
    layer.path = path;
    layer.place = {node.where, node.width};
    for (const YamlEntry& entry : node.entries) {
      layer.fields[entry.key] = {entry.value.where, entry.value.width};
    }
    wrap_single_values(node);
    note_items(node, layer);
    std::visit([&](auto body) { read_body<decltype(body)>(node, layer); }, empty_body(*kind));
    entries.push_back({std::move(layer), {}});
  }

  template <class Body>
  void read_body(const YamlNode& node, LayerSpec& layer) {
    Result<LayerText<Body>> text = read_spec<LayerText<Body>>(node, context(layer.path));
    keep(text.diagnostics());
    if (!text) return;
    layer.name = text->name;
    layer.from = text->from;
    layer.body = text->body;
  }

  void note_items(const YamlNode& node, LayerSpec& layer) {
    const YamlNode* from = node.find("from");
    if (from == nullptr) return;
    for (std::size_t i = 0; i < from->items.size(); ++i) {
      layer.fields["from." + std::to_string(i)] = {from->items[i].where, from->items[i].width};
    }
  }

  std::optional<LayerKind> kind_of(const YamlNode& node, const std::string& path) {
    const YamlNode* word = node.find("kind");
    const std::string at = path + ".kind";
    if (word == nullptr) {
      report(error_at(node, "missing-field", at, "must be written", "one of " + all_kinds()));
      return std::nullopt;
    }
    for (const auto& kind : kind_names) {
      if (word->is_scalar() && word->text == kind.name) return kind.value;
    }
    std::vector<std::string> words;
    for (const auto& kind : kind_names) words.emplace_back(kind.name);
    const std::string near = closest_word(word->text, words);
    report(error_at(*word, "unknown-word", at, describe_node(*word) + " is not a kind of layer",
                    near.empty() ? "one of " + all_kinds() : "did you mean '" + near + "'?"));
    return std::nullopt;
  }

  ReadContext context(const std::string& path) const {
    ReadContext context;
    context.path = path;
    context.hypothetical = hypothetical_;
    return context;
  }

  void report(Diagnostic diagnostic) { found_.push_back(std::move(diagnostic)); }
  void keep(const Diagnostics& more) { found_.insert(found_.end(), more.begin(), more.end()); }

  bool hypothetical_;
  Diagnostics& found_;
};

// ------------------------------------------------------------------------------------------------ writing blocks out

std::string copy_name(const BlockText& block, std::int64_t copy) {
  return block.repeat ? block.name + std::to_string(block.first + copy) : block.name;
}

class Expander {
 public:
  Expander(Diagnostics& found, std::vector<LayerSpec>& layers) : found_(found), layers_(layers) {}

  void expand_all(const std::vector<Entry>& entries) {
    declare(entries, "");
    if (!full_) expand(entries, {nullptr, "", std::string(input_name)});
  }

 private:
  /// Where a name is looked for: first among the layers whose full names begin with `prefix`, then around.
  struct Scope {
    const Scope* outer;
    std::string prefix;
    std::string input;  // full name of what enters
  };

  /// First pass: every full name, so that a name is known before its layer is written. Returns the last one.
  std::string declare(const std::vector<Entry>& entries, const std::string& prefix) {
    std::string last;
    for (const Entry& entry : entries) {
      if (full_) break;
      last = entry.block.empty() ? declare_layer(entry.layer, prefix)
                                 : declare_block(entry.block.front(), prefix);
    }
    return last;
  }

  std::string declare_layer(const LayerSpec& layer, const std::string& prefix) {
    count_ += 1 + layer.from.size() / 16;  // copies of long lists cost like copies of layers
    full_ = count_ > most_layers;
    std::string name = prefix + layer.name;
    names_.insert(name);
    return name;
  }

  std::string declare_block(const Block& block, const std::string& prefix) {
    std::string last;
    for (std::int64_t copy = 0; copy < block.text.repeat.value_or(1) && !full_; ++copy) {
      const std::string name = prefix + copy_name(block.text, copy);
      last = declare(block.entries, name + ".");
      last_of_.emplace(name, last);
    }
    if (full_ && !reported_) {
      found_.push_back(
          {Severity::error, "too-many-layers", block.place.where, block.path,
           "written out, the network has more than " + std::to_string(most_layers) + " layers",
           "repeat less often", block.place.width});
      reported_ = true;
    }
    last_of_.emplace(prefix + block.text.name, last);
    return last;
  }

  /// Second pass: the layers, in order, each with the full names of what it reads. Returns the last layer's name.
  std::string expand(const std::vector<Entry>& entries, const Scope& scope) {
    std::string before = scope.input;
    for (const Entry& entry : entries) {
      before = entry.block.empty() ? expand_layer(entry.layer, scope, before)
                                   : expand_block(entry.block.front(), scope, before);
    }
    return before;
  }

  std::string expand_layer(LayerSpec layer, const Scope& scope, const std::string& before) {
    layer.name = scope.prefix + layer.name;
    for (std::string& from : layer.from) from = resolve(from, scope);
    if (layer.from.empty()) layer.from.push_back(before);
    resolve_weights(layer.body, scope);
    layers_.push_back(std::move(layer));
    return layers_.back().name;
  }

  std::string expand_block(const Block& block, const Scope& scope, std::string before) {
    if (!block.text.from.empty()) before = resolve(block.text.from.front(), scope);
    for (std::int64_t copy = 0; copy < block.text.repeat.value_or(1); ++copy) {
      const std::string prefix = scope.prefix + copy_name(block.text, copy) + ".";
      before = expand(block.entries, {&scope, prefix, before});
    }
    return before;
  }

  void resolve_weights(LayerBody& body, const Scope& scope) {
    std::string* weights = nullptr;
    if (auto* conv = std::get_if<Conv2dSpec>(&body)) weights = &conv->weights;
    if (auto* linear = std::get_if<LinearSpec>(&body)) weights = &linear->weights;
    if (weights != nullptr && !weights->empty()) *weights = resolve(*weights, scope);
  }

  /// The full name, or the word itself when nothing is called so: infer() says so with the nearest name.
  std::string resolve(const std::string& name, const Scope& scope) const {
    if (name == input_name) return scope.input;
    for (const Scope* at = &scope; at != nullptr; at = at->outer) {
      std::string full = at->prefix + name;
      if (names_.count(full) != 0) return full;
      if (const auto block = last_of_.find(full); block != last_of_.end()) return block->second;
    }
    return name;
  }

  Diagnostics& found_;
  std::vector<LayerSpec>& layers_;
  std::set<std::string> names_;
  std::map<std::string, std::string> last_of_;  // a block's or a copy's name to its last layer
  std::size_t count_ = 0;
  bool full_ = false, reported_ = false;
};

// ------------------------------------------------------------------------------------------------------ the whole file

Result<NetworkText> read_frame(const Document& document) {
  YamlNode body = document.body;
  if (YamlNode* layers = body.find("layers")) {
    layers->kind = YamlNode::Kind::list;
    layers->items.clear();
    layers->entries.clear();
    layers->text.clear();
  }
  ReadContext context = reading(document);
  return read_spec<NetworkText>(body, context);
}

std::vector<Entry> read_layers(const Document& document, Diagnostics& found) {
  const YamlNode* layers = document.body.find("layers");
  if (layers == nullptr) {
    found.push_back(error_at(
        document.body, "empty-network", "layers", "there are no layers: no work to predict",
        "write 'layers:' and below it one '- {name: ..., kind: ...}' a layer"));
    return {};
  }
  return EntryReader(document.hypothetical, found).read_list(*layers, "layers");
}

void place_frame(const Document& document, NetworkSpec& network) {
  const YamlNode& body = document.body;
  network.place = {body.where, body.width};
  if (const YamlNode* input = body.find("input")) {
    network.input.place = {input->where, input->width};
  }
  if (const YamlNode* classes = body.find("classes")) {
    network.classes_place = {classes->where, classes->width};
  }
  network.source = document.sources.of("layers");
}

void check_extent(std::string_view key, const Extent& extent, SpecChecker& checker) {
  if (extent.size() > 2) {
    checker.contradictory(key, "bad-length", "has " + std::to_string(extent.size()) + " numbers",
                          "write one number, or [height, width]");
  }
}

void check_kernel(const Extent& kernel, SpecChecker& checker) {
  if (kernel.empty()) {
    checker.contradictory("kernel", "missing-field", "must be written",
                          "it is the size of the window: one number, or [height, width]");
  }
  check_extent("kernel", kernel, checker);
}

constexpr std::size_t longest_name = 200;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/';
}

}  // namespace

std::string_view name_of(LayerKind kind) {
  for (const auto& known : kind_names) {
    if (known.value == kind) return known.name;
  }
  return "layer";
}

std::span<const EnumName<LayerKind>> layer_kinds() { return kind_names; }

LayerBody empty_body(LayerKind kind) {
  switch (kind) {
    case LayerKind::conv2d:
      return Conv2dSpec{};
    case LayerKind::linear:
      return LinearSpec{};
    case LayerKind::matmul:
      return MatmulSpec{};
    case LayerKind::max_pool:
    case LayerKind::avg_pool:
      return PoolSpec{};
    case LayerKind::lrn:
      return LrnSpec{};
    case LayerKind::embedding:
      return EmbeddingSpec{};
    case LayerKind::slice:
      return SliceSpec{};
    case LayerKind::split_heads:
      return HeadsSpec{};
    default:
      return NoFields{};
  }
}

const Place& LayerSpec::place_of(const std::string& field) const {
  const auto written = fields.find(field);
  return written == fields.end() ? place : written->second;
}

void check_layer_name(const std::string& name, SpecChecker& checker) {
  if (name == input_name) {
    checker.contradictory("name", "bad-name", "'input' already means what enters the network",
                          "choose another name");
  } else if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_character)) {
    checker.contradictory("name", "bad-name", "a name is letters, digits and _ - . /",
                          "write it without spaces and other signs");
  } else if (name.size() > longest_name) {
    checker.contradictory("name", "bad-name",
                          "a name has at most " + std::to_string(longest_name) + " letters",
                          "choose a shorter one");
  }
}

void check_references(const std::vector<std::string>& from, SpecChecker& checker) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].size() <= longest_name) continue;
    checker.contradictory("from." + std::to_string(i), "bad-name",
                          "a name has at most " + std::to_string(longest_name) + " letters",
                          "write the name of a layer");
  }
}

void check(const BlockText& block, SpecChecker& checker) {
  check_layer_name(block.name, checker);
  check_references(block.from, checker);
  if (block.from.size() > 1) {
    checker.contradictory("from", "bad-length", "a block has one input",
                          "its layers may name the layers around it");
  }
}

void check(const Conv2dSpec& spec, SpecChecker& checker) {
  check_kernel(spec.kernel, checker);
  check_extent("stride", spec.stride, checker);
  check_extent("pad", spec.pad, checker);
  check_extent("dilation", spec.dilation, checker);
}

void check(const PoolSpec& spec, SpecChecker& checker) {
  check_kernel(spec.kernel, checker);
  check_extent("stride", spec.stride, checker);
  check_extent("pad", spec.pad, checker);
}

void check(const SliceSpec& spec, SpecChecker& checker) {
  if (spec.part >= spec.parts) {
    checker.contradictory("part", "out-of-range",
                          "part " + std::to_string(spec.part) + " of " +
                              std::to_string(spec.parts) + " does not exist",
                          "parts count from 0");
  }
}

void check(const InputSpec& spec, SpecChecker& checker) {
  const int written =
      (spec.image.empty() ? 0 : 1) + (spec.features ? 1 : 0) + (spec.tokens ? 1 : 0);
  if (written != 1) {
    checker.contradictory(
        "", "bad-input", "says " + std::to_string(written) + " shapes",
        "write one of {image: [channels, height, width]}, {features: N}, {tokens: N}");
  } else if (!spec.image.empty() && spec.image.size() != 3) {
    checker.contradictory("image", "bad-length",
                          "has " + std::to_string(spec.image.size()) + " numbers",
                          "write [channels, height, width]");
  }
}

Result<NetworkSpec> network_from(const Document& document) {
  Result<NetworkText> frame = read_frame(document);
  Diagnostics found = frame.diagnostics();
  const std::vector<Entry> entries = read_layers(document, found);

  NetworkSpec network;
  if (!has_errors(found)) Expander(found, network.layers).expand_all(entries);
  sort_by_place(found);
  if (has_errors(found)) return found;
  network.name = frame->name;
  network.input = frame->input;
  network.classes = frame->classes;
  place_frame(document, network);
  return {std::move(network), std::move(found)};
}

Result<NetworkSpec> read_network(std::string_view text, const std::string& file) {
  Result<Document> document = read_document(text, file, "network");
  if (!document) return document.diagnostics();
  return network_from(*document);
}

}  // namespace tantalus

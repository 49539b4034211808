// A network file (`tantalus: network/1`) as typed layers, flat and in order: `repeat` blocks are written out, every `from` is a
// full layer name. It knows the text of a layer, not its arithmetic: shapes, and whether the layers fit together, are the
// business of models/dnn (infer), which reports at the places kept here.
//
//   layers:
//     - {name: conv1, kind: conv2d, out: 6, kernel: 5}
//     - {name: relu1, kind: relu}
//     - {repeat: 2, name: block, layers: [ ... , {name: join, kind: add, from: [bn, input]}]}    -> block0.bn, block1.join
//
// A layer reads the layer written before it unless it says `from`. Inside a block `from` first means the layers of the same
// copy, then those around it; `input` is what enters the copy (at the top: the network's input).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

struct Document;

enum class LayerKind : std::uint8_t {
  conv2d,
  linear,
  matmul,
  max_pool,
  avg_pool,
  global_avg_pool,
  relu,
  gelu,
  tanh,
  sigmoid,
  softmax,
  lrn,
  batch_norm,
  layer_norm,
  add,
  mul,
  concat,
  flatten,
  dropout,
  embedding,
  scale,
  mask,
  slice,
  split_heads,
  merge_heads,
};
/// "conv2d", ...: the word of `kind:` and of every report.
std::string_view name_of(LayerKind kind);
std::span<const EnumName<LayerKind>> layer_kinds();

// ------------------------------------------------------------------------------------------ what a kind adds to a layer
// One number, or [height, width]; an empty list takes the default named in the documentation line.
using Extent = std::vector<std::int64_t>;

struct Conv2dSpec {
  std::int64_t out = 0;
  Extent kernel, stride, pad, dilation;
  std::int64_t groups = 1;
  bool bias = true;
  std::string weights;  // a layer whose weights and bias this one shares; "" for its own
};
struct LinearSpec {
  std::int64_t out = 0;
  bool bias = true;
  std::string weights;  // a linear or embedding layer whose table this one shares
};
struct MatmulSpec {
  bool transpose_a = false, transpose_b = false;
};
enum class Rounding : std::uint8_t { floor, ceil };
struct PoolSpec {
  Extent kernel, stride, pad;
  Rounding rounding = Rounding::floor;
};
struct LrnSpec {
  std::int64_t size = 5;
};
struct EmbeddingSpec {
  std::int64_t rows = 0, width = 0;
};
struct SliceSpec {
  std::int64_t parts = 0, part = 0;
};
struct HeadsSpec {
  std::int64_t heads = 0;
};
struct NoFields {};

using LayerBody = std::variant<NoFields, Conv2dSpec, LinearSpec, MatmulSpec, PoolSpec, LrnSpec,
                               EmbeddingSpec, SliceSpec, HeadsSpec>;

/// Where a piece of text lies, for a Diagnostic about it.
struct Place {
  SourcePos where;
  int width = 1;
};

/// One layer of the written-out network. Hand-built ones (tests, the ONNX importer) may leave the places empty.
struct LayerSpec {
  std::string name;
  LayerKind kind = LayerKind::relu;
  LayerBody body;
  std::vector<std::string> from;  // full layer names or `input`; empty: the layer before
  std::string path;               // "layers.3"
  Place place;                    // of the whole layer
  std::map<std::string, Place>
      fields;  // of the value of each written field ("from.1" for its items)

  /// The place of a field, or the layer's when it is not written.
  const Place& place_of(const std::string& field) const;
};

/// What one sample looks like. Exactly one of the three is set.
struct InputSpec {
  std::vector<std::int64_t> image;       // channels, height, width
  std::optional<std::int64_t> features;  // a vector
  std::optional<std::int64_t> tokens;    // a sequence of word numbers
  Place place;
  std::string path = "input";
};

struct NetworkSpec {
  std::string name;
  std::string source;  // the file's `sources:` text for the network as a whole
  InputSpec input;
  std::optional<std::int64_t> classes;  // checked against the last layer
  std::vector<LayerSpec> layers;
  Place place;          // of the file's body
  Place classes_place;  // of the value of `classes`
};

/// The name by which layers call the network's (or the block's) input.
inline constexpr std::string_view input_name = "input";

/// More layers than any real network has, and few enough to answer for quickly.
inline constexpr std::size_t most_layers = 20'000;

/// From a text. All mistakes of the file's layers are reported together; what needs shapes is left to infer().
Result<NetworkSpec> read_network(std::string_view text, const std::string& file);

/// The same from a document whose header was read (document_header.hpp), for instance after `--set`.
Result<NetworkSpec> network_from(const Document& document);

// ------------------------------------------------------------------------------------------------------- describe, once

template <class Visitor>
void describe(Visitor&, NoFields&) {}

template <class Visitor>
void describe(Visitor& v, Conv2dSpec& s) {
  v.required("out", s.out, positive, "output channels");
  v.list("kernel", s.kernel, positive, "size of the window: one number, or [height, width]");
  v.list("stride", s.stride, positive, "step of the window; 1 when not written");
  v.list("pad", s.pad, not_negative, "zeros added on each side; 0 when not written");
  v.list("dilation", s.dilation, positive, "distance between taps; 1 when not written");
  v.defaulted("groups", s.groups, positive, "groups of channels that do not see each other");
  v.defaulted("bias", s.bias, any_value, "adds one number per output channel");
  v.defaulted("weights", s.weights, any_value,
              "an earlier conv2d layer whose weights this one shares");
}

template <class Visitor>
void describe(Visitor& v, LinearSpec& s) {
  v.required("out", s.out, positive, "outputs for each row of the last dimension");
  v.defaulted("bias", s.bias, any_value, "adds one number per output");
  v.defaulted("weights", s.weights, any_value,
              "an earlier linear or embedding layer whose weights this one shares");
}

template <class Visitor>
void describe(Visitor& v, MatmulSpec& s) {
  v.defaulted("transpose_a", s.transpose_a, any_value, "uses the first input transposed");
  v.defaulted("transpose_b", s.transpose_b, any_value, "uses the second input transposed");
}

inline constexpr EnumName<Rounding> rounding_names[] = {{"floor", Rounding::floor},
                                                        {"ceil", Rounding::ceil}};

template <class Visitor>
void describe(Visitor& v, PoolSpec& s) {
  v.list("kernel", s.kernel, positive, "size of the window: one number, or [height, width]");
  v.list("stride", s.stride, positive, "step of the window; the kernel when not written");
  v.list("pad", s.pad, not_negative, "rows and columns added on each side; 0 when not written");
  v.choice("rounding", s.rounding, rounding_names,
           "whether a window that only partly fits is dropped (floor) or kept (ceil)");
}

template <class Visitor>
void describe(Visitor& v, LrnSpec& s) {
  v.defaulted("size", s.size, positive, "neighbouring channels in a sum");
}

template <class Visitor>
void describe(Visitor& v, EmbeddingSpec& s) {
  v.required("rows", s.rows, positive, "rows of the table: the vocabulary");
  v.required("width", s.width, positive, "numbers a row");
}

template <class Visitor>
void describe(Visitor& v, SliceSpec& s) {
  v.required("parts", s.parts, positive, "equal parts that the last dimension is cut into");
  v.required("part", s.part, not_negative, "which of them, from 0");
}

template <class Visitor>
void describe(Visitor& v, HeadsSpec& s) {
  v.required("heads", s.heads, positive, "attention heads that share the last dimension");
}

/// One entry of `layers:` as it is written; `from` may also be a single name.
template <class Body>
struct LayerText {
  std::string name, kind;
  std::vector<std::string> from;
  Body body;
};

template <class Visitor, class Body>
void describe(Visitor& v, LayerText<Body>& s) {
  v.required("name", s.name, any_value, "layer's name, unique in the network");
  v.required("kind", s.kind, any_value, "kind of layer");
  v.list("from", s.from, any_value, "layers it reads; the one before when not written");
  describe(v, s.body);
}

/// An entry of `layers:` that holds layers: a group, or with `repeat` so many copies named name0., name1., ...
struct BlockText {
  std::string name;
  std::optional<std::int64_t> repeat;
  std::int64_t first = 0;
  std::vector<std::string> from;
};

template <class Visitor>
void describe(Visitor& v, BlockText& s) {
  v.required("name", s.name, any_value, "block's name, what its layers' names begin with");
  v.optional("repeat", s.repeat, within(1, 10'000), "copies, numbered name0., name1., ...");
  v.defaulted("first", s.first, not_negative, "number of the first copy");
  v.list("from", s.from, any_value,
         "layer that enters the first copy; the one before when not written");
}

template <class Visitor>
void describe(Visitor& v, InputSpec& s) {
  v.list("image", s.image, positive, "channels, height and width of a picture");
  v.optional("features", s.features, positive, "length of a vector");
  v.optional("tokens", s.tokens, positive, "length of a sequence of word numbers");
}

/// The fields of a network file around its layers.
struct NetworkText {
  std::string name;
  InputSpec input;
  std::optional<std::int64_t> classes;
  std::vector<std::string> layers;  // read apart, each by its kind; always empty here
};

template <class Visitor>
void describe(Visitor& v, NetworkText& s) {
  v.text("name", s.name, "what people call it");
  v.section("input", s.input, "shape of one sample");
  v.optional("classes", s.classes, positive, "outputs of the last layer, as a check");
  v.list("layers", s.layers, any_value,
         "layers, in order: each a map with a name and a kind, or a block");
}

inline void check(const NoFields&, SpecChecker&) {}
inline void check(const LinearSpec&, SpecChecker&) {}
inline void check(const MatmulSpec&, SpecChecker&) {}
inline void check(const LrnSpec&, SpecChecker&) {}
inline void check(const EmbeddingSpec&, SpecChecker&) {}
inline void check(const HeadsSpec&, SpecChecker&) {}
void check(const Conv2dSpec& spec, SpecChecker& checker);
void check(const PoolSpec& spec, SpecChecker& checker);
void check(const SliceSpec& spec, SpecChecker& checker);
void check(const InputSpec& spec, SpecChecker& checker);
void check(const BlockText& block, SpecChecker& checker);
void check_layer_name(const std::string& name, SpecChecker& checker);
void check_references(const std::vector<std::string>& from, SpecChecker& checker);

/// The check of a kind applies to the whole entry, because its fields stand beside `name` and `kind`.
template <class Body>
void check(const LayerText<Body>& layer, SpecChecker& checker) {
  check_layer_name(layer.name, checker);
  check_references(layer.from, checker);
  check(layer.body, checker);
}

/// The fields of a kind with their defaults.
LayerBody empty_body(LayerKind kind);

/// Calls visit(kind, LayerText<Body>&) for every kind, with a fresh entry: what the reference page walks.
template <class Visit>
void for_each_layer_kind(Visit&& visit) {
  for (const auto& kind : layer_kinds()) {
    std::visit(
        [&](auto body) {
          LayerText<decltype(body)> layer;
          visit(kind.value, layer);
        },
        empty_body(kind.value));
  }
}

}  // namespace tantalus

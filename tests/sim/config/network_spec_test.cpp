// Reading a network file: layers with their places, blocks written out, and the mistakes of its text. Whether layers fit
// together is tested in tests/models/dnn.
#include "sim/config/network_spec.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/config/texts.hpp"

namespace tantalus {
namespace {

std::string file_with(const std::string& layers) {
  return "tantalus: network/1\nname: test\ninput: {image: [1, 28, 28]}\nlayers:\n" + layers;
}

NetworkSpec good(const std::string& text) {
  Result<NetworkSpec> spec = read_network(text, "net.yaml");
  INFO(all_rendered(spec.diagnostics()));
  REQUIRE(spec.ok());
  return std::move(spec).value();
}

Diagnostics mistakes(const std::string& text) {
  const Result<NetworkSpec> spec = read_network(text, "net.yaml");
  REQUIRE_FALSE(spec.ok());
  return spec.diagnostics();
}

Diagnostic only(const std::string& text) {
  const Diagnostics found = mistakes(text);
  INFO(all_rendered(found));
  REQUIRE(found.size() == 1);
  return found.front();
}

std::vector<std::string> names_of(const NetworkSpec& spec) {
  std::vector<std::string> names;
  for (const LayerSpec& layer : spec.layers) names.push_back(layer.name);
  return names;
}

TEST_CASE("a layer line becomes a typed layer with the place of each field") {
  const NetworkSpec spec =
      good(file_with("  - {name: c, kind: conv2d, out: 6, kernel: 5, pad: [2, 1]}\n"));
  REQUIRE(spec.layers.size() == 1);
  const LayerSpec& layer = spec.layers[0];
  const auto& conv = std::get<Conv2dSpec>(layer.body);
  CHECK(layer.kind == LayerKind::conv2d);
  CHECK(conv.out == 6);
  CHECK(conv.kernel == Extent{5});
  CHECK(conv.pad == Extent{2, 1});
  CHECK(conv.stride.empty());
  CHECK(conv.bias);
  CHECK(layer.path == "layers.0");
  CHECK(layer.place_of("out").where == SourcePos{"net.yaml", 5, 34});
  CHECK(layer.place_of("stride").where == layer.place.where);  // not written: the layer's own
}

TEST_CASE("a layer without `from` reads the layer before it, the first one the input") {
  const NetworkSpec spec =
      good(file_with("  - {name: a, kind: relu}\n  - {name: b, kind: relu}\n"));
  CHECK(spec.layers[0].from == std::vector<std::string>{"input"});
  CHECK(spec.layers[1].from == std::vector<std::string>{"a"});
}

TEST_CASE("`from` takes one name or a list") {
  const NetworkSpec spec =
      good(file_with("  - {name: a, kind: relu}\n"
                     "  - {name: b, kind: relu, from: input}\n"
                     "  - {name: c, kind: add, from: [a, b]}\n"));
  CHECK(spec.layers[1].from == std::vector<std::string>{"input"});
  CHECK(spec.layers[2].from == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a repeated block is written out, each copy reading the one before") {
  const NetworkSpec spec =
      good(file_with("  - {name: stem, kind: relu}\n"
                     "  - name: h\n"
                     "    repeat: 2\n"
                     "    layers:\n"
                     "      - {name: a, kind: relu}\n"
                     "      - {name: b, kind: add, from: [a, input]}\n"
                     "  - {name: head, kind: relu}\n"));
  CHECK(names_of(spec) == std::vector<std::string>{"stem", "h0.a", "h0.b", "h1.a", "h1.b", "head"});
  CHECK(spec.layers[1].from == std::vector<std::string>{"stem"});
  CHECK(spec.layers[2].from == std::vector<std::string>{"h0.a", "stem"});
  CHECK(spec.layers[3].from == std::vector<std::string>{"h0.b"});
  CHECK(spec.layers[4].from == std::vector<std::string>{"h1.a", "h0.b"});
  CHECK(spec.layers[5].from == std::vector<std::string>{"h1.b"});
}

TEST_CASE("a block without `repeat` is a group, and copies may count from another number") {
  const NetworkSpec spec =
      good(file_with("  - {name: g, layers: [{name: a, kind: relu}]}\n"
                     "  - {name: s., repeat: 2, first: 3, layers: [{name: a, kind: relu}]}\n"));
  CHECK(names_of(spec) == std::vector<std::string>{"g.a", "s.3.a", "s.4.a"});
}

TEST_CASE("blocks nest, and inner names come before outer ones") {
  const NetworkSpec spec =
      good(file_with("  - {name: a, kind: relu}\n"
                     "  - name: o\n"
                     "    layers:\n"
                     "      - {name: a, kind: relu}\n"
                     "      - name: i\n"
                     "        layers:\n"
                     "          - {name: b, kind: relu, from: a}\n"
                     "  - {name: c, kind: add, from: [a, o.i.b]}\n"));
  CHECK(spec.layers[2].name == "o.i.b");
  CHECK(spec.layers[2].from == std::vector<std::string>{"o.a"});
  CHECK(spec.layers[3].from == std::vector<std::string>{"a", "o.i.b"});
}

TEST_CASE("shared weights are named like any layer, from where the layer stands") {
  const NetworkSpec spec =
      good(file_with("  - {name: t, kind: linear, out: 4}\n"
                     "  - {name: g, layers: [{name: u, kind: linear, out: 4, weights: t}]}\n"));
  CHECK(std::get<LinearSpec>(spec.layers[1].body).weights == "t");
}

TEST_CASE("several mistakes in several layers are told at once, each in its place") {
  const Diagnostics found =
      mistakes(file_with("  - {name: a, kind: conv2d, out: 6, kernal: 5}\n"
                         "  - {name: b, kind: rellu}\n"
                         "  - {name: c}\n"
                         "  - {kind: linear, out: -3}\n"
                         "  - relu\n"));
  CHECK(codes_of(found).find("unknown-key") != std::string::npos);
  CHECK(codes_of(found).find("unknown-word") != std::string::npos);
  CHECK(codes_of(found).find("out-of-range") != std::string::npos);
  CHECK(codes_of(found).find("bad-type") != std::string::npos);
  for (const Diagnostic& d : found) CHECK(d.where.line >= 5);
}

TEST_CASE("a misspelt kind and a misspelt field get the nearest word") {
  CHECK(only(file_with("  - {name: b, kind: con2d}\n")).hint == "did you mean 'conv2d'?");
  CHECK(only(file_with("  - {name: b, kind: linear, out: 4, biass: false}\n")).hint ==
        "did you mean 'bias'?");
}

TEST_CASE("a convolution must say its kernel") {
  const Diagnostic d = only(file_with("  - {name: c, kind: conv2d, out: 6}\n"));
  CHECK(d.code == "missing-field");
  CHECK(d.path == "layers.0.kernel");
}

TEST_CASE("a field of another kind is unknown here") {
  CHECK(only(file_with("  - {name: r, kind: relu, kernel: 3}\n")).code == "unknown-key");
}

TEST_CASE("a file without layers, or with none in the list, is no work and no network") {
  const std::string head = "tantalus: network/1\ninput: {features: 3}\n";
  CHECK(only(head).code == "empty-network");
  CHECK(only(head + "layers: []\n").code == "empty-network");
  CHECK(only(head + "layers:\n  - {name: g, layers: []}\n").code == "empty-network");
}

TEST_CASE("the input is one of an image, a vector or word numbers") {
  const std::string layers = "layers:\n  - {name: r, kind: relu}\n";
  const auto with = [&layers](const std::string& input) {
    return "tantalus: network/1\ninput: " + input + "\n" + layers;
  };
  CHECK(good(with("{tokens: 1024}")).input.tokens == 1024);
  CHECK(good(with("{features: 784}")).input.features == 784);
  CHECK(only(with("{features: 784, tokens: 3}")).code == "bad-input");
  CHECK(only(with("{image: [28, 28]}")).code == "bad-length");
  CHECK(only(with("{image: [1, 28, 5.6]}")).where.column == 24);
}

TEST_CASE("names are short words without spaces, and `input` is taken") {
  CHECK(only(file_with("  - {name: input, kind: relu}\n")).code == "bad-name");
  CHECK(only(file_with("  - {name: a b, kind: relu}\n")).code == "bad-name");
  CHECK(only(file_with("  - {name: " + std::string(300, 'x') + ", kind: relu}\n")).code ==
        "bad-name");
}

TEST_CASE("blocks that multiply past all sense are refused quickly") {
  std::string text = "  - {name: r, kind: relu}\n";
  for (int depth = 0; depth < 8; ++depth) {
    std::string indented;
    std::size_t from = 0;
    while (from < text.size()) {
      const std::size_t end = text.find('\n', from) + 1;
      indented += "    " + text.substr(from, end - from);
      from = end;
    }
    text = "  - name: b\n    repeat: 10000\n    layers:\n" + indented;
  }
  const Diagnostic d = only(file_with(text));
  CHECK(d.code == "too-many-layers");
}

TEST_CASE("every kind of layer has a word, fields and a body of its own") {
  std::size_t kinds = 0;
  for_each_layer_kind([&kinds](LayerKind kind, const auto& layer) {
    CHECK(name_of(kind) != "layer");
    CHECK(layer.from.empty());
    ++kinds;
  });
  CHECK(kinds == 25);
}

}  // namespace
}  // namespace tantalus

#include "models/dnn/layer_graph.hpp"

#include <string>

#include "tests/models/dnn/networks.hpp"

namespace tantalus {
namespace {

const std::string image = "{image: [3, 8, 8]}";

Diagnostic mistake_in(const std::string& layers) { return only_mistake(file_with(image, layers)); }

TEST_CASE("a layer reads the layer before it, or those it names") {
  const Network network = good_network(file_with(image,
                                                 "  - {name: a, kind: relu}\n"
                                                 "  - {name: b, kind: relu}\n"
                                                 "  - {name: c, kind: add, from: [a, b]}\n"
                                                 "  - {name: d, kind: relu, from: input}\n"));
  CHECK(network.layers[1].inputs == std::vector<std::size_t>{1});
  CHECK(network.layers[2].inputs == std::vector<std::size_t>{1, 2});
  CHECK(network.layers[3].inputs == std::vector<std::size_t>{0});
}

TEST_CASE("an unknown layer name is reported at the name, with the nearest one") {
  const Diagnostic d = mistake_in(
      "  - {name: relu1, kind: relu}\n"
      "  - {name: join, kind: add, from: [relu1, relu2x]}\n");
  CHECK(d.code == "unknown-layer");
  CHECK(d.where == SourcePos{"net.yaml", 6, 43});
  CHECK(d.path == "layers.1.from.1");
  CHECK(d.message == "join: there is no layer 'relu2x'");
  CHECK(d.hint == "did you mean 'relu1'?");
}

TEST_CASE("inside a block the nearest name is the one written there") {
  const Diagnostic d = mistake_in(
      "  - name: block\n"
      "    repeat: 3\n"
      "    layers:\n"
      "      - {name: conv, kind: relu}\n"
      "      - {name: join, kind: add, from: [conb, input]}\n");
  CHECK(d.code == "unknown-layer");  // once, not three times
  CHECK(d.where == SourcePos{"net.yaml", 9, 40});
  CHECK(d.hint == "did you mean 'conv'?");
}

TEST_CASE("two layers of one name are refused at the second, naming the line of the first") {
  const Diagnostic d = mistake_in(
      "  - {name: a, kind: relu}\n"
      "  - {name: a, kind: tanh}\n");
  CHECK(d.code == "duplicate-layer");
  CHECK(d.where == SourcePos{"net.yaml", 6, 12});
  CHECK(d.message == "a: another layer has this name (line 5)");
}

TEST_CASE("a reference to a layer further down says where to move it") {
  const Diagnostic d = mistake_in(
      "  - {name: a, kind: relu, from: b}\n"
      "  - {name: b, kind: relu, from: input}\n");
  CHECK(d.code == "forward-reference");
  CHECK(d.where.line == 5);
  CHECK(d.hint == "move 'b' above 'a'");
}

TEST_CASE("a cycle is named from layer to layer") {
  const Diagnostic d = mistake_in(
      "  - {name: a, kind: add, from: [input, c]}\n"
      "  - {name: b, kind: relu}\n"
      "  - {name: c, kind: relu}\n");
  CHECK(d.code == "cycle");
  CHECK(d.message == "a: layers wait for each other: a -> b -> c -> a");
}

TEST_CASE("a layer that reads itself is a cycle of one") {
  const Diagnostic d = mistake_in("  - {name: a, kind: relu, from: a}\n");
  CHECK(d.code == "cycle");
  CHECK(d.message == "a: layers wait for each other: a -> a");
}

TEST_CASE("weights are shared with an earlier layer only") {
  const Diagnostic d = mistake_in(
      "  - {name: a, kind: conv2d, out: 3, kernel: 1, weights: b}\n"
      "  - {name: b, kind: conv2d, out: 3, kernel: 1}\n");
  CHECK(d.code == "forward-reference");
  CHECK(d.path == "layers.0.weights");
}

TEST_CASE("names of blocks stand for their last layer") {
  const Network network =
      good_network(file_with(image,
                             "  - name: left\n"
                             "    layers:\n"
                             "      - {name: a, kind: relu}\n"
                             "      - {name: b, kind: relu}\n"
                             "  - name: right\n"
                             "    repeat: 2\n"
                             "    from: input\n"
                             "    layers:\n"
                             "      - {name: c, kind: relu}\n"
                             "  - {name: join, kind: add, from: [left, right]}\n"
                             "  - {name: other, kind: add, from: [left.a, right0]}\n"));
  const auto names = [&network](std::size_t layer) {
    std::string text;
    for (const std::size_t i : network.layers[layer].inputs)
      text += network.activations[i].name + " ";
    return text;
  };
  CHECK(names(2) == "input ");     // right0.c
  CHECK(names(3) == "right0.c ");  // right1.c
  CHECK(names(4) == "left.b right1.c ");
  CHECK(names(5) == "left.a right0.c ");
}

}  // namespace
}  // namespace tantalus

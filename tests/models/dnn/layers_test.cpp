#include "models/dnn/layers.hpp"

#include <string>

#include "tests/models/dnn/networks.hpp"

namespace tantalus {
namespace {

const std::string image = "{image: [4, 9, 7]}";

/// The output of the last layer, as words.
std::string output_of(const std::string& input, const std::string& layers) {
  return to_text(good_network(file_with(input, layers)).activations.back().shape);
}

Diagnostic mistake_of(const std::string& input, const std::string& layers) {
  return only_mistake(file_with(input, layers));
}

TEST_CASE("a convolution takes kernel, stride, padding and dilation for each axis") {
  // Height: (9 + 2 - 3) / 2 + 1 = 5. Width: (7 + 0 - 5) / 1 + 1 = 3, because dilation 2 makes a kernel of 3 span 5.
  CHECK(output_of(image,
                  "  - {name: c, kind: conv2d, out: 8, kernel: 3, stride: [2, 1], pad: [1, 0], "
                  "dilation: [1, 2]}\n") == "8 x 5 x 3 image");
}

TEST_CASE("groups divide the weights and the multiply-adds of a convolution") {
  const Network network = good_network(
      file_with(image, "  - {name: c, kind: conv2d, out: 8, kernel: 3, pad: 1, groups: 4}\n"));
  CHECK(network.parameter_count() == 8 * 1 * 9 + 8);
  CHECK(network.macs() == 8 * 9 * 7 * 9);
}

TEST_CASE("a convolution without bias has none, and adds nothing") {
  const Network network = good_network(
      file_with(image, "  - {name: c, kind: conv2d, out: 8, kernel: 1, bias: false}\n"));
  CHECK(network.parameter_count() == 32);
  CHECK(network.layers[0].other_ops == 0);
}

TEST_CASE("pooling steps by its kernel unless it says a stride, and can round up") {
  CHECK(output_of(image, "  - {name: p, kind: max_pool, kernel: 2}\n") == "4 x 4 x 3 image");
  CHECK(output_of(image, "  - {name: p, kind: max_pool, kernel: 2, rounding: ceil}\n") ==
        "4 x 5 x 4 image");
  CHECK(output_of(image, "  - {name: p, kind: avg_pool, kernel: 3, stride: 2, pad: 1}\n") ==
        "4 x 5 x 4 image");
  CHECK(output_of(image, "  - {name: p, kind: global_avg_pool}\n") == "4 x 1 x 1 image");
}

TEST_CASE("a linear layer reads an image as one vector, and a sequence row by row") {
  const Network flat = good_network(file_with(image, "  - {name: f, kind: linear, out: 10}\n"));
  CHECK(flat.parameter_count() == 4 * 9 * 7 * 10 + 10);
  CHECK(to_text(flat.activations.back().shape) == "vector of 10");

  const Network rows = good_network(file_with("{tokens: 5}",
                                              "  - {name: e, kind: embedding, rows: 11, width: 6}\n"
                                              "  - {name: f, kind: linear, out: 10}\n"));
  CHECK(rows.parameter_count() == 66 + 70);
  CHECK(rows.macs() == 5 * 6 * 10);
  CHECK(to_text(rows.activations.back().shape) == "5 x 10 sequence");
}

TEST_CASE("attention splits a sequence into heads, multiplies them and merges them again") {
  const Network network =
      good_network(file_with("{tokens: 5}",
                             "  - {name: e, kind: embedding, rows: 11, width: 12}\n"
                             "  - {name: q, kind: slice, parts: 3, part: 0}\n"
                             "  - {name: k, kind: slice, from: e, parts: 3, part: 1}\n"
                             "  - {name: qh, kind: split_heads, heads: 2, from: q}\n"
                             "  - {name: kh, kind: split_heads, heads: 2, from: k}\n"
                             "  - {name: s, kind: matmul, from: [qh, kh], transpose_b: true}\n"
                             "  - {name: c, kind: matmul, from: [s, kh]}\n"
                             "  - {name: m, kind: merge_heads}\n"));
  CHECK(to_text(network.activations[2].shape) == "5 x 4 sequence");
  CHECK(to_text(network.activations[4].shape) == "2 x 5 x 2 heads");
  CHECK(to_text(network.activations[6].shape) == "2 x 5 x 5 heads");
  CHECK(to_text(network.activations[8].shape) == "5 x 4 sequence");
  CHECK(network.macs() == 2 * 5 * 5 * 2 * 2);
}

TEST_CASE("concat stacks channels of images and lengths of vectors") {
  CHECK(
      output_of(image,
                "  - {name: a, kind: relu}\n  - {name: b, kind: concat, from: [a, input, a]}\n") ==
      "12 x 9 x 7 image");
  CHECK(output_of("{features: 5}",
                  "  - {name: a, kind: relu}\n  - {name: b, kind: concat, from: [a, input]}\n") ==
        "vector of 10");
}

TEST_CASE("batch norm learns two numbers a channel and keeps two more") {
  const Network network = good_network(file_with(image, "  - {name: b, kind: batch_norm}\n"));
  CHECK(network.parameter_count() == 8);
  CHECK(network.layers[0].buffers == 8);
}

TEST_CASE("only what comes after something that learns needs a gradient") {
  const Network network = good_network(file_with(image,
                                                 "  - {name: r, kind: relu}\n"
                                                 "  - {name: c, kind: conv2d, out: 4, kernel: 1}\n"
                                                 "  - {name: j, kind: add, from: [r, c]}\n"));
  CHECK_FALSE(network.activations[0].needs_gradient);
  CHECK_FALSE(network.activations[1].needs_gradient);
  CHECK(network.activations[2].needs_gradient);
  CHECK(network.activations[3].needs_gradient);
}

// ------------------------------------------------------------------------------------------------------------ mistakes

TEST_CASE("a kernel larger than its padded input is an error at the kernel") {
  const Diagnostic d = mistake_of(image, "  - {name: c, kind: conv2d, out: 8, kernel: 10}\n");
  CHECK(d.code == "kernel-too-large");
  CHECK(d.where == SourcePos{"net.yaml", 5, 45});
  CHECK(d.path == "layers.0.kernel");
  CHECK(d.message == "c: a kernel of height 10 does not fit the padded input of height 9");
  CHECK_FALSE(d.hint.empty());
}

TEST_CASE("a mistake is told once, and layers after it are not blamed") {
  const Diagnostic d = mistake_of(image,
                                  "  - {name: c, kind: conv2d, out: 8, kernel: 10}\n"
                                  "  - {name: f, kind: linear, out: 10}\n"
                                  "  - {name: s, kind: softmax}\n");
  CHECK(d.code == "kernel-too-large");
}

TEST_CASE("mistakes of separate layers are told together, in order") {
  const Result<Network> network = network_of(
      file_with(image,
                "  - {name: a, kind: conv2d, out: 8, kernel: 10}\n"
                "  - {name: b, kind: conv2d, from: input, out: 8, kernel: 3, groups: 3}\n"
                "  - {name: c, kind: relu, from: inputt}\n"));
  REQUIRE(network.diagnostics().size() == 3);
  CHECK(network.diagnostics()[0].code == "kernel-too-large");
  CHECK(network.diagnostics()[1].code == "groups-do-not-divide");
  CHECK(network.diagnostics()[2].code == "unknown-layer");
  CHECK(network.diagnostics()[2].hint == "did you mean 'input'?");
}

TEST_CASE("inputs of an addition must have one shape") {
  const Diagnostic d = mistake_of(image,
                                  "  - {name: c, kind: conv2d, out: 8, kernel: 1}\n"
                                  "  - {name: j, kind: add, from: [c, input]}\n");
  CHECK(d.code == "shape-mismatch");
  CHECK(d.message == "j: cannot add a 8 x 9 x 7 image ('c') and a 4 x 9 x 7 image ('input')");
}

TEST_CASE("a layer with the wrong number of inputs says how many it takes") {
  CHECK(mistake_of(image, "  - {name: j, kind: add}\n").message ==
        "j: takes two or more inputs, not 1");
  CHECK(mistake_of(image, "  - {name: r, kind: relu, from: [input, input]}\n").message ==
        "r: takes one input, not 2");
}

TEST_CASE("layers that need an image, a sequence or heads say so") {
  const std::string flat = "  - {name: f, kind: flatten}\n";
  for (const char* layer :
       {"{name: x, kind: conv2d, out: 1, kernel: 1}", "{name: x, kind: max_pool, kernel: 1}",
        "{name: x, kind: lrn}", "{name: x, kind: global_avg_pool}",
        "{name: x, kind: split_heads, heads: 1}", "{name: x, kind: merge_heads}"}) {
    CAPTURE(std::string(layer));
    CHECK(mistake_of(image, flat + "  - " + layer + "\n").code == "wrong-input");
  }
  CHECK(mistake_of(image, "  - {name: x, kind: layer_norm}\n").code == "wrong-input");
}

TEST_CASE("word numbers go into an embedding and nothing else does") {
  CHECK(mistake_of("{tokens: 8}", "  - {name: f, kind: linear, out: 3}\n").hint ==
        "put an embedding layer before it");
  CHECK(mistake_of("{features: 8}", "  - {name: e, kind: embedding, rows: 2, width: 2}\n").code ==
        "wrong-input");
}

TEST_CASE("matrices whose inner sizes differ are not multiplied") {
  const Diagnostic d = mistake_of("{tokens: 5}",
                                  "  - {name: e, kind: embedding, rows: 11, width: 12}\n"
                                  "  - {name: m, kind: matmul, from: [e, e]}\n");
  CHECK(d.code == "shape-mismatch");
  CHECK(d.message == "m: the first input is 5 x 12, the second 5 x 12");
}

TEST_CASE("heads and parts must divide the width") {
  const std::string words = "  - {name: e, kind: embedding, rows: 11, width: 12}\n";
  CHECK(mistake_of("{tokens: 5}", words + "  - {name: h, kind: split_heads, heads: 5}\n").code ==
        "heads-do-not-divide");
  CHECK(mistake_of("{tokens: 5}", words + "  - {name: s, kind: slice, parts: 5, part: 0}\n").code ==
        "parts-do-not-divide");
}

TEST_CASE("weights are shared between layers of one shape only") {
  const Diagnostic d =
      mistake_of("{tokens: 5}",
                 "  - {name: e, kind: embedding, rows: 11, width: 12}\n"
                 "  - {name: f, kind: linear, out: 10, bias: false, weights: e}\n");
  CHECK(d.code == "wrong-weights");
  CHECK(d.message == "f: needs 10 rows, 120 weights; 'e' has 11 rows, 132");
}

TEST_CASE("a number of classes that the last layer does not give is an error at that number") {
  const Diagnostic d = only_mistake(
      "tantalus: network/1\ninput: {features: 4}\nclasses: 10\nlayers:\n  - {name: f, kind: "
      "linear, out: 12}\n");
  CHECK(d.code == "class-mismatch");
  CHECK(d.where == SourcePos{"net.yaml", 3, 10});
  CHECK(d.message == "there are 10 classes, and the last layer 'f' gives 12");
}

TEST_CASE("a network beyond every machine is refused, not overflowed") {
  CHECK(mistake_of("{features: 1000000}", "  - {name: f, kind: linear, out: 100000000}\n").code ==
        "too-large");
  CHECK(mistake_of("{image: [3000000000, 3000000000, 3]}", "  - {name: r, kind: relu}\n").code ==
        "bad-input");
  CHECK(mistake_of(image, "  - {name: c, kind: conv2d, out: 1, kernel: 2000000}\n").code ==
        "out-of-range");
  CHECK(mistake_of(image,
                   "  - {name: c, kind: conv2d, out: 1, kernel: 1, pad: 9000000000000000000}\n")
            .code == "out-of-range");
}

TEST_CASE("a hand-built network without layers is no work, and no network") {
  NetworkSpec spec;
  spec.input.features = 3;
  const Result<Network> network = infer(spec);
  REQUIRE(network.diagnostics().size() == 1);
  CHECK(network.diagnostics()[0].code == "empty-network");
}

TEST_CASE("a hand-built network without places is checked like one from a file") {
  NetworkSpec spec;
  spec.input.image = {3, 8, 8};
  LayerSpec conv;
  conv.name = "c";
  conv.kind = LayerKind::conv2d;
  conv.body = Conv2dSpec{8, {3}, {0}, {}, {}, 1, true, ""};
  spec.layers = {conv};
  const Result<Network> network = infer(spec);
  REQUIRE(network.diagnostics().size() == 1);
  CHECK(network.diagnostics()[0].code == "out-of-range");
  CHECK(network.diagnostics()[0].path == "c.stride");
}

}  // namespace
}  // namespace tantalus

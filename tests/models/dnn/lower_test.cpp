#include "models/dnn/lower.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/dnn/networks.hpp"

namespace tantalus {
namespace {

TaskGraph step_of(const std::string& input, const std::string& layers, const RunSpec& run) {
  return lower(good_network(file_with(input, layers)), run);
}

std::string passes_of(const TaskGraph& step) {
  std::string text;
  for (const Task& task : step.tasks()) {
    text += task.name + ":" + std::string(name_of(std::get<Operation>(task.work).pass)) + " ";
  }
  return text;
}

std::int64_t macs_of(const TaskGraph& step) {
  std::int64_t macs = 0;
  for (const Task& task : step.tasks()) macs += std::get<Operation>(task.work).macs;
  return macs;
}

// ------------------------------------------------------------------------------------------------------------ inference

TEST_CASE("inference is one forward operation a layer, in order, each after the one it reads") {
  const TaskGraph step = lower(named_network("lenet"));
  REQUIRE(step.tasks().size() == 12);
  for (std::size_t i = 0; i < step.tasks().size(); ++i) {
    CHECK(operation_at(step, i).pass == Pass::forward);
    CHECK(operation_at(step, i).name == step.layers()[i].name);
    if (i > 0)
      CHECK(step.tasks()[i].after ==
            std::vector<TaskId>{TaskId{static_cast<std::uint32_t>(i - 1)}});
  }
}

TEST_CASE("a convolution reads input, weights and bias and writes its output, once each") {
  RunSpec run;
  run.batch = 2;
  const TaskGraph step = lower(named_network("lenet"), run);
  const Operation& conv1 = operation_at(step, 0);
  CHECK(conv1.bias);
  CHECK(conv1.macs == 2 * 86'400);
  CHECK(conv1.other_ops == 2 * 3'456);
  CHECK(operand_bytes(conv1) == Bytes{2 * 784 * 4 + 156 * 4 + 2 * 3'456 * 4});
  const auto& shape = std::get<ConvShape>(conv1.work);
  CHECK(shape == ConvShape{2, 1, 28, 28, 6, 24, 24, 5, 5, 1, 1, 0, 0, 1, 1, 1});
}

TEST_CASE("a linear layer is a product with weights stored out x in") {
  RunSpec run;
  run.batch = 32;
  const TaskGraph step = lower(named_network("lenet"), run);
  CHECK(std::get<GemmShape>(operation_named(step, "fc1", Pass::forward).work) ==
        GemmShape{1, 32, 120, 256, false, true});
}

TEST_CASE("the tensor that one layer writes is the one that the next reads") {
  const TaskGraph step = lower(named_network("lenet"));
  const TensorUse& written = operation_at(step, 0).operands.back();
  const TensorUse& read = operation_at(step, 1).operands.front();
  CHECK(written.written);
  CHECK_FALSE(read.written);
  CHECK(written.tensor == read.tensor);
  CHECK(written.size == read.size);
}

TEST_CASE("flatten, slices and dropout in inference are views: no operation, the same tensor") {
  const TaskGraph step = step_of("{image: [2, 4, 4]}",
                                 "  - {name: a, kind: relu}\n"
                                 "  - {name: f, kind: flatten}\n"
                                 "  - {name: d, kind: dropout}\n"
                                 "  - {name: b, kind: tanh}\n",
                                 {});
  REQUIRE(step.tasks().size() == 2);
  CHECK(operation_at(step, 0).operands.back().tensor ==
        operation_at(step, 1).operands.front().tensor);
  CHECK(step.layers().size() == 4);  // reports still name them
}

TEST_CASE("two layers that share weights read one tensor") {
  const TaskGraph step = step_of("{features: 4}",
                                 "  - {name: a, kind: linear, out: 4}\n"
                                 "  - {name: b, kind: linear, out: 4, weights: a}\n",
                                 {});
  CHECK(operation_at(step, 0).operands[1].tensor == operation_at(step, 1).operands[1].tensor);
  CHECK(operation_at(step, 0).operands[2].tensor == operation_at(step, 1).operands[2].tensor);
  CHECK(step.memory.parameters == Bytes{80});
}

TEST_CASE("half precision halves what crosses memory, and tf32 does not") {
  RunSpec run;
  const std::int64_t fp32 = bytes_moved(lower(named_network("lenet"), run), "conv1", Pass::forward);
  run.precision = DType::fp16;
  const TaskGraph half = lower(named_network("lenet"), run);
  CHECK(bytes_moved(half, "conv1", Pass::forward) == fp32 / 2);
  CHECK(half.memory.parameters == Bytes{41'282 * 2});
  CHECK(operation_named(half, "relu1", Pass::forward).type == DType::fp16);
  run.precision = DType::tf32;
  const TaskGraph tf32 = lower(named_network("lenet"), run);
  CHECK(bytes_moved(tf32, "conv1", Pass::forward) == fp32);
  CHECK(operation_named(tf32, "conv1", Pass::forward).type == DType::tf32);
  CHECK(operation_named(tf32, "relu1", Pass::forward).type == DType::fp32);
}

TEST_CASE("an embedding names its word numbers, its whole table and the rows that it makes") {
  const TaskGraph step =
      step_of("{tokens: 5}", "  - {name: e, kind: embedding, rows: 1000, width: 16}\n", {});
  const Operation& lookup = operation_at(step, 0);
  CHECK(std::get<EmbeddingShape>(lookup.work) == EmbeddingShape{5, 16, 1000});
  CHECK(operand_bytes(lookup) == Bytes{5 * 8 + 1000 * 64 + 5 * 64});
}

TEST_CASE(
    "batch norm in inference is one pass element by element, in training along its channels") {
  const std::string norm = "  - {name: b, kind: batch_norm}\n";
  const TaskGraph inference = step_of("{image: [4, 6, 6]}", norm, {});
  const TaskGraph training = step_of("{image: [4, 6, 6]}", norm, training_run(2));
  CHECK(std::get<ElementwiseShape>(operation_at(inference, 0).work) ==
        ElementwiseShape{ElementFn::scale, 144});
  CHECK(std::get<RowShape>(operation_at(training, 0).work) ==
        RowShape{RowFn::batch_norm, 4, 72, 1});
}

// ------------------------------------------------------------------------------------------------------------- training

const std::string two_layers =
    "  - {name: c1, kind: conv2d, out: 2, kernel: 1}\n"
    "  - {name: r1, kind: relu}\n"
    "  - {name: f1, kind: linear, out: 3}\n";

TEST_CASE("training runs forward, then backward in reverse, then one update a layer") {
  const TaskGraph step = step_of("{image: [1, 2, 2]}", two_layers, training_run());
  CHECK(passes_of(step) ==
        "c1:forward r1:forward f1:forward "
        "f1:input_gradient f1:weight_gradient f1:bias_gradient "
        "r1:input_gradient c1:weight_gradient c1:bias_gradient "
        "c1:update f1:update ");
}

TEST_CASE(
    "the bias gradient of a convolution runs through its images, that of a linear layer not") {
  const TaskGraph step = step_of("{image: [1, 2, 2]}", two_layers, training_run(4));
  const auto rows = [&step](const char* layer) {
    return std::get<RowShape>(operation_named(step, layer, Pass::bias_gradient).work);
  };
  CHECK(rows("c1") == RowShape{RowFn::reduce, 2, 4 * 4, 1, 4});
  CHECK(rows("f1") == RowShape{RowFn::reduce, 3, 4, 1, 1});
}

TEST_CASE("the layer that reads the network's input has no input gradient") {
  const TaskGraph step = lower(named_network("lenet"), training_run());
  CHECK_FALSE(has_operation(step, "conv1", Pass::input_gradient));
  CHECK(has_operation(step, "conv1", Pass::weight_gradient));
  CHECK(has_operation(step, "conv2", Pass::input_gradient));
  CHECK(macs_of(step) == 3 * 278'520 - 86'400);
}

TEST_CASE("layers before the first weights have no backward pass at all") {
  const TaskGraph step = step_of("{image: [1, 2, 2]}",
                                 "  - {name: r, kind: relu}\n"
                                 "  - {name: c, kind: conv2d, out: 2, kernel: 1}\n",
                                 training_run());
  CHECK(passes_of(step) == "r:forward c:forward c:weight_gradient c:bias_gradient c:update ");
}

TEST_CASE("gradients of a linear layer are the transposed products") {
  const TaskGraph step = lower(named_network("lenet"), training_run(32));
  const auto gemm = [&step](Pass pass) {
    return std::get<GemmShape>(operation_named(step, "fc2", pass).work);
  };
  CHECK(gemm(Pass::forward) == GemmShape{1, 32, 60, 120, false, true});          // Y = X W^T
  CHECK(gemm(Pass::input_gradient) == GemmShape{1, 32, 120, 60, false, false});  // dX = dY W
  CHECK(gemm(Pass::weight_gradient) == GemmShape{1, 60, 120, 32, true, false});  // dW = dY^T X
}

TEST_CASE("gradients of a batched product keep each operand as it lies") {
  const std::string layers =
      "  - {name: e, kind: embedding, rows: 7, width: 6}\n"
      "  - {name: a, kind: linear, out: 8}\n"
      "  - {name: b, kind: linear, out: 8, from: e}\n"
      "  - {name: ah, kind: split_heads, heads: 2, from: a}\n"
      "  - {name: bh, kind: split_heads, heads: 2, from: b}\n";
  const auto gradient = [&layers](const std::string& flags, const char* name) {
    const TaskGraph step = step_of(
        "{tokens: 5}", layers + "  - {name: m, kind: matmul, from: [ah, bh], " + flags + "}\n",
        training_run(3));
    return std::get<GemmShape>(operation_named(step, name, Pass::input_gradient).work);
  };
  // Q K^T: 3 x 2 products of 5 x 4 by (5 x 4)^T. dQ = dS K, dK = dS^T Q.
  CHECK(gradient("transpose_b: true", "m.a") == GemmShape{6, 5, 4, 5, false, false});
  CHECK(gradient("transpose_b: true", "m.b") == GemmShape{6, 5, 4, 5, true, false});
  // A^T B: 4 x 4 products over 5. dA (5 x 4) = B dC^T, dB (5 x 4) = A dC.
  CHECK(gradient("transpose_a: true", "m.a") == GemmShape{6, 5, 4, 4, false, true});
  CHECK(gradient("transpose_a: true", "m.b") == GemmShape{6, 5, 4, 4, false, false});
}

TEST_CASE("gradients of a plain product turn the other operand") {
  const std::string layers =
      "  - {name: e, kind: embedding, rows: 7, width: 8}\n"
      "  - {name: h, kind: split_heads, heads: 2}\n"
      "  - {name: s, kind: matmul, from: [h, h], transpose_b: true}\n"
      "  - {name: m, kind: matmul, from: [s, h]}\n";
  const TaskGraph step = step_of("{tokens: 5}", layers, training_run());
  // C (5 x 4) = S (5 x 5) V (5 x 4): dS = dC V^T, dV = S^T dC.
  CHECK(std::get<GemmShape>(operation_named(step, "m.a", Pass::input_gradient).work) ==
        GemmShape{2, 5, 5, 4, false, true});
  CHECK(std::get<GemmShape>(operation_named(step, "m.b", Pass::input_gradient).work) ==
        GemmShape{2, 5, 4, 5, true, false});
}

TEST_CASE("an update with momentum moves 20 bytes a parameter, Adam 28, plain descent 12") {
  const Network lenet = named_network("lenet");
  const auto moved = [&lenet](Optimizer optimizer) {  // in an update, what is written is read first
    RunSpec run = training_run();
    run.software.optimizer = optimizer;
    const TaskGraph step = lower(lenet, run);
    Bytes sum;
    for (const TensorUse& use : operation_named(step, "fc1", Pass::update).operands) {
      sum += use.size * (use.written ? 2 : 1);
    }
    return sum.count();
  };
  CHECK(moved(Optimizer::sgd_momentum) == 20 * 30'840);
  CHECK(moved(Optimizer::adam) == 28 * 30'840);
  CHECK(moved(Optimizer::sgd) == 12 * 30'840);
}

TEST_CASE("an update waits for the gradients and for every reader of the weights") {
  const TaskGraph step = step_of("{image: [1, 2, 2]}", two_layers, training_run());
  const std::vector<TaskId>& after = task_named(step, "f1", Pass::update).after;
  // f1: forward 2 and input gradient 3 read the weights, 4 and 5 made the gradients.
  CHECK(after == std::vector<TaskId>{TaskId{2}, TaskId{3}, TaskId{4}, TaskId{5}});
}

TEST_CASE("the backward pass begins when the network's output is there") {
  const TaskGraph step = step_of("{image: [1, 2, 2]}", two_layers, training_run());
  CHECK(step.tasks()[3].after == std::vector<TaskId>{TaskId{2}});  // f1's input gradient after f1
}

TEST_CASE("each operator moves the bytes that frameworks move, forward and backward") {
  // A 1 x 1 convolution in front makes a gradient wanted; the image is 4 x 6 x 6 = 144 numbers.
  const auto both = [](const std::string& layer) {
    const TaskGraph step = step_of(
        "{image: [4, 6, 6]}", "  - {name: c, kind: conv2d, out: 4, kernel: 1}\n  - " + layer + "\n",
        training_run());
    return std::pair{bytes_moved(step, "x", Pass::forward),
                     bytes_moved(step, "x", Pass::input_gradient)};
  };
  const std::int64_t es = 144 * 4;
  CHECK(both("{name: x, kind: relu}") == std::pair{2 * es, 3 * es});
  CHECK(both("{name: x, kind: gelu}") == std::pair{2 * es, 3 * es});
  CHECK(both("{name: x, kind: scale}") == std::pair{2 * es, 2 * es});
  CHECK(both("{name: x, kind: lrn}") == std::pair{3 * es, 5 * es});
  CHECK(both("{name: x, kind: softmax}") == std::pair{2 * es, 3 * es});
  CHECK(both("{name: x, kind: dropout}") == std::pair{2 * es + 144, 2 * es + 144});
  // Batch norm: 4 scales, 4 shifts and 8 statistics, of 4 bytes; back: statistics, scales and their two gradients.
  CHECK(both("{name: x, kind: batch_norm}") == std::pair{2 * es + 64, 3 * es + 80});
  // Max pool 2: 36 outputs with an 8-byte index each; backward output, index and twice the input.
  CHECK(both("{name: x, kind: max_pool, kernel: 2}") ==
        std::pair{es + es / 4 + 36 * 8, es / 4 + 36 * 8 + 2 * es});
  CHECK(both("{name: x, kind: avg_pool, kernel: 2}") == std::pair{es + es / 4, es / 4 + es});
}

TEST_CASE("layer norm reads its input again for the gradients of scale and shift") {
  const TaskGraph step = step_of("{features: 100}",
                                 "  - {name: f, kind: linear, out: 50}\n"
                                 "  - {name: n, kind: layer_norm}\n",
                                 training_run(2));
  const std::int64_t es = 2 * 50 * 4;
  CHECK(bytes_moved(step, "n", Pass::forward) == 2 * es + 2 * 200 + 16);
  CHECK(bytes_moved(step, "n", Pass::input_gradient) == 3 * es + 200 + 16);
  CHECK(bytes_moved(step, "n", Pass::weight_gradient) == 2 * es + 2 * 200 + 16);
}

TEST_CASE("an addition hands its gradient on, and gradients that meet are summed") {
  const TaskGraph step = step_of("{image: [4, 6, 6]}",
                                 "  - {name: c, kind: conv2d, out: 4, kernel: 1}\n"
                                 "  - {name: r, kind: relu}\n"
                                 "  - {name: j, kind: add, from: [r, c]}\n",
                                 training_run());
  CHECK(bytes_moved(step, "j", Pass::forward) == 3 * 144 * 4);
  CHECK_FALSE(has_operation(step, "j", Pass::input_gradient));
  CHECK(bytes_moved(step, "c.sum", Pass::input_gradient) == 3 * 144 * 4);
}

TEST_CASE(
    "a value added to itself gets the sum of its gradient with itself, in memory of its own") {
  const TaskGraph step = step_of("{features: 4}",
                                 "  - {name: f, kind: linear, out: 4}\n"
                                 "  - {name: j, kind: add, from: [f, f]}\n",
                                 training_run());
  const Operation& sum = operation_named(step, "f.sum", Pass::input_gradient);
  CHECK(sum.operands[0].tensor == sum.operands[1].tensor);
  CHECK(sum.operands[2].tensor != sum.operands[0].tensor);
}

TEST_CASE("gradients of different slices fill one tensor without being summed") {
  const TaskGraph step = step_of("{features: 4}",
                                 "  - {name: f, kind: linear, out: 12}\n"
                                 "  - {name: a, kind: slice, parts: 2, part: 0}\n"
                                 "  - {name: b, kind: slice, from: f, parts: 2, part: 1}\n"
                                 "  - {name: m, kind: mul, from: [a, b]}\n",
                                 training_run());
  CHECK_FALSE(has_operation(step, "f.sum", Pass::input_gradient));
  const Operation& first = operation_named(step, "b", Pass::input_gradient);
  const Operation& second = operation_named(step, "a", Pass::input_gradient);
  CHECK(operand_bytes(first) == Bytes{2 * 6 * 4});
  CHECK(first.operands.back().tensor == second.operands.back().tensor);
}

TEST_CASE("the gradient of a table is zeroed before the rows are added in") {
  const TaskGraph step =
      step_of("{tokens: 5}",
              "  - {name: e, kind: embedding, rows: 1000, width: 16}\n"
              "  - {name: h, kind: linear, out: 1000, bias: false, weights: e}\n",
              training_run());
  const Task& zero = task_named(step, "e.zero", Pass::weight_gradient);
  const Task& scatter = task_named(step, "e", Pass::weight_gradient);
  CHECK(std::get<Operation>(zero.work).operands.back().tensor ==
        std::get<Operation>(scatter.work).operands.back().tensor);
  CHECK(operand_bytes(std::get<Operation>(zero.work)) == Bytes{1000 * 64});
  CHECK(std::find(scatter.after.begin(), scatter.after.end(), zero.id) != scatter.after.end());
  CHECK(has_operation(step, "e.weight.accumulate", Pass::weight_gradient));
}

TEST_CASE("shared weights are updated once, from the sum of both gradients") {
  const TaskGraph step = step_of("{features: 4}",
                                 "  - {name: a, kind: linear, out: 4, bias: false}\n"
                                 "  - {name: b, kind: linear, out: 4, bias: false, weights: a}\n",
                                 training_run());
  CHECK(has_operation(step, "a.weight.accumulate", Pass::weight_gradient));
  CHECK(has_operation(step, "a", Pass::update));
  CHECK_FALSE(has_operation(step, "b", Pass::update));
  CHECK(step.memory.gradients == Bytes{64});
}

TEST_CASE("a depthwise convolution's gradients keep its groups") {
  const TaskGraph step =
      step_of("{image: [4, 6, 6]}",
              "  - {name: p, kind: conv2d, out: 8, kernel: 1}\n"
              "  - {name: d, kind: conv2d, out: 8, kernel: 3, pad: 1, groups: 8, bias: false}\n",
              training_run(2));
  for (const Pass pass : {Pass::forward, Pass::input_gradient, Pass::weight_gradient}) {
    const Operation& operation = operation_named(step, "d", pass);
    CHECK(operation.macs == 2 * 8 * 36 * 9);
    CHECK(std::get<ConvShape>(operation.work).groups == 8);
  }
}

// -------------------------------------------------------------------------------------------------------- micro-batches

TEST_CASE("micro-batches do the same multiply-adds and add their gradients before one update") {
  RunSpec run = training_run(8);
  run.micro_batch = 2;
  const Network lenet = named_network("lenet");
  const TaskGraph whole = lower(lenet, training_run(8));
  const TaskGraph parts = lower(lenet, run);

  CHECK(macs_of(parts) == macs_of(whole));
  CHECK(has_operation(parts, "fc1#3", Pass::weight_gradient));
  CHECK(has_operation(parts, "fc1#3.weight.accumulate", Pass::weight_gradient));
  CHECK_FALSE(has_operation(parts, "fc1.weight.accumulate", Pass::weight_gradient));
  CHECK(operand_bytes(operation_named(parts, "fc1#1.weight.accumulate", Pass::weight_gradient)) ==
        Bytes{3 * 30'720 * 4});
}

TEST_CASE(
    "a quarter of the batch at a time needs a quarter of the activations, and a gradient to add") {
  RunSpec run = training_run(400);
  run.micro_batch = 100;
  const Network lenet = named_network("lenet");
  const double whole =
      static_cast<double>(lower(lenet, training_run(400)).memory.activations.count());
  const double parts = static_cast<double>(lower(lenet, run).memory.activations.count());
  CHECK(parts >= whole / 4);
  CHECK(parts <= whole / 4 + 41'282 * 4);
}

// ------------------------------------------------------------------------------------------------------ mixed precision

TEST_CASE("training in half precision keeps fp32 masters and casts weights and their gradients") {
  RunSpec run = training_run();
  run.precision = DType::fp16;
  const TaskGraph step = lower(named_network("lenet"), run);
  CHECK(step.memory.parameters == Bytes{41'282 * 4});
  CHECK(step.memory.gradients == Bytes{41'282 * 4});
  CHECK(step.memory.optimizer == Bytes{41'282 * 4});
  CHECK(bytes_moved(step, "fc1.cast", Pass::forward) == 6 * 30'840);
  CHECK(bytes_moved(step, "fc1.weight.cast", Pass::weight_gradient) == 6 * 30'720);
  CHECK(bytes_moved(step, "fc1", Pass::update) == 12 * 30'840);  // p, g and v, all fp32
  CHECK(bytes_moved(step, "fc1", Pass::forward) == 2 * (256 + 30'840 + 120));
  CHECK(operation_named(step, "fc1", Pass::update).type == DType::fp32);
}

// ------------------------------------------------------------------------------------------------------------- software

RunSpec with(Software software, std::int64_t batch = 1) {
  RunSpec run;
  run.batch = batch;
  run.software = software;
  return run;
}

const char* const residual =
    "  - {name: a, kind: conv2d, out: 8, kernel: 1, bias: false}\n"
    "  - {name: a_bn, kind: batch_norm}\n"
    "  - {name: s, kind: conv2d, from: input, out: 8, kernel: 1, bias: false}\n"
    "  - {name: s_bn, kind: batch_norm}\n"
    "  - {name: j, kind: add, from: [a_bn, s_bn]}\n"
    "  - {name: r, kind: relu}\n";

TEST_CASE("pointwise fusion runs a tree of element-wise layers as one kernel in its root's place") {
  // 100 positions: reads both convolutions' 800 numbers and two norms' 16, writes 800.
  Software software;
  software.fusion = Fusion::pointwise;
  const TaskGraph step = step_of("{image: [4, 10, 10]}", residual, with(software));
  CHECK(passes_of(step) == "a:forward s:forward r:forward ");
  CHECK(bytes_moved(step, "r", Pass::forward) == 4 * (800 + 16 + 800 + 16 + 800));
}

TEST_CASE("pointwise fusion adds the bias of a convolution where its only reader is") {
  const char* const biased =
      "  - {name: a, kind: conv2d, out: 8, kernel: 1}\n"
      "  - {name: r, kind: relu}\n"
      "  - {name: b, kind: conv2d, out: 8, kernel: 1}\n";
  Software software;
  software.fusion = Fusion::pointwise;
  const TaskGraph step = step_of("{image: [4, 10, 10]}", biased, with(software));
  CHECK_FALSE(operation_named(step, "a", Pass::forward).bias);
  CHECK(bytes_moved(step, "a", Pass::forward) == 4 * (400 + 32 + 800));
  CHECK(bytes_moved(step, "r", Pass::forward) == 4 * (800 + 8 + 800));
  CHECK(operation_named(step, "b", Pass::forward).bias);
}

TEST_CASE("epilogue fusion gives a cluster to the later of two products that meet") {
  // s reads its input and weights and what a left, and writes the result of the whole cluster.
  Software software;
  software.fusion = Fusion::epilogue;
  const TaskGraph step = step_of("{image: [4, 10, 10]}", residual, with(software));
  CHECK(passes_of(step) == "a:forward s:forward ");
  CHECK(bytes_moved(step, "s", Pass::forward) == 4 * (400 + 32 + 800 + 800));
  CHECK(operation_named(step, "s", Pass::forward).macs == 3'200);
}

TEST_CASE("a value with a second reader is not fused away, and training fuses nothing") {
  Software software;
  software.fusion = Fusion::epilogue;
  const std::string twice =
      "  - {name: a, kind: linear, out: 10}\n"
      "  - {name: r, kind: relu}\n"
      "  - {name: j, kind: add, from: [r, a]}\n";
  CHECK(passes_of(step_of("{features: 10}", twice, with(software))) == "a:forward j:forward ");
  RunSpec training = with(software);
  training.mode = Mode::training;
  CHECK(operation_named(step_of("{features: 10}", twice, training), "r", Pass::forward).pass ==
        Pass::forward);
}

TEST_CASE("autocast keeps fp32 weights and input in inference and casts them in each step") {
  Software software;
  software.half = HalfPrecision::autocast;
  RunSpec run = with(software);
  run.precision = DType::fp16;
  const TaskGraph step = lower(named_network("lenet"), run);
  CHECK(step.memory.parameters == Bytes{41'282 * 4});
  CHECK(bytes_moved(step, "conv1.input_cast", Pass::forward) == 6 * 784);
  CHECK(bytes_moved(step, "fc1.cast", Pass::forward) == 6 * 30'840);
}

TEST_CASE("pure 16-bit training keeps everything in 16 bits and casts nothing") {
  Software software;
  software.half = HalfPrecision::pure;
  RunSpec run = with(software);
  run.precision = DType::fp16;
  run.mode = Mode::training;
  const TaskGraph step = lower(named_network("lenet"), run);
  CHECK(step.memory.parameters == Bytes{41'282 * 2});
  CHECK(step.memory.gradients == Bytes{41'282 * 2});
  CHECK(passes_of(step).find("cast") == std::string::npos);
}

TEST_CASE("accumulated gradients are zeroed once and added to") {
  Software software;
  software.gradients = GradientStore::accumulated;
  RunSpec run = with(software);
  run.mode = Mode::training;
  const TaskGraph step = lower(named_network("lenet"), run);
  CHECK(bytes_moved(step, "fc1.zero", Pass::weight_gradient) == 4 * 30'840);
  CHECK(bytes_moved(step, "fc1.weight.accumulate", Pass::weight_gradient) == 12 * 30'720);
}

TEST_CASE("a weight gradient that is added to in place is read by its product") {
  Software software;
  RunSpec run = with(software);
  run.mode = Mode::training;
  const std::int64_t written =
      bytes_moved(lower(named_network("lenet"), run), "fc1", Pass::weight_gradient);
  run.software.gradients = GradientStore::in_place;
  const TaskGraph step = lower(named_network("lenet"), run);
  CHECK(bytes_moved(step, "fc1", Pass::weight_gradient) == written + 4 * 30'720);
}

TEST_CASE("a backward pass may go through to the network's input") {
  Software software;
  software.gradient_of_input = true;
  RunSpec run = with(software);
  run.mode = Mode::training;
  const TaskGraph step = lower(named_network("lenet"), run);
  CHECK(operation_named(step, "conv1", Pass::input_gradient).macs == 86'400);
}

TEST_CASE("max pooling without an index reads its input and output again") {
  Software software;
  software.bytes_of_index = 0;
  RunSpec run = with(software);
  run.mode = Mode::training;
  const TaskGraph step = step_of("{image: [1, 4, 4]}",
                                 "  - {name: c, kind: conv2d, out: 1, kernel: 1}\n"
                                 "  - {name: p, kind: max_pool, kernel: 2}\n",
                                 run);
  CHECK(bytes_moved(step, "p", Pass::forward) == 4 * (16 + 4));
  CHECK(bytes_moved(step, "p", Pass::input_gradient) == 4 * (4 + 16 + 16 + 4));
}

// --------------------------------------------------------------------------------------------------------------- memory

TEST_CASE("inference keeps only what is still needed") {
  // 100 -> 40 -> 40 -> 10 numbers: the largest pair alive at once is 100 + 40.
  const TaskGraph step = step_of("{features: 100}",
                                 "  - {name: a, kind: linear, out: 40}\n"
                                 "  - {name: r, kind: relu}\n"
                                 "  - {name: b, kind: linear, out: 10}\n",
                                 {});
  CHECK(step.memory.activations == Bytes{140 * 4});
  CHECK(step.memory.activations_by_layer ==
        std::vector<Bytes>{Bytes{140 * 4}, Bytes{80 * 4}, Bytes{50 * 4}});
}

TEST_CASE("a branch that waits stays alive until it is joined") {
  const TaskGraph step = step_of("{features: 10}",
                                 "  - {name: a, kind: linear, out: 10}\n"
                                 "  - {name: r, kind: relu}\n"
                                 "  - {name: t, kind: tanh}\n"
                                 "  - {name: j, kind: add, from: [t, a]}\n",
                                 {});
  CHECK(step.memory.activations == Bytes{3 * 10 * 4});
}

TEST_CASE("training keeps what the backward pass reads, and nothing else") {
  // Forward: x 100, a 40, r 40, b 10. a is not needed after relu, which remembers its result.
  // At b's gradients: x, r, and dy 10, dr 40 are alive: 190. At relu's: x 100, r 40, dr 40, da 40: 220.
  const TaskGraph step = step_of("{features: 100}",
                                 "  - {name: a, kind: linear, out: 40, bias: false}\n"
                                 "  - {name: r, kind: relu}\n"
                                 "  - {name: b, kind: linear, out: 10, bias: false}\n",
                                 training_run());
  CHECK(step.memory.activations == Bytes{220 * 4});
  CHECK(step.memory.activations_by_layer[2] == Bytes{190 * 4});
}

TEST_CASE("VGG-16 at batch 1 trains within 2 GiB, so a 6 GB card holds it") {
  const MemoryNeed need = lower(named_network("vgg16"), training_run()).memory;
  const Bytes fixed = need.parameters + need.gradients + need.optimizer;
  CHECK(fixed == Bytes{138'357'544LL * 12});
  CHECK(need.activations >
        Bytes{57LL << 20});  // the outputs of convolutions and pools alone are 57.6 MiB
  CHECK(fixed + need.activations < Bytes{2LL << 30});
}

TEST_CASE("VGG-16 inference at batch 256 needs more than the 5.94 GiB of the reported card") {
  RunSpec run;
  run.batch = 256;
  const MemoryNeed need = lower(named_network("vgg16"), run).memory;
  CHECK(need.activations == Bytes{2 * 3'288'334'336LL});
  run.batch = 64;
  CHECK(lower(named_network("vgg16"), run).memory.activations < Bytes{2LL << 30});
}

TEST_CASE(
    "grouped AlexNet at batch 128 with momentum fills most of a 3 GB card before any workspace") {
  const MemoryNeed need = lower(named_network("alexnet-2012"), training_run(128)).memory;
  const Bytes total = need.parameters + need.gradients + need.optimizer + need.activations;
  CHECK(need.parameters + need.gradients + need.optimizer == Bytes{60'965'224LL * 12});
  CHECK(total > Bytes{1'500LL << 20});
  CHECK(total < Bytes{3'000LL << 20});
}

TEST_CASE("activation memory is affine in the batch") {
  const Network network = named_network("resnet50");
  const auto at = [&network](std::int64_t batch) {
    return lower(network, training_run(batch)).memory.activations.count();
  };
  CHECK(at(8) - at(4) == doctest::Approx(static_cast<double>(at(4))).epsilon(0.01));
}

// ------------------------------------------------------------------------------------------------------------- refusals

TEST_CASE("runs that make no sense are refused with the option's name") {
  const Network lenet = named_network("lenet");
  const auto code_and_path = [&lenet](const RunSpec& run) {
    const Diagnostics found = check_run(lenet, run);
    return found.size() == 1 ? found[0].code + " " + found[0].path
                             : std::to_string(found.size()) + " diagnostics";
  };
  RunSpec run;
  run.batch = 0;
  CHECK(code_and_path(run) == "bad-batch batch");
  run.batch = std::int64_t{1} << 60;
  CHECK(code_and_path(run) == "bad-batch batch");
  run.batch = 8;
  run.micro_batch = 3;
  CHECK(code_and_path(run) == "bad-micro-batch micro_batch");
  run.micro_batch = 0;
  CHECK(code_and_path(run) == "bad-micro-batch micro_batch");
  run.micro_batch = 4;
  run.mode = Mode::training;
  run.precision = DType::int8;
  CHECK(code_and_path(run) == "bad-precision precision");
  run.mode = Mode::inference;
  CHECK(check_run(lenet, run).empty());
}

TEST_CASE("every network lowers in both modes, each task after earlier ones of tensors it shares") {
  for (const char* name :
       {"lenet", "lenet-pad2", "lenet5", "mlp", "alexnet", "alexnet-2012", "vgg16", "resnet18",
        "resnet50", "mobilenet-v2", "gpt2-small", "resnet200", "densenet121", "googlenet",
        "squeezenet-1.1", "resnext50-32x4d"}) {
    CAPTURE(name);
    const Network network = named_network(name);
    for (const Mode mode : {Mode::inference, Mode::training}) {
      RunSpec run;
      run.mode = mode;
      const TaskGraph step = lower(network, run);
      CHECK(macs_of(step) >= network.macs());
      for (const Task& task : step.tasks()) {
        for (const TaskId before : task.after) CHECK(before < task.id);
        for (const TensorUse& use : std::get<Operation>(task.work).operands)
          CHECK(use.size > Bytes{0});
      }
    }
  }
}

}  // namespace
}  // namespace tantalus

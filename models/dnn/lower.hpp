// From layers to operations: one step of inference or training as a TaskGraph in the order in which an eager framework issues
// it, on one stream. It names no device. Tensors carry ids, so that a device can tell what its caches still hold; `after`
// holds true data dependencies (read after write, write after read).
//
// An operation lists each operand once, with the bytes below (es = bytes of an element), forward and backward. What is looked
// at twice (the statistics of a norm, the gathered rows of a table) is the device's to add, and so is reading what an update
// writes. Together they are the traffic that measured frameworks have (docs/modelling.md):
//   conv2d, linear      x, weights, bias -> y; input gradient (not for the network's input), weight gradient, bias gradient
//   relu, gelu, tanh, sigmoid, scale, mask     2 es; 3 es backward (scale, mask: 2)
//   add                 3 es; backward nothing: both inputs get the same gradient
//   gradients that meet (a value read by several layers)   3 es a meeting
//   max pool            x -> y, in training an 8-byte index too; backward: y, index, and x twice (zeroed, then scattered)
//   batch norm          2 es, in training along the channels, in inference element by element; backward 3 es
//   layer norm          2 es; backward 3 es, and 2 es for scale and shift
//   lrn                 3 es; backward 5 es
//   dropout             nothing in inference; 2 es + 1 B each way
//   embedding           rows and table -> y; backward: the table's gradient is zeroed, then the rows are added in
//   concat, split_heads, merge_heads    one copy each way
//   flatten, slice      views: nothing (the gradient of a slice is one copy)
//   update              g, p and the optimizer's state, one operation a layer; what is written is read first, so sgd moves
//                       12 B a parameter, sgd_momentum 20 B, adam 28 B
//
// Mixed precision (training in fp16 or bf16): fp32 master weights, gradients and optimizer state; each convolution and linear
// layer casts its weights (6 B a parameter) forward, and its gradient back. The loss is not part of the network: the gradient
// of the output is there when the backward pass begins.
#pragma once

#include "models/dnn/layers.hpp"
#include "models/dnn/run_spec.hpp"
#include "sim/base/diagnostic.hpp"
#include "sim/workload/task_graph.hpp"

namespace tantalus {

/// What is wrong with running this network so: a batch below 1 or beyond all memory, a micro-batch that does not divide it,
/// training in fp8 or int8. Empty when lower() may be called.
Diagnostics check_run(const Network& network, const RunSpec& run);

/// The step, with MemoryNeed filled in. Requires an empty check_run().
TaskGraph lower(const Network& network, const RunSpec& run = {});

}  // namespace tantalus

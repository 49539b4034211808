#include "sim/hardware/cpu_loops.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tantalus {

namespace {

constexpr double backward_rows = 2.0;  // the gradient of a row operation looks at each row twice
constexpr double open_sums =
    4.0;  // partial sums that compilers keep when they vectorise a reduction
constexpr double open_gathers = 10.0;  // independent rows in flight: line fill buffers of one core

// Loop iterations: vectors, or elements when the loops are scalar.
double iterations(double elements, const CpuMachine& machine) {
  if (!machine.library.loops.vectorised) return elements;
  return std::ceil(elements / static_cast<double>(used_lanes(machine)));
}

// A loop over `elements` that can be cut into `pieces`; `cycles` of all of it on one core.
CpuRegion loop_region(std::string name, double elements, double pieces, double cycles,
                      const CpuRequest& request, const CpuMachine& machine) {
  const CpuThreadSpec& threads = machine.library.threads;
  CpuRegion region;
  region.name = std::move(name);
  region.pieces = std::max(1.0, pieces);
  const bool parallel = threads.loops && elements >= static_cast<double>(threads.loop_elements);
  region.cores = parallel ? cores_for(machine, region.pieces) : 1;
  region.flops = static_cast<double>(std::max<std::int64_t>(request.operation.other_ops, 0));
  // No loop beats the lanes on the arithmetic that the operation asks for.
  const double least = region.flops / flops_per_cycle(machine, DType::fp32);
  region.cycles = std::max(cycles, least);
  region.fixed = seconds(machine.library.loops.call) + sync_seconds(machine, region.cores);
  return region;
}

double cycles_of(ElementFn fn, Pass pass, const CpuLoopSpec& loops) {
  const bool forward = pass == Pass::forward;
  switch (fn) {
    case ElementFn::copy:
      return *loops.copy;
    case ElementFn::relu:
      return forward ? loops.simple : *loops.relu_gradient;
    case ElementFn::add:
    case ElementFn::mul:
    case ElementFn::bias:
    case ElementFn::scale:
      return loops.simple;
    case ElementFn::div:
      return loops.divide;
    case ElementFn::pow:
      return loops.power;
    case ElementFn::gelu:
    case ElementFn::tanh:
    case ElementFn::sigmoid:
      return loops.transcendental;
    case ElementFn::dropout:
      return forward ? loops.dropout : *loops.dropout_gradient;
    case ElementFn::sgd_momentum:
      return loops.sgd_momentum;
    case ElementFn::adam:
      return loops.adam;
  }
  return loops.simple;
}

// A library sums whole vectors, whatever its other loops do; several partial sums hide most of the latency.
double least_cycles_of_sums(double elements, const CpuMachine& machine) {
  const double chain = static_cast<double>(machine.spec.simd.fma_latency.count()) / open_sums;
  return std::ceil(elements / static_cast<double>(used_lanes(machine))) * chain;
}

double row_cycles(const RowShape& s, double elements, Pass pass, const CpuMachine& machine) {
  const CpuLoopSpec& loops = machine.library.loops;
  const double vectors = s.fn == RowFn::lrn ? static_cast<double>(s.rows) *
                                                  iterations(static_cast<double>(s.cols), machine)
                                            : iterations(elements, machine);
  switch (s.fn) {
    case RowFn::softmax:
      return elements * loops.softmax + static_cast<double>(s.rows) * loops.softmax_row;
    case RowFn::lrn:
      return vectors * (pass == Pass::forward ? loops.lrn : *loops.lrn_gradient) +
             static_cast<double>(s.rows) * loops.lrn_row;
    case RowFn::layer_norm:
    case RowFn::batch_norm:
      return vectors * loops.norm;
    case RowFn::reduce:
      return std::max(vectors * loops.reduce, least_cycles_of_sums(elements, machine));
  }
  return vectors * loops.simple;
}

double backward_factor(const RowShape& s, Pass pass) {
  const bool once = pass == Pass::forward || s.fn == RowFn::reduce || s.fn == RowFn::lrn;
  return once ? 1.0 : backward_rows;
}

// Rows that are read again: from where one row (or, for batch norm, one channel of the whole batch) left them.
void add_second_look(CpuRegion& region, const RowShape& s, double elements, double element,
                     const CpuMachine& machine) {
  if (s.fn == RowFn::lrn || s.fn == RowFn::reduce) return;
  const double row = static_cast<double>(s.cols) * element;
  add_pass(region.traffic, elements * element, row, false, machine.spec, region.cores);
}

double taps_of(const PoolShape& s) {
  if (s.kind == PoolKind::global_average) {
    return static_cast<double>(s.in_h) * static_cast<double>(s.in_w);
  }
  return static_cast<double>(s.kernel_h) * static_cast<double>(s.kernel_w);
}

// Vectors along the channels of every position, and what a layout in blocks pads them to.
// (a block is a vector of the library's, which a narrower machine runs in halves).
double padded_share(const PoolShape& s, const CpuMachine& machine) {
  const CpuLoopSpec& loops = machine.library.loops;
  if (!loops.vectorised || loops.channels_last) return 1.0;
  const auto channels = static_cast<double>(s.channels);
  const std::int64_t block = machine.library.vector.count() / 32;  // numbers of four bytes
  return round_up_to(channels, static_cast<double>(block)) / channels;
}

double channel_vectors(const PoolShape& s, const CpuMachine& machine) {
  return iterations(static_cast<double>(s.channels) * padded_share(s, machine), machine);
}

// A gradient is cleared and then added to: library kernels do both block by block, plain loops one after the other.
Distance seen_before(const CpuRequest& request, std::size_t operand, double size,
                     const CpuMachine& machine) {
  const auto& operands = request.operation.operands;
  for (std::size_t i = 0; i < operand; ++i) {
    const bool cleared = operands[i].written && !operands[operand].written;
    if (cleared && operands[i].tensor == operands[operand].tensor) {
      return machine.library.loops.vectorised ? 0.0 : size;
    }
  }
  return request.distance(operand);
}

bool windows_overlap(const PoolShape& s) {
  return s.kind != PoolKind::global_average && (s.kernel_h > s.stride_h || s.kernel_w > s.stride_w);
}

}  // namespace

namespace {

// ReLU overwrites its input: one pass that reads and writes. The second tensor that the operation names does not exist, so it does
// not count in the distance either when the operation itself was the last to use its input.
void add_in_place(CpuRegion& region, const CpuRequest& request, const CpuSpec& spec) {
  const auto size = static_cast<double>(request.operation.operands.front().size.count());
  const auto all = static_cast<double>(operand_bytes(request.operation).count());
  const Distance distance = request.distance(0);
  const double own = distance.own <= all ? std::min(distance.own, size) : distance.own;
  add_pass(region.traffic, size, {own, distance.shared - distance.own}, true, spec, region.cores);
}

bool overwrites(const ElementwiseShape& s, const Operation& op, const CpuLoopSpec& loops) {
  return s.fn == ElementFn::relu && loops.relu_in_place && op.operands.size() == 2 &&
         op.operands[0].size == op.operands[1].size;
}

}  // namespace

CpuRegion elementwise_region(const CpuRequest& request, const ElementwiseShape& s,
                             const CpuMachine& machine) {
  const auto elements = static_cast<double>(s.elements);
  const double count = iterations(elements, machine);
  const double cycles = count * cycles_of(s.fn, request.operation.pass, machine.library.loops);
  CpuRegion region =
      loop_region(std::string(name_of(s.fn)), elements, count, cycles, request, machine);
  if (overwrites(s, request.operation, machine.library.loops)) {
    add_in_place(region, request, machine.spec);
  } else {
    add_operands(region.traffic, request, machine.spec, region.cores);
  }
  return region;
}

CpuRegion pool_region(const CpuRequest& request, const PoolShape& s, const CpuMachine& machine) {
  const CpuLoopSpec& loops = machine.library.loops;
  const auto batch = static_cast<double>(s.batch);
  const double vectors = channel_vectors(s, machine);
  const double lines = batch * static_cast<double>(s.out_h);
  const double outputs = lines * static_cast<double>(s.out_w) * static_cast<double>(s.channels);
  const double tap = (s.kind == PoolKind::max ? loops.max_tap : loops.average_tap) +
                     loops.pool_row / static_cast<double>(std::max<std::int64_t>(s.out_h, 1));
  const bool back = request.operation.pass != Pass::forward && s.kind == PoolKind::max;
  const double output =
      back && loops.max_gradient ? *loops.max_gradient : loops.pool_output + tap * taps_of(s);
  const double cycles = lines * static_cast<double>(s.out_w) * vectors * output +
                        lines * loops.pool_line * (loops.channels_last ? 1.0 : vectors);
  CpuRegion region =
      loop_region(s.kind == PoolKind::max ? "max_pool" : "average_pool", outputs * taps_of(s),
                  batch * static_cast<double>(s.channels), cycles, request, machine);
  region.exposed = loops.pool_exposed.value();
  if (windows_overlap(s) && !back) region.rate_share = loops.pool_rate.value();
  const double padded = padded_share(s, machine);
  for (std::size_t i = 0; i < request.operation.operands.size(); ++i) {
    const TensorUse& use = request.operation.operands[i];
    const double size = padded * static_cast<double>(use.size.count());
    add_pass(region.traffic, size, seen_before(request, i, size, machine), use.written,
             machine.spec, region.cores);
  }
  return region;
}

CpuRegion row_region(const CpuRequest& request, const RowShape& s, const CpuMachine& machine) {
  const double elements = static_cast<double>(s.rows) * static_cast<double>(s.cols);
  const double cycles = row_cycles(s, elements, request.operation.pass, machine) *
                        backward_factor(s, request.operation.pass);
  CpuRegion region = loop_region(std::string(name_of(s.fn)), elements, static_cast<double>(s.rows),
                                 cycles, request, machine);
  for (std::size_t i = 0; i < request.operation.operands.size(); ++i) {
    const bool scale = s.fn == RowFn::lrn && request.operation.pass == Pass::forward && i == 1 &&
                       request.operation.operands.size() == 3;
    if (scale && !machine.library.loops.lrn_keeps_scale) continue;
    add_operand(region.traffic, request, i, machine.spec, region.cores);
  }
  add_second_look(region, s, elements, request.element(), machine);
  return region;
}

CpuRegion embedding_region(const CpuRequest& request, const EmbeddingShape& s,
                           const CpuMachine& machine) {
  const auto rows = static_cast<double>(s.rows);
  const double elements = rows * static_cast<double>(s.width);
  const double cycles = iterations(elements, machine) * machine.library.loops.simple;
  CpuRegion region = loop_region("embedding", elements, rows, cycles, request, machine);
  const double gathered = elements * request.element();
  const double hertz = clock_hertz(machine.spec, region.cores);
  for (std::size_t i = 0; i < request.operation.operands.size(); ++i) {
    // Of a table, only the rows that are looked up move.
    add_operand(region.traffic, request, i, machine.spec, region.cores, gathered);
    if (static_cast<double>(request.operation.operands[i].size.count()) <= gathered) continue;
    const LevelShares at = locate(request.distance(i), reach_of(machine.spec, region.cores));
    const double wait = access_seconds(at, machine.spec, hertz) / open_gathers;
    region.traffic.cold += wait * std::ceil(rows / static_cast<double>(region.cores));
  }
  return region;
}

}  // namespace tantalus

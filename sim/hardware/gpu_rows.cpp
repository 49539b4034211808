#include "sim/hardware/gpu_rows.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr std::int64_t most_row_waves = 1024;
constexpr double least_columns_of_a_part =
    4096;  // a block that reads less than this of a row does not pay for joining

double real(std::int64_t n) { return static_cast<double>(n); }

/// How rows are dealt to blocks. A block has whole rows, or a part of one.
struct Dealing {
  double blocks = 1;          // with enough of them for every row
  double rows_per_block = 1;  // one a warp, or one
  double columns = 1;         // that a block reads of each of its rows
  double parts = 1;           // blocks that share a row
};

Dealing deal(const GpuDevice& device, const RowPlan& plan, const RowShape& shape) {
  const GpuRowSpec& spec = plan.spec;
  Dealing dealing;
  dealing.columns = real(shape.cols);
  if (spec.by_thread) {
    dealing.rows_per_block = real(spec.threads);
  } else if (shape.cols <= spec.warp_columns) {
    dealing.rows_per_block =
        std::max(1.0, std::floor(real(spec.threads) / real(device.spec.sm.warp_size)));
  } else if (spec.split) {
    const double slots = real(device.rates.units * plan.residency.blocks_per_sm);
    const double useful = std::floor(real(shape.cols) / least_columns_of_a_part);
    dealing.parts = std::max(1.0, std::min(std::floor(slots / real(shape.rows)), useful));
    dealing.columns = std::ceil(real(shape.cols) / dealing.parts);
  }
  dealing.blocks = std::ceil(real(shape.rows) / dealing.rows_per_block) * dealing.parts;
  return dealing;
}

// Later reads of a row come from the L2 while all rows that are being worked on fit there; a warp keeps a short row in
// registers and reads it once.
Traffic traffic_of_reads(const GpuDevice& device, const RowPlan& plan, const RowShape& shape,
                         const Dealing& dealing, const Traffic& once, bool forward) {
  Traffic all = once;
  if (shape.cols > plan.spec.warp_columns) {
    const double reads = real(forward ? plan.spec.reads : plan.spec.backward_reads);
    const double resident =
        std::min(1.0, real(device.rates.units * plan.residency.blocks_per_sm) / dealing.blocks);
    const double beside = once.written * plan.spec.results_in_flight.value();
    const double in_flight = std::min((once.read + beside) * resident, 4e18);
    const double missed = 1.0 - device.hit_share(Bytes{static_cast<std::int64_t>(in_flight)});
    all.read = once.read * reads;
    all.dram_read = once.dram_read + once.read * (reads - 1.0) * missed;
  }
  const double factor = plan.spec.traffic;
  return {all.read * factor, all.written * factor, all.dram_read * factor,
          all.dram_written * factor};
}

GpuKernel join_kernel(const GpuDevice& device, const StreamPlan& plan, const Dealing& dealing,
                      const RowShape& shape) {
  StreamWork work;
  work.name = "join_rows";
  work.elements = real(shape.rows);
  work.instructions = 4.0 + 2.0 * dealing.parts;
  work.traffic.read =
      real(shape.rows) * dealing.parts * 4.0;  // one fp32 value a part, still in the L2
  work.traffic.written = real(shape.rows) * 4.0;
  return stream_kernel(device, plan, work);
}

/// LRN forward: the operation's operands are the input, the scale and the result, all of one size.
struct LrnParts {
  bool scale = true;   // is written
  bool apply = false;  // the result is a second kernel's
};
LrnParts parts_of_lrn(const GpuRowSpec& spec, const RowShape& shape, bool forward) {
  const bool lrn = shape.fn == RowFn::lrn && forward;
  return {!lrn || spec.keeps_scale, lrn && spec.apply > 0.0};
}

// One kernel of two writes either the scale or the result; so does the one kernel of a library that keeps no scale.
Traffic of_one_kernel(Traffic once, const LrnParts& parts) {
  if (parts.scale && !parts.apply) return once;
  once.written /= 2.0;
  once.dram_written /= 2.0;
  return once;
}

// The input and the scale again: they left the L2 when the tensors are large.
GpuKernel apply_kernel(const GpuDevice& device, const StreamPlan& plan, const GpuRowSpec& spec,
                       const RowShape& shape, const Traffic& first) {
  const double missed =
      1.0 - device.hit_share(Bytes{static_cast<std::int64_t>(std::min(first.all(), 4e18))});
  StreamWork work;
  work.name = "apply_rows";
  work.elements = real(shape.rows) * real(shape.cols);
  work.instructions = spec.apply;
  work.traffic = {first.all(), first.written, first.all() * missed, first.dram_written};
  return stream_kernel(device, plan, work);
}

}  // namespace

RowPlan plan_row(const GpuDevice& device, const GpuRowSpec& spec) {
  return {spec, residency_of(device, spec.threads, spec.registers, Bytes{0})};
}

namespace {

/// The kernels of one launch: over all rows, of the whole batch or of one image.
std::vector<GpuKernel> launch_of_rows(const GpuDevice& device, const RowPlan& plan,
                                      const StreamPlan& joining, const Operation& operation,
                                      const RowShape& shape, const Traffic& whole, double flops) {
  const GpuRowSpec& spec = plan.spec;
  const bool forward = operation.pass == Pass::forward;
  const Dealing dealing = deal(device, plan, shape);
  const LrnParts lrn = parts_of_lrn(spec, shape, forward);
  const Traffic once = of_one_kernel(whole, lrn);
  const Traffic traffic = traffic_of_reads(device, plan, shape, dealing, once, forward);
  const double slots = real(device.rates.units * plan.residency.blocks_per_sm);
  const auto blocks =
      static_cast<std::int64_t>(std::min(dealing.blocks, slots * real(most_row_waves)));
  const auto per_block = [&](double total) { return total / real(blocks); };

  GpuKernel kernel;
  KernelCost& cost = kernel.cost;
  cost.launch.name = name_of(shape.fn);
  if (!forward) cost.launch.name += "_gradient";
  cost.launch.grid[0] = blocks;
  cost.launch.block[0] = spec.threads;
  cost.launch.registers_per_thread = static_cast<int>(spec.registers);
  cost.algorithm = Algorithm::direct;
  cost.blocks_per_unit = plan.residency.blocks_per_sm;
  cost.occupancy_limit = plan.residency.limited_by;
  cost.fixed = duration_from_seconds(real(spec.start.count()) / device.lanes_clock);
  cost.executed_flops = static_cast<std::int64_t>(std::min(flops, 4e18));

  const double elements = real(shape.rows) * real(shape.cols);
  const double reads =
      shape.cols > spec.warp_columns ? real(forward ? spec.reads : spec.backward_reads) : 1.0;
  const double instructions = std::max(
      elements * (spec.instructions * reads + spec.per_window * real(shape.window)), flops / 2.0);
  const double compute = instructions / device.instructions_per_second();
  const double l1 = std::max(traffic.all() / device.l1_rate, traffic.written / device.store_rate);
  // The least time of a row: synchronisation of the block, then chunk after chunk.
  const double turns = per_block(dealing.blocks);
  const double row_latency =
      turns *
      (real(spec.row_start.count()) +
       real(spec.chunk.count()) * std::ceil(dealing.columns / real(spec.chunk_columns))) /
      device.lanes_clock;

  BlockPhase phase;
  phase.unit_time =
      duration_from_seconds(std::min(per_block(std::max(compute, l1)), longest_kernel));
  phase.unit_bound = compute >= l1 ? Bound::compute : Bound::l1;
  const double warps = std::ceil(real(spec.threads) / real(device.spec.sm.warp_size));
  phase.max_share = std::min(
      {1.0, warps / saturating_warps, (seconds(phase.unit_time) + 1e-12) / (row_latency + 1e-12)});
  phase.bytes = {share_of(std::min(traffic.all(), 4e18), blocks),
                 share_of(std::min(traffic.dram(), 4e18), blocks)};
  // Every thread has the four values of one vector load of each operand in flight.
  const double in_flight = std::min(
      real(spec.threads) * 16.0 * real(static_cast<std::int64_t>(operation.operands.size())),
      std::max(1.0, traffic.all() / dealing.blocks));
  phase.max_rate = {port_share(device, blocks, cost.blocks_per_unit),
                    latency_bound(device, in_flight)};
  phase.exposed = spec.exposed.value();
  cost.groups.push_back({blocks, {phase}});
  kernel.joules = flops * device.joules_per_flop(MathUnit::lanes, DType::fp32) +
                  traffic.all() * device.joules_per_l2_byte +
                  traffic.dram() * device.joules_per_dram_byte;

  std::vector<GpuKernel> kernels;
  kernels.push_back(std::move(kernel));
  if (lrn.apply) kernels.push_back(apply_kernel(device, joining, spec, shape, once));
  if (dealing.parts > 1.0) kernels.push_back(join_kernel(device, joining, dealing, shape));
  return kernels;
}

}  // namespace

std::vector<GpuKernel> row_kernels(const GpuDevice& device, const RowPlan& plan,
                                   const StreamPlan& joining, const Operation& operation,
                                   const RowShape& shape, const Traffic& whole) {
  TANTALUS_CHECK(plan.residency.blocks_per_sm > 0, "the kernel fits on an SM");
  const double flops = real(operation.other_ops);
  if (!plan.spec.per_image || shape.images < 2)
    return launch_of_rows(device, plan, joining, operation, shape, whole, flops);
  if (shape.images > most_image_launches) return {};
  const double images = real(shape.images);
  RowShape one = shape;
  one.images = 1;
  one.cols = std::max<std::int64_t>(1, shape.cols / shape.images);
  const Traffic share{whole.read / images, whole.written / images, whole.dram_read / images,
                      whole.dram_written / images};
  const std::vector<GpuKernel> launch =
      launch_of_rows(device, plan, joining, operation, one, share, flops / images);
  std::vector<GpuKernel> kernels;
  kernels.reserve(launch.size() * static_cast<std::size_t>(shape.images));
  for (std::int64_t i = 0; i < shape.images; ++i)
    kernels.insert(kernels.end(), launch.begin(), launch.end());
  return kernels;
}

}  // namespace tantalus

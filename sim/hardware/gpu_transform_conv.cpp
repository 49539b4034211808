#include "sim/hardware/gpu_transform_conv.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus {

namespace {

constexpr double most_bytes = 4e18;

double real(std::int64_t n) { return static_cast<double>(n); }
std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

// The image that the tiles cover: what the pass writes, or for weights what the filters have slid over.
struct Image {
  std::int64_t h = 1, w = 1;
};
Image covered(const ConvShape& s, Pass pass) {
  return pass == Pass::input_gradient ? Image{s.in_h, s.in_w} : Image{s.out_h, s.out_w};
}

std::int64_t outputs_of_tile(const GpuTransformSpec& spec, const ConvShape& s) {
  return spec.edge - std::max(s.kernel_h, s.kernel_w) + 1;
}

double missed(const GpuDevice& device, double distance) {
  return 1.0 - device.hit_share(Bytes{static_cast<std::int64_t>(std::min(distance, most_bytes))});
}

/// Bytes of the operands as they lie in memory, and what of them must come from or go to DRAM.
struct Operands {
  double data = 0, other = 0, result = 0;
  double read_missed = 1, written_missed = 1;  // shares
};

Operands operands_of(const Operation& operation, const ConvShape& s, const Traffic& traffic) {
  const double size = real(element_size(operation.type));
  const double input = real(s.batch) * real(s.in_ch) * real(s.in_h) * real(s.in_w) * size;
  const double output = real(s.batch) * real(s.out_ch) * real(s.out_h) * real(s.out_w) * size;
  const double weights =
      real(s.out_ch) * real(s.in_ch / s.groups) * real(s.kernel_h * s.kernel_w) * size;
  Operands o;
  o.data = operation.pass == Pass::input_gradient ? output : input;
  o.other = operation.pass == Pass::weight_gradient ? output : weights;
  o.result = operation.pass == Pass::input_gradient    ? input
             : operation.pass == Pass::weight_gradient ? weights
                                                       : output;
  if (traffic.read > 0.0) o.read_missed = traffic.dram_read / traffic.read;
  if (traffic.written > 0.0) o.written_missed = traffic.dram_written / traffic.written;
  return o;
}

/// One transform: `values` transformed ones on one side, bytes as they lie on the other.
struct Transform {
  std::string_view name;
  double values = 0;
  double read = 0, read_missed = 1, written = 0, written_missed = 1;
  double traffic = 1;
};

GpuKernel transform_kernel(const ConvTools& tools, const ConvPlan& plan, const Transform& t) {
  StreamWork work;
  work.name = t.name;
  work.elements = t.values;
  work.instructions = plan.spec.transform->instructions;
  work.traffic = {t.read * t.traffic, t.written * t.traffic, t.read * t.read_missed * t.traffic,
                  t.written * t.written_missed * t.traffic};
  GpuKernel kernel = stream_kernel(tools.device, plan.transform, work);
  kernel.joules *= plan.spec.energy;
  return kernel;
}

// Filters are transformed by a kernel that has one thread for each pair of channels; the weights of a gradient come back alike.
double traffic_factor(const GpuTransformSpec& spec, bool filters) {
  return filters ? spec.filter_traffic : spec.traffic;
}

}  // namespace

bool transform_takes(const GpuConvSpec& spec, const ConvShape& s, Pass pass) {
  if (s.stride_h != 1 || s.stride_w != 1 || s.dilation_h != 1 || s.dilation_w != 1) return false;
  if (spec.fused) {
    return pass != Pass::weight_gradient && s.kernel_h == 3 && s.kernel_w == 3;
  }
  const GpuTransformSpec& t = *spec.transform;
  if (spec.algorithm == Algorithm::fft) {
    return std::max(s.kernel_h, s.kernel_w) > 1 && std::max(s.kernel_h, s.kernel_w) <= t.edge / 2;
  }
  return s.kernel_h == t.filter && s.kernel_w == t.filter;
}

TransformedProduct transformed_product(const GpuTransformSpec& spec, Algorithm algorithm,
                                       const ConvShape& s, Pass pass) {
  const Image image = covered(s, pass);
  const std::int64_t outputs = outputs_of_tile(spec, s);
  const std::int64_t tiles =
      s.batch * quotient_up(image.h, outputs) * quotient_up(image.w, outputs);
  const std::int64_t channels = s.in_ch / s.groups, filters = s.out_ch / s.groups;
  TransformedProduct p;
  // A real FFT of edge x edge has edge x (edge/2 + 1) different complex points.
  p.points = algorithm == Algorithm::fft ? real(spec.edge * (spec.edge / 2 + 1))
                                         : real(spec.edge * spec.edge);
  p.m = pass == Pass::input_gradient ? channels : filters;
  p.n = pass == Pass::weight_gradient ? channels : tiles;
  p.k = pass == Pass::forward ? channels : pass == Pass::input_gradient ? filters : tiles;
  const double groups = real(s.groups);
  p.data = p.points * groups * real(p.n) * real(p.k);
  p.other = p.points * groups * real(p.m) * real(p.k);
  p.result = p.points * groups * real(p.m) * real(p.n);
  return p;
}

std::vector<GpuKernel> transformed_kernels(const ConvTools& tools, const ConvPlan& plan,
                                           const Operation& operation, const ConvShape& shape,
                                           const Traffic& traffic) {
  const GpuTransformSpec& spec = *plan.spec.transform;
  if (!transform_takes(plan.spec, shape, operation.pass) ||
      plan.transform.residency.blocks_per_sm < 1)
    return {};
  const bool complex = plan.spec.algorithm == Algorithm::fft;
  const TransformedProduct p =
      transformed_product(spec, plan.spec.algorithm, shape, operation.pass);
  const double size = complex ? 8.0 : 4.0;
  const double data = p.data * size, other = p.other * size, result = p.result * size;
  if (data + other + result > static_cast<double>(spec.workspace.count())) return {};
  const Operands lies = operands_of(operation, shape, traffic);
  const bool weights = operation.pass == Pass::weight_gradient;
  const double transformed_missed = missed(tools.device, data + other);
  const double result_missed = missed(tools.device, result);

  GemmWork work;
  work.batch = static_cast<std::int64_t>(p.points) * shape.groups;
  work.m = p.m;
  work.n = p.n;
  work.k = p.k;
  if (complex) {  // (a + ib)(c + id): four real products, as one of twice the rows and columns
    work.m *= 2;
    work.n *= 2;
  }
  work.type = operation.type;
  work.operands = "nn";
  work.flops = 2.0 * real(work.batch) * real(work.m) * real(work.n) * real(work.k);
  work.traffic = {data + other, result, (data + other) * transformed_missed,
                  result * result_missed};
  work.algorithm = plan.spec.algorithm;
  work.energy = plan.spec.energy;
  const std::vector<GpuKernel> products = gemm_kernels(
      tools.device, plan.product.empty() ? tools.families : plan.product, tools.reduction, work);
  if (products.empty()) return {};

  std::vector<GpuKernel> kernels;
  kernels.reserve(products.size() + 3);
  kernels.push_back(transform_kernel(tools, plan,
                                     {complex ? "fft_data" : "winograd_data", p.data, lies.data,
                                      lies.read_missed, data, transformed_missed, spec.traffic}));
  kernels.push_back(transform_kernel(tools, plan,
                                     {weights ? (complex ? "fft_delta" : "winograd_delta")
                                              : (complex ? "fft_filter" : "winograd_filter"),
                                      p.other, lies.other, lies.read_missed, other,
                                      transformed_missed, traffic_factor(spec, !weights)}));
  kernels.insert(kernels.end(), products.begin(), products.end());
  kernels.push_back(
      transform_kernel(tools, plan,
                       {complex ? "fft_output" : "winograd_output", p.result, result, result_missed,
                        lies.result, lies.written_missed, traffic_factor(spec, weights)}));
  for (GpuKernel& kernel : kernels) kernel.cost.algorithm = plan.spec.algorithm;
  kernels.front().cost.workspace =
      Bytes{static_cast<std::int64_t>(std::min(data + other + result, most_bytes))};
  return kernels;
}

std::vector<GpuKernel> fused_winograd_kernels(const ConvTools& tools, const ConvPlan& plan,
                                              const Operation& operation, const ConvShape& s,
                                              const Traffic& traffic) {
  const GpuFusedWinogradSpec& spec = *plan.spec.fused;
  const GpuDevice& device = tools.device;
  const double rate = device.macs_per_second(MathUnit::lanes, operation.type);
  if (!transform_takes(plan.spec, s, operation.pass) || plan.fused.blocks_per_sm < 1 || rate <= 0.0)
    return {};
  const Image image = covered(s, operation.pass);
  const bool back = operation.pass == Pass::input_gradient;
  const std::int64_t channels = (back ? s.out_ch : s.in_ch) / s.groups;
  const std::int64_t filters = (back ? s.in_ch : s.out_ch) / s.groups;
  const std::int64_t edge = spec.output + 2;  // 3x3 filters
  const double points = real(edge * edge);
  const double size = real(element_size(operation.type));
  const double tiles_of_block =
      real(spec.images * spec.rows * spec.columns / (spec.output * spec.output));
  const double depth = real(quotient_up(channels, spec.k_step) * spec.k_step);

  const double all = real(s.groups) * real(quotient_up(filters, spec.filters)) *
                     real(quotient_up(s.batch, spec.images)) *
                     real(quotient_up(image.h, spec.rows)) *
                     real(quotient_up(image.w, spec.columns));
  const std::int64_t slots = device.rates.units * plan.fused.blocks_per_sm;
  const double turns = std::ceil(all / static_cast<double>(slots * most_gemm_waves));
  const auto blocks = static_cast<std::int64_t>(std::ceil(all / turns));

  const double macs = points * tiles_of_block * real(spec.filters) * depth;
  const double loaded = (real(spec.images * (spec.rows + 2) * (spec.columns + 2)) +
                         points * real(std::min(spec.filters, filters))) *
                        real(channels) * size;
  const double stored =
      real(spec.images * spec.rows * spec.columns) * real(std::min(spec.filters, filters)) * size;
  const double unit =
      turns * std::max(macs / (rate * spec.efficiency.value()), loaded / device.l1_rate);
  const double latency = turns *
                         (static_cast<double>(spec.start.count()) +
                          depth / real(spec.k_step) * static_cast<double>(spec.step.count())) /
                         device.clock(MathUnit::lanes);
  if (!(unit + latency < longest_kernel)) return {};
  const double filter_values = points * real(s.groups) * real(filters) * real(channels);
  const double transformed = filter_values * size;
  const double filter_missed = missed(device, transformed);
  const Operands lies = operands_of(operation, s, traffic);

  GpuKernel kernel;
  KernelCost& cost = kernel.cost;
  BlockPhase loop;
  const double operands = std::max(loaded * all, traffic.read);
  const double from_dram = lies.data * lies.read_missed + transformed * filter_missed;
  loop.unit_time = duration_from_seconds(unit);
  loop.max_share = std::min(1.0, unit / (latency + 1e-12));
  loop.bytes = {share_of(std::min(operands, most_bytes), blocks), share_of(from_dram, blocks)};
  loop.max_rate = {
      port_share(device, blocks, plan.fused.blocks_per_sm),
      latency_bound(device, static_cast<double>(spec.threads * spec.in_flight.count()))};
  loop.exposed = spec.exposed.value();
  // The first loads of a block hide behind the work of the others on its SM, if there are any.
  const double first = static_cast<double>(spec.start.count()) / device.clock(MathUnit::lanes);
  const double others = unit / turns * static_cast<double>(plan.fused.blocks_per_sm - 1);
  loop.latency = duration_from_seconds(turns * std::max(0.0, first - others));
  // Transforming back is work of the lanes too, with their energy.
  const auto back_clocks = static_cast<double>(spec.epilogue.count());
  const double back_macs = back_clocks / device.clock(MathUnit::lanes) * rate;
  BlockPhase store;
  store.unit_time = duration_from_seconds(
      turns * (stored / device.store_rate + back_clocks / device.clock(MathUnit::lanes)));
  store.bytes = {share_of(lies.result, blocks),
                 share_of(lies.result * lies.written_missed, blocks)};
  store.max_rate = loop.max_rate;
  store.unit_bound = Bound::l1;
  cost.groups.push_back({blocks, {loop, store}});
  cost.launch.name =
      "winograd_" + std::to_string(spec.output) + "x" + std::to_string(spec.output) + "_fused";
  cost.launch.grid[0] = blocks;
  cost.launch.block[0] = spec.threads;
  cost.launch.registers_per_thread = static_cast<int>(spec.registers);
  cost.launch.shared_bytes = spec.shared;
  cost.algorithm = Algorithm::winograd;
  cost.blocks_per_unit = plan.fused.blocks_per_sm;
  cost.occupancy_limit = plan.fused.limited_by;
  const double tiles = real(s.groups) * real(s.batch) * real(quotient_up(image.h, spec.output)) *
                       real(quotient_up(image.w, spec.output));
  cost.executed_flops = static_cast<std::int64_t>(
      std::min(2.0 * points * tiles * real(filters) * real(channels), 9e18));
  kernel.joules =
      2.0 * (macs + back_macs) * all * device.joules_per_flop(MathUnit::lanes, operation.type) +
      (operands + lies.result) * device.joules_per_l2_byte +
      (from_dram + lies.result * lies.written_missed) * device.joules_per_dram_byte;
  kernel.joules *= plan.spec.energy;

  StreamWork filter;
  filter.name = "winograd_filter";
  filter.elements = filter_values;
  filter.instructions = 8.0;
  filter.traffic = {lies.other, transformed, lies.other * lies.read_missed,
                    transformed * filter_missed};
  std::vector<GpuKernel> kernels;
  kernels.push_back(stream_kernel(device, tools.reduction, filter));
  kernels.back().joules *= plan.spec.energy;
  kernels.front().cost.algorithm = Algorithm::winograd;
  kernels.front().cost.workspace =
      Bytes{static_cast<std::int64_t>(std::min(transformed, most_bytes))};
  kernels.push_back(std::move(kernel));
  return kernels;
}

}  // namespace tantalus

#include "sim/hardware/cpu_conv.hpp"

#include <algorithm>
#include <cmath>

#include "sim/hardware/cpu_gemm.hpp"

namespace tantalus {

namespace {

// Outputs whose tap at `offset` (in input steps from the output's first) lies inside the image.
double outputs_inside(std::int64_t in, std::int64_t out, std::int64_t stride, double offset) {
  const double last_in = static_cast<double>(in) - 1.0 - offset;
  if (last_in < 0.0) return 0.0;
  const auto step = static_cast<double>(stride);
  const double first = offset >= 0.0 ? 0.0 : std::ceil(-offset / step);
  const double last = std::min(static_cast<double>(out) - 1.0, std::floor(last_in / step));
  return std::max(0.0, last - first + 1.0);
}

double divisor_up_to(double most, double blocks) {
  for (double n = most; n > 1.0; n -= 1.0) {
    if (std::fmod(blocks, n) == 0.0) return n;
  }
  return 1.0;
}

}  // namespace

double taps_inside(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                   std::int64_t pad, std::int64_t dilation) {
  constexpr std::int64_t countable = 4096;
  if (kernel > countable) return static_cast<double>(out) * static_cast<double>(kernel);
  double taps = 0.0;
  for (std::int64_t tap = 0; tap < kernel; ++tap) {
    const double offset =
        static_cast<double>(tap) * static_cast<double>(dilation) - static_cast<double>(pad);
    taps += outputs_inside(in, out, stride, offset);
  }
  return taps;
}

namespace {

// The channels of a direct kernel: groups, and per group the output blocks of one vector each.
struct Channels {
  double groups = 1, in = 1, out = 1, blocks = 1, padded_out = 1;
};

// Blocks of channels are padded on both sides; the few channels of an image lie plainly and are not. The gradient of the input
// computes input channels from output channels.
Channels channels_of(const ConvShape& s, double vector, Pass pass) {
  constexpr double image_channels = 3;
  const auto groups = static_cast<double>(s.groups);
  const double in = static_cast<double>(s.in_ch) / groups;
  const double out = static_cast<double>(s.out_ch) / groups;
  // Depthwise kernels put neighbouring groups into the lanes.
  const bool depthwise = s.groups > 1 && in <= 1.0 && out <= 1.0;
  Channels c{groups, in, out, 1, 1};
  if (depthwise) c = {1, 1, groups, 1, 1};
  if (!depthwise && pass == Pass::forward && in >= vector) c.in = round_up_to(in, vector);
  if (!depthwise && pass == Pass::input_gradient) c = {groups, round_up_to(out, vector), in, 1, 1};
  // Fewer channels than a block: kernels of half the width.
  if (!depthwise && pass == Pass::weight_gradient && in > image_channels)
    c.in = round_up_to(in, in < vector ? vector / 2 : vector);
  c.blocks = std::ceil(c.out / vector);
  c.padded_out = c.blocks * vector;
  return c;
}

double blocks_in_registers(const CpuDirectConvSpec& direct, const Channels& c) {
  const auto most = static_cast<double>(direct.block_efficiency.size());
  return direct.whole_blocks ? divisor_up_to(most, c.blocks) : std::min(most, c.blocks);
}

// A row is computed `row_outputs` at a time; its remainder cannot fill the multiply-add pipeline.
double row_efficiency(const CpuDirectConvSpec& direct, double nb, double width,
                      const SimdSpec& simd) {
  const auto step = static_cast<double>(direct.row_outputs);
  if (step < 1.0 || nb < step) return 1.0;
  const double ports = simd.multiply_adds();
  const double whole = std::floor(width / step);
  const double rest = width - whole * step;
  const double tail =
      rest > 0.0 ? std::max(nb * rest / ports, static_cast<double>(simd.fma_latency.count())) : 0.0;
  return std::min(1.0, (width * nb / ports) / (whole * nb * step / ports + tail));
}

// Each further image passes over all weights (or their sums) again; the image between pushed out what a cache cannot hold.
void add_later_weights(CpuRegion& region, const ConvShape& s, const CpuRequest& request,
                       const CpuSpec& spec) {
  const auto size = [](std::int64_t channels, std::int64_t height, std::int64_t width) {
    return static_cast<double>(channels) * static_cast<double>(height) * static_cast<double>(width);
  };
  const double weights = request.element() * static_cast<double>(s.out_ch) *
                         size(s.in_ch / s.groups, s.kernel_h, s.kernel_w);
  const double image =
      request.element() * (size(s.in_ch, s.in_h, s.in_w) + size(s.out_ch, s.out_h, s.out_w));
  add_pass(region.traffic, (static_cast<double>(s.batch) - 1.0) * weights, weights + image,
           request.operation.pass == Pass::weight_gradient, spec, region.cores);
}

double pass_factor(const CpuDirectConvSpec& direct, Pass pass) {
  if (pass == Pass::input_gradient) return direct.input_gradient;
  if (pass == Pass::weight_gradient) return direct.weight_gradient;
  return 1.0;
}

}  // namespace

bool has_direct_kernel(const CpuDirectConvSpec& direct, const ConvShape& s, Pass pass) {
  const bool strided = s.stride_h > 1 || s.stride_w > 1;
  const bool padded = s.pad_h > 0 || s.pad_w > 0;
  return direct.widest_strided < 1 || s.kernel_w <= direct.widest_strided || !strided || !padded ||
         pass == Pass::weight_gradient;
}

std::vector<CpuRegion> direct_conv_regions(const CpuRequest& request, const ConvShape& s,
                                           const CpuMachine& machine) {
  const CpuDirectConvSpec& direct = *machine.library.direct;
  const std::int64_t lanes = machine.library.vector.count() / 32;  // of four bytes each
  const Channels c = channels_of(s, static_cast<double>(lanes), request.operation.pass);
  const double nb = blocks_in_registers(direct, c);
  const double efficiency =
      direct.block_efficiency[static_cast<std::size_t>(nb) - 1].value() *
      row_efficiency(direct, nb, static_cast<double>(s.out_w), machine.spec.simd);
  const double taps = taps_inside(s.in_h, s.out_h, s.kernel_h, s.stride_h, s.pad_h, s.dilation_h) *
                      taps_inside(s.in_w, s.out_w, s.kernel_w, s.stride_w, s.pad_w, s.dilation_w);
  const auto batch = static_cast<double>(s.batch);
  const double rows = batch * c.groups * static_cast<double>(s.out_h) * std::ceil(c.blocks / 4.0);

  CpuRegion region;
  region.name = "direct_conv";
  region.algorithm = Algorithm::direct;
  region.exposed = direct.exposed.value();
  region.pieces = std::max(1.0, rows);
  region.cores = machine.library.threads.loops ? cores_for(machine, region.pieces) : 1;
  region.flops = 2.0 * batch * static_cast<double>(s.out_ch) * static_cast<double>(s.in_ch) /
                 static_cast<double>(s.groups) * taps;
  const double padded = 2.0 * batch * c.groups * c.padded_out * c.in * taps;
  const double multiply = padded / (flops_per_cycle(machine, request.operation.type) * efficiency);
  const double packed = taps * batch * c.groups * c.in / static_cast<double>(used_lanes(machine));
  region.cycles = (multiply + direct.row * rows + direct.pack * packed) *
                  pass_factor(direct, request.operation.pass) *
                  threading_loss(machine, region.cores, batch);
  region.fixed = seconds(direct.call) + sync_seconds(machine, region.cores);
  add_operands(region.traffic, request, machine.spec, region.cores);
  add_later_weights(region, s, request, machine.spec);
  std::vector<CpuRegion> regions{region};
  return regions;
}

namespace {

// Sizes of the im2col form of one image.
struct Columns {
  double batch = 1, groups = 1, depth = 1, positions = 1, out = 1;  // depth, out: of one group
  double matrix = 0, output = 0, weights = 0;                       // bytes
  bool needed = true;  // a 1x1 layer without stride and padding is its own column matrix
};

Columns columns_of(const ConvShape& s, double element) {
  Columns c;
  c.batch = static_cast<double>(s.batch);
  c.groups = static_cast<double>(s.groups);
  c.depth = static_cast<double>(s.in_ch) / c.groups * static_cast<double>(s.kernel_h) *
            static_cast<double>(s.kernel_w);
  c.positions = static_cast<double>(s.out_h) * static_cast<double>(s.out_w);
  c.out = static_cast<double>(s.out_ch) / c.groups;
  c.matrix = c.groups * c.depth * c.positions * element;
  c.output = c.groups * c.out * c.positions * element;
  c.weights = c.groups * c.out * c.depth * element;
  c.needed = s.kernel_h * s.kernel_w != 1 || s.stride_h != 1 || s.stride_w != 1 || s.pad_h != 0 ||
             s.pad_w != 0;
  return c;
}

bool is_image(const TensorUse& use, const ConvShape& s, double element, bool written) {
  const double bytes = static_cast<double>(s.batch) * static_cast<double>(s.in_ch) *
                       static_cast<double>(s.in_h) * static_cast<double>(s.in_w) * element;
  return use.written == written && std::fabs(static_cast<double>(use.size.count()) - bytes) < 1.0;
}

// Between image and column matrix, one way or the other: im2col before, col2im after the product.
CpuRegion column_region(const Columns& c, const ConvShape& s, bool to_image,
                        const CpuMachine& machine) {
  const CpuIm2colSpec& loop = *machine.library.im2col;
  CpuRegion region;
  region.name = to_image ? "col2im" : "im2col";
  region.algorithm = Algorithm::im2col_gemm;
  region.pieces = std::max(1.0, c.groups * c.depth);
  region.cores = machine.library.threads.loops ? cores_for(machine, region.pieces) : 1;
  region.cycles = c.batch * (loop.element + loop.row / static_cast<double>(s.out_w)) * c.groups *
                  c.depth * c.positions * threading_loss(machine, region.cores, 1.0);
  region.fixed = c.batch * sync_seconds(machine, region.cores);
  region.workspace = c.matrix;
  const double since = to_image ? c.matrix : c.matrix + c.output + c.weights;
  add_pass(region.traffic, c.batch * c.matrix, since, !to_image, machine.spec, region.cores);
  return region;
}

CpuProduct product_of(const Columns& c, Pass pass, DType type) {
  if (pass == Pass::input_gradient) return {c.depth, c.positions, c.out, false, type};
  if (pass == Pass::weight_gradient) return {c.out, c.depth, c.positions, true, type};
  return {c.out, c.positions, c.depth, false, type};
}

CpuRegion product_region(const Columns& c, Pass pass, DType type, const CpuMachine& machine) {
  const CpuProduct p = product_of(c, pass, type);
  CpuRegion region;
  region.name = "gemm";
  region.algorithm = Algorithm::im2col_gemm;
  region.exposed = machine.library.gemm.exposed.value();
  region.pieces = product_tiles(p, machine);
  region.cores = product_cores(p, machine);
  region.cycles = c.batch * c.groups * product_cycles(p, machine, region.cores);
  region.fixed = c.batch * c.groups *
                 (seconds(machine.library.gemm.call) + sync_seconds(machine, region.cores));
  region.flops = 2.0 * c.batch * c.groups * p.m * p.n * p.k;
  region.workspace = c.needed ? c.matrix : 0.0;
  const bool writes_columns = pass == Pass::input_gradient;
  if (c.needed) {
    add_pass(region.traffic, c.batch * c.matrix, c.matrix, writes_columns, machine.spec,
             region.cores);
  }
  // Later images find the weights (or their gradient) as long ago as one image is large.
  const double image = c.matrix + c.output + c.weights;
  add_pass(region.traffic, (c.batch - 1.0) * c.weights, image, pass == Pass::weight_gradient,
           machine.spec, region.cores);
  const double result = p.m * p.n * static_cast<double>(element_size(type));
  add_pass(region.traffic, c.batch * c.groups * result * repeated_updates(p, machine), result, true,
           machine.spec, region.cores);
  return region;
}

// Operands that the column loop touches go to it, the rest to the product.
void share_operands(CpuRegion* columns, CpuRegion& product, const CpuRequest& request,
                    const ConvShape& s, const CpuSpec& spec) {
  const bool to_image = request.operation.pass == Pass::input_gradient;
  for (std::size_t i = 0; i < request.operation.operands.size(); ++i) {
    const bool image = is_image(request.operation.operands[i], s, request.element(), to_image);
    CpuRegion& region = image && columns != nullptr ? *columns : product;
    add_operand(region.traffic, request, i, spec, region.cores);
  }
}

}  // namespace

std::vector<CpuRegion> im2col_conv_regions(const CpuRequest& request, const ConvShape& s,
                                           const CpuMachine& machine) {
  const Operation& op = request.operation;
  const Columns c = columns_of(s, request.element());
  const bool to_image = op.pass == Pass::input_gradient;
  CpuRegion product = product_region(c, op.pass, op.type, machine);
  CpuRegion columns = column_region(c, s, to_image, machine);
  share_operands(c.needed ? &columns : nullptr, product, request, s, machine.spec);

  std::vector<CpuRegion> regions;
  if (c.needed && !to_image) regions.push_back(columns);
  regions.push_back(product);
  if (c.needed && to_image) regions.push_back(columns);
  if (op.bias && op.pass == Pass::forward && machine.library.loops.bias > 0) {
    regions.push_back(
        bias_region({c.groups * c.out, c.positions, 1, false, op.type}, c.batch, machine));
  }
  return regions;
}

}  // namespace tantalus

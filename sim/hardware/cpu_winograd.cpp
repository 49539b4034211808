#include "sim/hardware/cpu_winograd.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/hardware/cpu_gemm.hpp"

namespace tantalus {

namespace {

// Sizes of one convolution in tiles. Values of int8 layers are 16 bits wide behind the transform.
struct Tiling {
  double points = 1;                 // of one transformed tile
  double tiles = 1;                  // of all images
  double groups = 1;                 // one after the other
  double channels = 1, filters = 1;  // of one group
  double data = 0, weights = 0;      // bytes of all groups, transformed
};

Tiling tiling_of(const ConvShape& s, const CpuWinogradTileSpec& tile, DType type) {
  const auto outputs = static_cast<double>(tile.outputs);
  const auto along = [&](std::int64_t size) {
    return std::ceil(static_cast<double>(size) / outputs);
  };
  Tiling t;
  t.points = (outputs + 2.0) * (outputs + 2.0);
  t.tiles = static_cast<double>(s.batch) * along(s.out_h) * along(s.out_w);
  t.groups = static_cast<double>(s.groups);
  t.channels = static_cast<double>(s.in_ch) / t.groups;
  t.filters = static_cast<double>(s.out_ch) / t.groups;
  const double size = type == DType::int8 ? 2.0 : 4.0;
  t.data = size * t.points * t.groups * t.tiles * t.channels;
  t.weights = size * t.points * t.groups * t.filters * t.channels;
  return t;
}

// Cycles of all transformed values of `channels`, a vector of channels at a time.
double transform_cycles(const Tiling& t, double channels, double cycles,
                        const CpuMachine& machine) {
  const auto lanes = static_cast<double>(used_lanes(machine));
  return cycles * t.points * t.groups * t.tiles * std::ceil(channels / lanes);
}

// Which operand is the image and which are the weights: by their sizes, in the order in which an operation lists them.
struct Roles {
  std::optional<std::size_t> image, weights;
};

Roles roles_of(const CpuRequest& request, const ConvShape& s) {
  const auto bytes = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return request.element() * static_cast<double>(a) * static_cast<double>(b) *
           static_cast<double>(c) * static_cast<double>(d);
  };
  const double image = bytes(s.batch, s.in_ch, s.in_h, s.in_w);
  const double weights = bytes(s.out_ch, s.in_ch / s.groups, s.kernel_h, s.kernel_w);
  Roles roles;
  const std::vector<TensorUse>& operands = request.operation.operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].written) continue;
    const auto size = static_cast<double>(operands[i].size.count());
    if (!roles.image && size == image) {
      roles.image = i;
    } else if (!roles.weights && size == weights) {
      roles.weights = i;
    }
  }
  return roles;
}

CpuRegion input_region(const CpuRequest& request, const Tiling& t, const CpuWinogradTileSpec& tile,
                       const Roles& roles, const CpuMachine& machine) {
  CpuRegion region;
  region.name = "winograd_input";
  region.algorithm = Algorithm::winograd;
  const double batch = static_cast<double>(std::get<ConvShape>(request.operation.work).batch);
  region.pieces = t.tiles * std::ceil(t.channels / static_cast<double>(used_lanes(machine)));
  region.cores = machine.library.threads.loops ? cores_for(machine, region.pieces) : 1;
  region.exposed = machine.library.gemm.exposed.value();
  region.cycles = transform_cycles(t, t.channels, tile.input, machine) *
                  threading_loss(machine, region.cores, batch);
  region.fixed = t.groups * sync_seconds(machine, region.cores);
  region.workspace = t.data + t.weights;
  if (roles.image) add_operand(region.traffic, request, *roles.image, machine.spec, region.cores);
  add_pass(region.traffic, t.data, t.data, true, machine.spec, region.cores);
  return region;
}

CpuRegion product_region(const CpuRequest& request, const Tiling& t,
                         const CpuWinogradTileSpec& tile, const Roles& roles,
                         const CpuMachine& machine) {
  const DType type = request.operation.type;
  const CpuProduct p{t.filters, t.tiles, t.channels, false, DType::fp32};
  const double batch = static_cast<double>(std::get<ConvShape>(request.operation.work).batch);
  CpuRegion region;
  region.name = "winograd_gemm";
  region.algorithm = Algorithm::winograd;
  region.pieces = product_tiles(p, machine);
  region.cores = product_cores(p, machine);
  region.exposed = machine.library.gemm.exposed.value();
  const double rate = type == DType::int8 ? machine.library.winograd->int8_rate : 1.0;
  region.cycles = (t.points * t.groups * product_cycles(p, machine, region.cores) / rate +
                   transform_cycles(t, t.filters, tile.output, machine)) *
                  threading_loss(machine, region.cores, batch);
  region.fixed =
      t.groups * (seconds(machine.library.gemm.call) + sync_seconds(machine, region.cores));
  region.flops = 2.0 * t.points * t.groups * t.filters * t.tiles * t.channels;
  region.workspace = t.data + t.weights;
  add_pass(region.traffic, t.data, t.data, false, machine.spec, region.cores);
  for (std::size_t i = 0; i < request.operation.operands.size(); ++i) {
    if (i == roles.weights) {
      add_pass(region.traffic, t.weights, request.distance(i), false, machine.spec, region.cores);
    } else if (i != roles.image) {
      add_operand(region.traffic, request, i, machine.spec, region.cores);
    }
  }
  return region;
}

}  // namespace

bool takes_winograd(const CpuWinogradSpec& spec, const CpuWinogradTileSpec& tile,
                    const Operation& operation) {
  const auto* s = std::get_if<ConvShape>(&operation.work);
  if (s == nullptr || operation.pass != Pass::forward) return false;
  if (operation.type == DType::int8 && tile.outputs > spec.widest_int8) return false;
  const bool filter = s->kernel_h == 3 && s->kernel_w == 3;
  const bool dense =
      s->stride_h == 1 && s->stride_w == 1 && s->dilation_h == 1 && s->dilation_w == 1;
  return filter && dense && std::max(s->in_ch, s->out_ch) / s->groups >= spec.least_channels;
}

std::vector<std::vector<CpuRegion>> winograd_conv_regions(const CpuRequest& request,
                                                          const CpuMachine& machine) {
  std::vector<std::vector<CpuRegion>> found;
  if (!machine.library.winograd) return found;
  for (const CpuWinogradTileSpec& tile : machine.library.winograd->tiles) {
    if (!takes_winograd(*machine.library.winograd, tile, request.operation)) continue;
    const ConvShape& shape = std::get<ConvShape>(request.operation.work);
    const Tiling tiling = tiling_of(shape, tile, request.operation.type);
    const Roles roles = roles_of(request, shape);
    found.push_back({input_region(request, tiling, tile, roles, machine),
                     product_region(request, tiling, tile, roles, machine)});
  }
  return found;
}

}  // namespace tantalus

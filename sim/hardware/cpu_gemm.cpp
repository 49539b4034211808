#include "sim/hardware/cpu_gemm.hpp"

#include <algorithm>
#include <cmath>

namespace tantalus {

namespace {

constexpr double alias_pitch = 4096;         // bytes: sets of L1 times the line
constexpr double least_unpacked_depth = 32;  // of a transposed B (OpenBLAS, small matrix permits)

bool is_unpacked(const CpuProduct& p, const CpuGemmSpec& gemm) {
  if (p.m * p.n * p.k > static_cast<double>(gemm.unpacked_below)) return false;
  if (!p.trans_b) return true;
  return p.m * p.n <= static_cast<double>(gemm.unpacked_transposed) && p.k >= least_unpacked_depth;
}

double packing_cycles(const CpuProduct& p, const CpuGemmSpec& gemm) {
  if (is_unpacked(p, gemm)) return 0.0;
  const double pack_b = p.trans_b ? *gemm.pack_transposed : gemm.pack_b;
  return pack_b * p.k * p.n + gemm.pack_a * p.m * p.k;
}

// Rows so many elements apart fall into the same sets of L1.
bool is_alias(double elements, DType type) {
  const double pitch = elements * static_cast<double>(element_size(type));
  return pitch >= alias_pitch && std::fmod(pitch, alias_pitch) == 0.0;
}

bool is_aliased(const CpuProduct& p) { return p.m > 1 && is_alias(p.n, p.type); }

// Packing goes along some rows of B at a time.
double packed_rate(const CpuProduct& p, const CpuGemmSpec& gemm) {
  return (is_alias(p.trans_b ? p.k : p.n, p.type) ? *gemm.aliased_rate : gemm.packed_rate).value();
}

double inner_efficiency(const CpuProduct& p, const CpuGemmSpec& gemm, std::int64_t cores) {
  if (is_unpacked(p, gemm)) return gemm.unpacked_efficiency.value();
  const double aliased = is_aliased(p) ? gemm.aliased_efficiency.value() : 1.0;
  return aliased * (cores > 1 ? *gemm.threaded_efficiency : gemm.efficiency).value();
}

double exposed_of(const CpuProduct& p, const CpuGemmSpec& gemm) {
  const bool thin = p.m < static_cast<double>(gemm.thin_rows) && packing_cycles(p, gemm) <= 0.0;
  return (thin ? gemm.thin_exposed : gemm.exposed).value();
}

// Columns that the tiles of one row of them take the time of: the rest is run in powers of two, 9 as 8 and 1.
double tiled_columns(double n, const CpuGemmSpec& gemm) {
  const auto tile = static_cast<double>(gemm.mr);
  const double padded = round_up_to(n, tile);
  if (!gemm.edge || padded <= n) return padded;
  double pieces = 0;
  for (auto rest = static_cast<std::int64_t>(n - (padded - tile)); rest > 0; rest &= rest - 1)
    pieces += 1;
  return padded - tile + tile * std::max(gemm.edge->value() * pieces, (n - padded + tile) / tile);
}

// B again for each further block of rows of A.
double repeated_streams(const CpuProduct& p, const CpuGemmSpec& gemm) {
  if (gemm.row_block < 1) return 0.0;
  return std::ceil(p.m / static_cast<double>(gemm.row_block)) - 1.0;
}

// One product after the other, each on as many cores as the library gives it.
CpuRegion one_by_one(const CpuProduct& p, double batch, const CpuMachine& machine) {
  CpuRegion region;
  region.pieces = product_tiles(p, machine);
  region.cores = product_cores(p, machine);
  region.cycles = batch * product_cycles(p, machine, region.cores);
  region.fixed = batch * (seconds(machine.library.gemm.call) + sync_seconds(machine, region.cores));
  return region;
}

// The products side by side, each on one core.
CpuRegion side_by_side(const CpuProduct& p, double batch, const CpuMachine& machine) {
  CpuRegion region;
  region.pieces = batch;
  region.cores = cores_for(machine, batch);
  region.cycles = batch * product_cycles(p, machine, 1);
  region.fixed =
      seconds(machine.library.gemm.call) * std::ceil(batch / static_cast<double>(region.cores)) +
      sync_seconds(machine, region.cores);
  return region;
}

}  // namespace

std::int64_t product_cores(const CpuProduct& p, const CpuMachine& machine) {
  const CpuThreadSpec& threads = machine.library.threads;
  const bool thin =
      p.m < static_cast<double>(threads.min_m) || p.n < static_cast<double>(threads.min_n);
  return thin ? 1 : cores_for(machine, product_tiles(p, machine));
}

double product_cycles(const CpuProduct& p, const CpuMachine& machine, std::int64_t cores) {
  const CpuGemmSpec& gemm = machine.library.gemm;
  const double rows = round_up_to(p.m, static_cast<double>(gemm.nr));
  const double columns = tiled_columns(p.n, gemm);
  const double rate = flops_per_cycle(machine, p.type) * inner_efficiency(p, gemm, cores);
  const double updates = gemm.update_c * p.m * p.n * (1.0 + repeated_updates(p, machine));
  // Each result is a chain of k multiply-adds, whatever else there is to do.
  const double chain = p.k * static_cast<double>(machine.spec.simd.fma_latency.count());
  return std::max(2.0 * rows * columns * p.k / rate, chain) + packing_cycles(p, gemm) + updates;
}

double product_tiles(const CpuProduct& p, const CpuMachine& machine) {
  const CpuGemmSpec& gemm = machine.library.gemm;
  return std::ceil(p.m / static_cast<double>(gemm.nr)) *
         std::ceil(p.n / static_cast<double>(gemm.mr));
}

double repeated_updates(const CpuProduct& p, const CpuMachine& machine) {
  return std::ceil(p.k / static_cast<double>(machine.library.gemm.k_block)) - 1.0;
}

CpuRegion bias_region(const CpuProduct& p, double calls, const CpuMachine& machine) {
  CpuRegion region;
  region.name = "bias";
  region.pieces = product_tiles(p, machine);
  region.cores = product_cores(p, machine);
  region.cycles = calls * p.m * p.n * machine.library.loops.bias;
  region.fixed = calls * (seconds(machine.library.gemm.call) + sync_seconds(machine, region.cores));
  region.flops = calls * p.m * p.n;
  region.cycles = std::max(region.cycles, region.flops / flops_per_cycle(machine, p.type));
  const double output = p.m * p.n * static_cast<double>(element_size(p.type));
  add_pass(region.traffic, calls * output, output, true, machine.spec, region.cores);
  return region;
}

bool runs_side_by_side(const GemmShape& shape, const CpuMachine& machine) {
  return shape.batch > 1 && machine.library.threads.loops && machine.spec.cores > 1;
}

std::vector<CpuRegion> gemm_regions(const CpuRequest& request, const GemmShape& shape,
                                    const CpuMachine& machine, GemmOrder order) {
  const CpuProduct product{static_cast<double>(shape.m), static_cast<double>(shape.n),
                           static_cast<double>(shape.k), shape.trans_b, request.operation.type};
  const auto batch = static_cast<double>(shape.batch);
  CpuRegion region = order == GemmOrder::one_by_one ? one_by_one(product, batch, machine)
                                                    : side_by_side(product, batch, machine);
  region.name = "gemm";
  region.algorithm = Algorithm::gemm;
  region.exposed = exposed_of(product, machine.library.gemm);
  // B is what moves, and is packed.
  if (product.k > product.m && packing_cycles(product, machine.library.gemm) > 0.0) {
    region.rate_share = packed_rate(product, machine.library.gemm);
  }
  region.flops = 2.0 * batch * product.m * product.n * product.k;
  add_operands(region.traffic, request, machine.spec, region.cores);
  const double output = product.m * product.n * request.element();
  add_pass(region.traffic, batch * output * repeated_updates(product, machine), output, true,
           machine.spec, region.cores);
  const double weights = product.k * product.n * request.element();
  add_pass(region.traffic, batch * weights * repeated_streams(product, machine.library.gemm),
           weights, false, machine.spec, region.cores);
  std::vector<CpuRegion> regions{region};
  if (request.operation.bias && machine.library.loops.bias > 0) {
    regions.push_back(bias_region(product, batch, machine));
  }
  return regions;
}

}  // namespace tantalus

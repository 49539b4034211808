#include "sim/hardware/cpu_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/hardware/cpu_conv.hpp"
#include "sim/hardware/cpu_gemm.hpp"
#include "sim/hardware/cpu_loops.hpp"
#include "sim/hardware/cpu_memory.hpp"
#include "sim/hardware/cpu_winograd.hpp"

namespace tantalus {

namespace {

using Regions = std::vector<CpuRegion>;

struct Refusal {
  std::string code, message, hint;
};

Diagnostic as_diagnostic(const Operation& operation, Refusal refusal) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(refusal.code);
  diagnostic.path = operation.name;
  diagnostic.message = std::move(refusal.message);
  diagnostic.hint = std::move(refusal.hint);
  return diagnostic;
}

bool is_convolution(const Operation& operation) {
  return std::holds_alternative<ConvShape>(operation.work);
}

std::string algorithms_of(const CpuLibrary& library) {
  std::string names = "auto";
  if (library.direct) names += ", direct";
  if (library.im2col) names += ", im2col_gemm";
  if (library.winograd) names += ", winograd (3x3, stride 1, forward)";
  return names;
}

bool has_winograd(const Operation& operation, const CpuLibrary& library) {
  if (!library.winograd) return false;
  const std::vector<CpuWinogradTileSpec>& tiles = library.winograd->tiles;
  return std::any_of(tiles.begin(), tiles.end(), [&](const CpuWinogradTileSpec& tile) {
    return takes_winograd(*library.winograd, tile, operation);
  });
}

bool has_algorithm(const Operation& operation, const CpuLibrary& library) {
  switch (operation.algorithm) {
    case Algorithm::automatic:
      return true;
    case Algorithm::gemm:
      return std::holds_alternative<GemmShape>(operation.work);
    case Algorithm::direct:
      return !is_convolution(operation) || library.direct.has_value();
    case Algorithm::im2col_gemm:
      return is_convolution(operation) && library.im2col.has_value();
    case Algorithm::winograd:
      return has_winograd(operation, library);
    case Algorithm::implicit_gemm:
    case Algorithm::fft:
      return false;
  }
  return false;
}

std::optional<Refusal> refusal_of(const Operation& operation, const CpuLibrary& library) {
  if (!has_algorithm(operation, library)) {
    return Refusal{
        "unsupported-algorithm",
        library.name + " has no " + std::string(name_of(operation.algorithm)) +
            " for this operation",
        "it has: " + (is_convolution(operation) ? algorithms_of(library) : "auto, direct")};
  }
  const bool multiplies =
      is_convolution(operation) || std::holds_alternative<GemmShape>(operation.work);
  if (multiplies && operation.type == DType::int64) {
    return Refusal{"unsupported-type", "no CPU library multiplies matrices of int64",
                   "use fp32, tf32, fp16, bf16, fp8 or int8"};
  }
  return std::nullopt;
}

bool any_too_large(const Regions& regions, const CpuSpec& spec) {
  return std::any_of(regions.begin(), regions.end(),
                     [&](const CpuRegion& region) { return too_large(region, spec); });
}

std::vector<Regions> gemm_candidates(const CpuRequest& request, const GemmShape& gemm,
                                     const CpuMachine& machine) {
  std::vector<Regions> found{gemm_regions(request, gemm, machine)};
  if (runs_side_by_side(gemm, machine)) {
    found.push_back(gemm_regions(request, gemm, machine, GemmOrder::side_by_side));
  }
  return found;
}

std::vector<Regions> conv_candidates(const CpuRequest& request, const ConvShape& conv,
                                     const CpuMachine& machine) {
  const Operation& op = request.operation;
  const CpuLibrary& library = machine.library;
  std::vector<Regions> found;
  if (op.algorithm == Algorithm::automatic || op.algorithm == Algorithm::winograd)
    found = winograd_conv_regions(request, machine);
  if (op.algorithm == Algorithm::winograd) return found;
  const bool direct = library.direct && op.algorithm != Algorithm::im2col_gemm &&
                      (!library.im2col || has_direct_kernel(*library.direct, conv, op.pass));
  if (direct) found.push_back(direct_conv_regions(request, conv, machine));
  // A library with kernels of its own takes them where it has one, whatever a column matrix would cost.
  if (library.im2col && !direct) found.push_back(im2col_conv_regions(request, conv, machine));
  return found;
}

// What the operation can be, one entry a way to run it; the fastest is chosen.
std::vector<Regions> candidates(const CpuRequest& request, const CpuMachine& machine) {
  const Operation& op = request.operation;
  if (const auto* gemm = std::get_if<GemmShape>(&op.work))
    return gemm_candidates(request, *gemm, machine);
  if (const auto* pool = std::get_if<PoolShape>(&op.work))
    return {{pool_region(request, *pool, machine)}};
  if (const auto* row = std::get_if<RowShape>(&op.work))
    return {{row_region(request, *row, machine)}};
  if (const auto* element = std::get_if<ElementwiseShape>(&op.work)) {
    return {{elementwise_region(request, *element, machine)}};
  }
  if (const auto* table = std::get_if<EmbeddingShape>(&op.work)) {
    return {{embedding_region(request, *table, machine)}};
  }
  return conv_candidates(request, std::get<ConvShape>(op.work), machine);
}

double cold_lines(const Operation& operation, const CpuLibrary& library) {
  if (std::holds_alternative<GemmShape>(operation.work) || is_convolution(operation))
    return library.gemm.cold_lines;
  if (std::holds_alternative<PoolShape>(operation.work)) return *library.loops.pool_cold_lines;
  // Beside plain loops, a matrix library sums rows in a call of its own.
  const auto* row = std::get_if<RowShape>(&operation.work);
  if (row != nullptr && row->fn == RowFn::reduce && !library.loops.vectorised)
    return library.gemm.cold_lines;
  return library.loops.cold_lines;
}

// Code, arguments and descriptors were last touched as long ago as the operand that was not touched for longest. A call waits for
// some lines of them one after the other: 2.4 us on layers of a few microseconds in chains that main memory's 160 ns separate.
void touch_code(CpuRegion& region, const CpuRequest& request, const CpuMachine& machine) {
  const CpuSpec& spec = machine.spec;
  Distance last{0.0};
  for (std::size_t i = 0; i < request.operation.operands.size(); ++i) {
    const Distance one = request.distance(i);
    if (one.own > last.own) last = one;
  }
  LevelShares at = locate(last, reach_of(spec, region.cores));
  at.l1 = 0.0;  // the call's own cost
  region.traffic.cold += cold_lines(request.operation, machine.library) *
                         access_seconds(at, spec, clock_hertz(spec, region.cores));
}

std::vector<KernelCost> cut_all(const Regions& regions, const CpuMachine& machine) {
  std::vector<KernelCost> kernels;
  kernels.reserve(regions.size());
  for (const CpuRegion& region : regions) kernels.push_back(cut(region, machine.spec));
  return kernels;
}

Duration total_time(const std::vector<KernelCost>& kernels, const DeviceRates& rates) {
  Duration total;
  for (const KernelCost& kernel : kernels) total += alone_time(kernel, rates);
  return total;
}

DeviceRates rates_of(const CpuSpec& spec) {
  DeviceRates rates;
  rates.units = spec.cores;
  // Without a third level nothing crosses it; its rate only has to be a rate.
  const CpuCacheSpec& last = spec.l3 ? *spec.l3 : spec.l2;
  constexpr double directions = 2.0;  // fills and returns have a path each
  const double cache = directions * static_cast<double>(last.bandwidth->count()) *
                       static_cast<double>(spec.cores) *
                       static_cast<double>(spec.clock.sustained->count());
  rates.bandwidth = {Bandwidth{static_cast<std::int64_t>(std::min(cache, 9e18))},
                     spec.dram.achievable()};
  return rates;
}

}  // namespace

CpuModel::CpuModel(CpuSpec spec, CpuLibrary library, Measured measured)
    : spec_(std::move(spec)), library_(std::move(library)), measured_(measured) {
  TANTALUS_CHECK(spec_.cores > 0 && spec_.clock.sustained && spec_.clock.one_core &&
                     spec_.l1d.bandwidth && spec_.l2.bandwidth && spec_.one_core_bandwidth &&
                     spec_.dram.bandwidth,
                 "a CPU is derived before it is used");
  TANTALUS_CHECK(library_.gemm.threaded_efficiency && library_.gemm.pack_transposed,
                 "a catalogue is derived before it is used");
  rates_ = rates_of(spec_);
}

Result<std::vector<KernelCost>> CpuModel::kernels(const Operation& operation,
                                                  ReuseDistances reuse) const {
  if (std::optional<Refusal> refusal = refusal_of(operation, library_)) {
    return as_diagnostic(operation, std::move(*refusal));
  }
  const CpuMachine machine{spec_, library_};
  std::vector<KernelCost> best;
  const CpuRequest request{operation, reuse};
  for (Regions& regions : candidates(request, machine)) {
    touch_code(regions.front(), request, machine);
    if (any_too_large(regions, spec_)) continue;
    std::vector<KernelCost> kernels = cut_all(regions, machine);
    if (best.empty() || total_time(kernels, rates_) < total_time(best, rates_))
      best = std::move(kernels);
  }
  if (best.empty()) {
    return as_diagnostic(operation,
                         {"operation-too-large", "this operation would run for more than 11 days",
                          "is one of its dimensions wrong?"});
  }
  return best;
}

bool CpuModel::wants_packed_weights(const Operation& operation) const {
  return is_convolution(operation) && library_.direct.has_value();
}

// Narrower elements fill the same vectors with more lanes.
ListedPeaks CpuModel::listed_peaks(DType type) const {
  const double lanes = 4.0 / static_cast<double>(element_size(type));
  return {static_cast<double>(spec_.peak().count()) * lanes,
          static_cast<double>(spec_.dram.bandwidth->count())};
}

Doubt CpuModel::doubt(const Operation& operation, Bound bound) const {
  const CpuErrorSpec& error = library_.error;
  const double rate = doubt_of(
      {error.unmeasured_clock, error.unmeasured_memory, Fraction{0.0}, error.unmeasured_caches},
      measured_, bound);
  const auto loops = [&](const char* family, Fraction share) {
    return Doubt{family, share.value(), rate};
  };
  const auto threaded = [&](const char* family, Fraction share) {
    const double threads = spec_.cores > 1 ? error.threads.value() : 0.0;
    return Doubt{family, share.value(), std::sqrt(rate * rate + threads * threads)};
  };
  const bool is_product = std::holds_alternative<GemmShape>(operation.work);
  if (is_product || is_convolution(operation)) {
    if (operation.pass != Pass::forward)
      return threaded("gradients", error.gradients.value_or(error.convolution));
    return is_product ? threaded("gemm", error.gemm) : threaded("convolution", error.convolution);
  }
  if (std::holds_alternative<PoolShape>(operation.work))
    return loops("pooling", error.pooling.value_or(error.loops));
  if (std::holds_alternative<RowShape>(operation.work))
    return loops("rows", error.rows.value_or(error.loops));
  return loops("loops", error.loops);
}

}  // namespace tantalus

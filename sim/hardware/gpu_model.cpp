#include "sim/hardware/gpu_model.hpp"

#include <algorithm>
#include <variant>

#include "sim/base/check.hpp"
#include "sim/hardware/architectures.hpp"
#include "sim/hardware/gpu_conv.hpp"
#include "sim/hardware/gpu_device.hpp"
#include "sim/hardware/gpu_elementwise.hpp"
#include "sim/hardware/gpu_gemm.hpp"
#include "sim/hardware/gpu_rows.hpp"
#include "sim/hardware/memory_levels.hpp"

namespace tantalus {

namespace {

/// One catalogue with everything that it says about one device.
struct LibraryPlan {
  LibraryPlan(const GpuDevice& device, GpuLibrary from);

  const RowPlan* row(RowFn function) const;
  /// Whether products of the operation, or those that its convolution amounts to, may run on matrix units.
  bool matrix_for(const GpuDevice& device, const Operation& operation) const;

  GpuLibrary library;
  std::vector<GemmPlan> gemm;
  std::vector<ConvPlan> convolution;
  std::vector<RowPlan> rows;
  StreamPlan depthwise, elementwise, pooling, embedding, reduction;
};

LibraryPlan::LibraryPlan(const GpuDevice& device, GpuLibrary from)
    : library(std::move(from)),
      depthwise(plan_stream(device, library.depthwise.kernel)),
      elementwise(plan_stream(device, library.elementwise.kernel)),
      pooling(plan_stream(device, library.pooling.kernel)),
      embedding(plan_stream(device, library.embedding.kernel)),
      reduction(plan_stream(device, library.split_reduction)) {
  const std::string& architecture = device.spec.architecture;
  for (const GpuGemmSpec& spec : library.gemm) {
    if (is_for(spec.architectures, architecture)) gemm.push_back(plan_gemm(device, spec));
  }
  for (GpuConvSpec spec : library.convolution) {
    if (!is_for(spec.architectures, architecture)) continue;
    if (spec.product.empty()) spec.product = library.products;
    convolution.push_back(plan_conv(device, spec));
  }
  for (const GpuRowSpec& spec : library.rows) rows.push_back(plan_row(device, spec));
}

const RowPlan* LibraryPlan::row(RowFn function) const {
  for (const RowPlan& plan : rows) {
    if (plan.spec.function == function) return &plan;
  }
  return nullptr;
}

bool LibraryPlan::matrix_for(const GpuDevice& device, const Operation& operation) const {
  const DType type = operation.type;
  if (!(device.macs_per_second(MathUnit::matrix, type) > 0.0)) return false;
  const auto on_matrix = [&](const std::vector<GemmPlan>& families) {
    return std::any_of(families.begin(), families.end(), [&](const GemmPlan& family) {
      return family.spec.unit == MathUnit::matrix && family.takes(type);
    });
  };
  if (!std::holds_alternative<ConvShape>(operation.work)) return on_matrix(gemm);
  return std::any_of(convolution.begin(), convolution.end(), [&](const ConvPlan& plan) {
    return std::find(plan.types.begin(), plan.types.end(), type) != plan.types.end() &&
           on_matrix(plan.product.empty() ? gemm : plan.product);
  });
}

/// Kernels, or the reason why there are none.
struct Answer {
  std::vector<GpuKernel> kernels;
  std::string code, message, hint;
};

Answer refuse(std::string code, std::string message, std::string hint) {
  return {{}, std::move(code), std::move(message), std::move(hint)};
}

/// Answers for one operation on one catalogue; a visitor over Operation::work.
class Lowering {
 public:
  Lowering(const GpuDevice& device, const LibraryPlan& plan, const Operation& operation,
           ReuseDistances reuse)
      : device_(device), plan_(plan), operation_(operation), reuse_(reuse) {}

  Answer operator()(const GemmShape& shape) const {
    if (operation_.algorithm != Algorithm::automatic && operation_.algorithm != Algorithm::gemm)
      return no_algorithm("matrix products");
    GemmWork work;
    work.batch = shape.batch;
    work.m = shape.m;
    work.n = shape.n;
    work.k = shape.k;
    work.type = operation_.type;
    work.operands = shape.trans_a ? (shape.trans_b ? "tt" : "tn") : (shape.trans_b ? "nt" : "nn");
    work.traffic = traffic();
    work.flops = 2.0 * real(shape.batch) * real(shape.m) * real(shape.n) * real(shape.k);
    Answer answer{gemm_kernels(device_, plan_.gemm, plan_.reduction, work), {}, {}, {}};
    if (answer.kernels.empty()) return no_product();
    if (operation_.bias && !first_family(work).fused_bias)
      add_bias(answer, real(shape.batch) * real(shape.m) * real(shape.n));
    return answer;
  }

  Answer operator()(const ConvShape& shape) const {
    const ConvTools tools{device_, plan_.gemm, plan_.reduction, plan_.depthwise,
                          plan_.library.depthwise};
    const Algorithm wanted = operation_.algorithm;
    const bool depthwise = is_depthwise(shape);
    if (depthwise && (wanted == Algorithm::automatic || wanted == Algorithm::direct)) {
      if (!fits(plan_.depthwise)) return no_fit();
      return checked(depthwise_kernels(tools, operation_, shape, traffic()));
    }
    Answer best;
    bool listed = false;
    double best_time = 0.0;
    const Traffic moved = traffic();
    for (const ConvPlan& entry : plan_.convolution) {
      if (wanted != Algorithm::automatic && wanted != entry.spec.algorithm) continue;
      listed = true;
      std::vector<GpuKernel> kernels = conv_kernels(tools, entry, operation_, shape, moved);
      if (kernels.empty() || !all_representable(kernels)) continue;
      const double time = launched_seconds(kernels);
      if (!best.kernels.empty() && time >= best_time) continue;
      best.kernels = std::move(kernels);
      best_time = time;
    }
    // A transform is for certain filters and strides only: where none is for this one, the catalogue has none.
    const bool transform = wanted == Algorithm::winograd || wanted == Algorithm::fft;
    if (!listed || (transform && best.kernels.empty())) return no_algorithm("convolutions");
    return best.kernels.empty() ? no_product() : best;
  }

  Answer operator()(const PoolShape& shape) const {
    if (!fits(plan_.pooling)) return no_fit();
    const GpuPoolingSpec& spec = plan_.library.pooling;
    return checked({pooling_kernel(device_, plan_.pooling, spec, operation_, shape,
                                   pooling_traffic(device_, spec, operation_, reuse_))});
  }

  Answer operator()(const ElementwiseShape& shape) const {
    if (!fits(plan_.elementwise)) return no_fit();
    return checked({elementwise_kernel(device_, plan_.elementwise, plan_.library.elementwise,
                                       operation_, shape, traffic())});
  }

  Answer operator()(const RowShape& shape) const {
    const RowPlan* row = plan_.row(shape.fn);
    if (row == nullptr) {
      return refuse("unknown-algorithm",
                    "the catalogue has no kernel for " + std::string(name_of(shape.fn)),
                    "add it to the catalogue's rows");
    }
    if (row->residency.blocks_per_sm < 1 || !fits(plan_.reduction)) return no_fit();
    return checked(row_kernels(device_, *row, plan_.reduction, operation_, shape, traffic()));
  }

  Answer operator()(const EmbeddingShape& shape) const {
    if (!fits(plan_.embedding)) return no_fit();
    return checked({embedding_kernel(device_, plan_.embedding, plan_.library.embedding, operation_,
                                     shape, reuse_)});
  }

 private:
  static double real(std::int64_t n) { return static_cast<double>(n); }

  Traffic traffic() const { return traffic_of(device_, operation_, reuse_); }

  // Streams run on the fp32 lanes whatever they move.
  bool fits(const StreamPlan& plan) const {
    return plan.residency.blocks_per_sm > 0 && device_.instructions_per_second() > 0.0;
  }

  const GpuGemmSpec& first_family(const GemmWork& work) const {
    for (const GemmPlan& family : plan_.gemm) {
      if (family.takes(work) && device_.macs_per_second(family.spec.unit, operation_.type) > 0.0)
        return family.spec;
    }
    return plan_.gemm.front().spec;
  }

  void add_bias(Answer& answer, double outputs) const {
    StreamWork work;
    work.name = "add_bias";
    work.elements = outputs;
    work.instructions = plan_.library.elementwise.instructions;
    work.traffic.read = work.traffic.written = outputs * real(element_size(operation_.type));
    const Bytes distance{static_cast<std::int64_t>(std::min(work.traffic.all(), 4e18))};
    work.traffic.dram_read = work.traffic.read * (1.0 - device_.hit_share(distance));
    work.traffic.dram_written = work.traffic.dram_read;
    work.flops = outputs;
    answer.kernels.push_back(stream_kernel(device_, plan_.elementwise, work));
  }

  double launched_seconds(const std::vector<GpuKernel>& kernels) const {
    double total = 0.0;
    for (const GpuKernel& kernel : kernels)
      total += std::max(device_.queued, device_seconds(device_, kernel));
    return total;
  }

  bool all_representable(const std::vector<GpuKernel>& kernels) const {
    return std::all_of(kernels.begin(), kernels.end(),
                       [&](const GpuKernel& kernel) { return representable(device_, kernel); });
  }

  Answer checked(std::vector<GpuKernel> kernels) const {
    if (!all_representable(kernels)) return too_large();
    return {std::move(kernels), {}, {}, {}};
  }

  Answer too_large() const {
    return refuse(
        "too-large",
        "the operation would take more than 11 days, or move more bytes than can be counted",
        "check its shape");
  }

  Answer no_fit() const {
    if (device_.instructions_per_second() <= 0.0) {
      return refuse("unsupported-number-format", "the device has no fp32 lanes to run it on",
                    "set sm.fp32_lanes");
    }
    return refuse("no-kernel-fits",
                  "no block of the catalogue's kernel fits on an SM of this device",
                  "compare its threads and registers with those of sm");
  }

  Answer no_algorithm(const std::string& what) const {
    return refuse(
        "unknown-algorithm",
        "the catalogue has no " + std::string(name_of(operation_.algorithm)) + " for " + what,
        "write algorithm auto, or name a catalogue that lists it");
  }

  Answer no_product() const {
    bool arithmetic = false, tiles = false;
    const auto look_at = [&](const std::vector<GemmPlan>& families) {
      for (const GemmPlan& family : families) {
        const bool runs = family.takes(operation_.type) &&
                          device_.macs_per_second(family.spec.unit, operation_.type) > 0.0;
        arithmetic = arithmetic || runs;
        tiles = tiles || (runs && !family.tiles.empty());
      }
    };
    look_at(plan_.gemm);
    for (const ConvPlan& conv : plan_.convolution) look_at(conv.product);
    if (!arithmetic) {
      return refuse("unsupported-number-format",
                    "neither lanes nor matrix units of this device multiply " +
                        std::string(name_of(operation_.type)),
                    "choose another precision, or write the rate under tensor");
    }
    if (!tiles) {
      return refuse("no-kernel-fits", "no tile of the catalogue fits on an SM of this device",
                    "name a catalogue with smaller tiles, such as cuda-legacy");
    }
    return too_large();
  }

  const GpuDevice& device_;
  const LibraryPlan& plan_;
  const Operation& operation_;
  ReuseDistances reuse_;
};

std::vector<KernelCost> finished(const GpuDevice& device, std::vector<GpuKernel> kernels) {
  std::vector<KernelCost> costs;
  costs.reserve(kernels.size());
  for (GpuKernel& kernel : kernels) {
    KernelCost cost = finish(device, std::move(kernel));
    if (cost.launch.blocks() <= (device.rates.units * cost.blocks_per_unit - device.rates.units)) {
      cost.occupancy_limit = OccupancyLimit::grid;
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

// Of the first entry that can run it and has products of its own.
std::optional<Fraction> own_product_error(const LibraryPlan& plan, const Operation& operation) {
  const auto& shape = std::get<ConvShape>(operation.work);
  for (const ConvPlan& conv : plan.convolution) {
    if (!conv.product.empty() && conv.takes(operation, shape))
      return conv.product.front().spec.error;
  }
  return std::nullopt;
}

// The unit is said too: what the library owns for the lanes errs apart from what it owns for the matrix units.
Doubt conv_doubt(const LibraryPlan& plan, const Operation& operation, bool matrix) {
  const GpuErrorSpec& error = plan.library.error;
  if (operation.pass == Pass::input_gradient) {
    return matrix ? Doubt{"matrix_input_gradient",
                          error.matrix_input_gradient.value_or(error.input_gradient).value()}
                  : Doubt{"input_gradient", error.input_gradient.value()};
  }
  if (operation.pass == Pass::weight_gradient) {
    return matrix ? Doubt{"matrix_weight_gradient",
                          error.matrix_weight_gradient.value_or(error.weight_gradient).value()}
                  : Doubt{"weight_gradient", error.weight_gradient.value()};
  }
  if (matrix) {
    return {"matrix_convolution", error.matrix_convolution.value_or(error.convolution).value()};
  }
  if (operation.type == DType::int8) {
    return {"narrow_convolution", error.narrow_convolution.value_or(error.convolution).value()};
  }
  return {"convolution", own_product_error(plan, operation).value_or(error.convolution).value()};
}

// The first family that takes the format on the unit speaks for all of them.
Doubt gemm_doubt(const LibraryPlan& plan, DType type, bool matrix) {
  const MathUnit unit = matrix ? MathUnit::matrix : MathUnit::lanes;
  const auto family = std::find_if(plan.gemm.begin(), plan.gemm.end(), [&](const GemmPlan& gemm) {
    return gemm.spec.unit == unit && gemm.takes(type);
  });
  const GpuErrorSpec& error = plan.library.error;
  const Fraction of_unit = matrix ? error.matrix_gemm : error.gemm;
  const bool known = family != plan.gemm.end();
  return {matrix ? "matrix_gemm" : "gemm",
          (known ? family->spec.error.value_or(of_unit) : of_unit).value()};
}

bool is_norm(RowFn function) {
  return function == RowFn::layer_norm || function == RowFn::batch_norm;
}

// Of these a library has several kernels, and the fastest is predicted: they are missed more than beaten.
Doubt as_chosen(Doubt doubt, const GpuErrorSpec& error) {
  doubt.faster = error.faster.value();
  return doubt;
}

Doubt model_doubt(const LibraryPlan& plan, const Operation& operation, bool matrix) {
  const GpuErrorSpec& error = plan.library.error;
  if (const auto* conv = std::get_if<ConvShape>(&operation.work)) {
    if (is_depthwise(*conv)) return {"pooling", error.pooling.value()};
    return as_chosen(conv_doubt(plan, operation, matrix), error);
  }
  if (std::holds_alternative<GemmShape>(operation.work)) {
    return as_chosen(gemm_doubt(plan, operation.type, matrix), error);
  }
  if (std::holds_alternative<PoolShape>(operation.work)) return {"pooling", error.pooling.value()};
  if (const auto* rows = std::get_if<RowShape>(&operation.work)) {
    if (is_norm(rows->fn)) return {"norms", error.norms.value_or(error.rows).value()};
    return as_chosen({"rows", error.rows.value()}, error);
  }
  if (std::holds_alternative<EmbeddingShape>(operation.work))
    return {"embedding", error.embedding.value()};
  return {"elementwise", error.elementwise.value()};
}

}  // namespace

struct GpuModel::Tables {
  Tables(const GpuSpec& spec, std::vector<GpuLibrary> libraries, Measured measured_rates)
      : device(spec), measured(measured_rates) {
    TANTALUS_CHECK(!libraries.empty(), "a GPU has a kernel catalogue");
    for (GpuLibrary& library : libraries) plans.emplace_back(device, std::move(library));
  }

  Answer ask(const LibraryPlan& plan, const Operation& operation, ReuseDistances reuse) const {
    return std::visit(Lowering(device, plan, operation, reuse), operation.work);
  }

  /// The first catalogue that can run it, else the first.
  const LibraryPlan& answering(const Operation& operation) const {
    if (plans.size() == 1) return plans.front();
    for (const LibraryPlan& plan : plans) {
      if (!ask(plan, operation, {}).kernels.empty()) return plan;
    }
    return plans.front();
  }

  GpuDevice device;
  Measured measured;
  std::vector<LibraryPlan> plans;
};

GpuModel::GpuModel(const GpuSpec& spec, std::vector<GpuLibrary> libraries, Measured measured)
    : tables_(std::make_unique<const Tables>(spec, std::move(libraries), measured)) {}
GpuModel::GpuModel(GpuModel&&) noexcept = default;
GpuModel::~GpuModel() = default;

Result<std::vector<KernelCost>> GpuModel::kernels(const Operation& operation,
                                                  ReuseDistances reuse) const {
  Answer first;
  for (const LibraryPlan& plan : tables_->plans) {
    Answer answer = tables_->ask(plan, operation, reuse);
    if (!answer.kernels.empty()) return finished(tables_->device, std::move(answer.kernels));
    if (first.code.empty()) first = std::move(answer);
  }
  Diagnostic diagnostic;
  diagnostic.code = first.code;
  diagnostic.path = operation.name;
  diagnostic.message = tables_->device.spec.name + ": " + first.message;
  diagnostic.hint = first.hint;
  return diagnostic;
}

bool GpuModel::wants_channels_last(const Operation& operation) const {
  const auto* conv = std::get_if<ConvShape>(&operation.work);
  return conv != nullptr && !is_depthwise(*conv) &&
         tables_->answering(operation).matrix_for(tables_->device, operation);
}

DeviceRates GpuModel::rates() const { return tables_->device.rates; }
ListedPeaks GpuModel::listed_peaks(DType type) const { return tables_->device.listed_peaks(type); }
Bytes GpuModel::memory_capacity() const { return tables_->device.spec.dram.capacity; }
Bytes GpuModel::context_bytes() const { return tables_->device.spec.context; }
std::optional<MemoryHierarchy> GpuModel::memory_hierarchy() const { return memory_of(spec()); }
const GpuSpec& GpuModel::spec() const { return tables_->device.spec; }

std::string GpuModel::library_of(const Operation& operation) const {
  return tables_->answering(operation).library.name;
}

bool GpuModel::library_is_generic() const { return tables_->plans.front().library.generic; }

namespace {

// The caches of a GPU run with its clock, and their rates are no part of a calibration.
Measured caches_as_clock(Measured measured) {
  measured.caches = measured.clock;
  return measured;
}

}  // namespace

Doubt GpuModel::doubt(const Operation& operation, Bound bound) const {
  const LibraryPlan& plan = tables_->answering(operation);
  const bool matrix = plan.matrix_for(tables_->device, operation);
  const GpuErrorSpec& error = plan.library.error;
  Doubt doubt = model_doubt(plan, operation, matrix);
  doubt.brief = error.brief;
  doubt.parameters = doubt_of({error.unmeasured_clock, error.unmeasured_memory,
                               error.unmeasured_power, error.unmeasured_clock},
                              caches_as_clock(tables_->measured), bound);
  return doubt;
}

}  // namespace tantalus

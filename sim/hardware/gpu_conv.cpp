#include "sim/hardware/gpu_conv.hpp"

#include <algorithm>

#include "sim/hardware/architectures.hpp"
#include "sim/hardware/gpu_transform_conv.hpp"

namespace tantalus {

namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return ((value - 1) / unit + 1) * unit;
}
std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

double flops_of(const ConvProduct& p) {
  return 2.0 * real(p.batch) * real(p.m) * real(p.n) * real(p.k);
}

bool is_pointwise(const ConvShape& s) { return s.kernel_h == 1 && s.kernel_w == 1; }

bool is_strided(const ConvShape& s) { return s.stride_h > 1 || s.stride_w > 1; }

// A 1x1 filter at stride 1 reads its input as it lies, unless the library unfolds every layer.
bool needs_columns(const GpuConvSpec& spec, const ConvShape& s) {
  return spec.pointwise_columns || !is_pointwise(s) || is_strided(s) || s.pad_h > 0 || s.pad_w > 0;
}

double factor_of(const GpuConvSpec& spec, const ConvShape& s, Pass pass) {
  if (pass == Pass::input_gradient) {
    return is_strided(s) ? spec.strided_input_gradient : spec.input_gradient;
  }
  if (pass == Pass::weight_gradient) {
    return is_pointwise(s) ? spec.pointwise_weight_gradient : spec.weight_gradient;
  }
  return spec.forward;
}

GemmWork work_of(const GpuConvSpec& spec, const Operation& operation, const ConvShape& shape) {
  const ConvProduct padded = conv_product(shape, operation.pass, spec.channel_multiple);
  GemmWork work;
  work.batch = padded.batch;
  work.m = padded.m;
  work.n = padded.n;
  work.k = padded.k;
  work.type = operation.type;
  work.efficiency = factor_of(spec, shape, operation.pass);
  work.flops = flops_of(conv_product(shape, operation.pass, 1));
  work.algorithm = spec.algorithm;
  work.energy = spec.energy;
  return work;
}

double outputs_of(const ConvShape& s) {
  return real(s.batch) * real(s.out_ch) * real(s.out_h) * real(s.out_w);
}

// The bias is a kernel of its own unless the entry adds it, with products of its own that can take one.
bool bias_apart(const GpuConvSpec& spec, const Operation& operation) {
  const bool fused = spec.fused_bias && (spec.product.empty() || spec.product.front().fused_bias);
  return operation.bias && operation.pass == Pass::forward && !fused;
}

// Adding one value a channel: reads and writes the output, which the product left in the L2 if it fits.
GpuKernel bias_kernel(const ConvTools& tools, const Operation& operation, double outputs) {
  const double bytes = outputs * real(element_size(operation.type));
  const double missed =
      1.0 - tools.device.hit_share(Bytes{static_cast<std::int64_t>(std::min(2.0 * bytes, 4e18))});
  StreamWork work;
  work.name = "add_bias";
  work.elements = outputs;
  work.instructions = 4.0;
  work.traffic = {bytes, bytes, bytes * missed, bytes * missed};
  work.flops = outputs;
  return stream_kernel(tools.device, tools.reduction, work);
}

// Where the stride is larger than the filter, some pixels of the input gradient get nothing from any sub-problem.
bool leaves_pixels(const ConvShape& s) {
  return s.kernel_h < s.stride_h || s.kernel_w < s.stride_w;
}

GpuKernel fill_kernel(const ConvTools& tools, const Traffic& traffic) {
  StreamWork work;
  work.name = "zero_fill";
  work.elements = traffic.written / 4.0;
  work.instructions = 2.0;
  work.traffic = {0.0, traffic.written, 0.0, traffic.dram_written};
  return stream_kernel(tools.device, tools.reduction, work);
}

const std::vector<GemmPlan>& families_of(const ConvTools& tools, const ConvPlan& plan) {
  return plan.product.empty() ? tools.families : plan.product;
}

std::vector<GpuKernel> implicit_gemm(const ConvTools& tools, const ConvPlan& plan,
                                     const Operation& operation, const ConvShape& shape,
                                     const Traffic& traffic) {
  GemmWork work = work_of(plan.spec, operation, shape);
  work.traffic = traffic;
  const bool fill = operation.pass == Pass::input_gradient && leaves_pixels(shape);
  if (fill) {
    const double share = real(work.batch / shape.groups) / real(shape.stride_h * shape.stride_w);
    work.traffic.written *= share;
    work.traffic.dram_written *= share;
  }
  std::vector<GpuKernel> kernels =
      gemm_kernels(tools.device, families_of(tools, plan), tools.reduction, work);
  if (fill && !kernels.empty()) {
    kernels.insert(kernels.begin(), fill_kernel(tools, traffic));
    kernels.front().joules *= plan.spec.energy;
  }
  return kernels;
}

/// One column matrix and its products: for the whole batch, or for one image of it.
struct ColumnJob {
  double images = 1;                            // how many such jobs make the operation
  bool columns = true;                          // there is a column matrix
  double matrix = 0, input = 0, output = 0;     // bytes of one job
  double weights = 0;                           // bytes that every job reads, or adds to
  double matrix_missed = 0, output_missed = 0;  // share that left the L2 before it is read
  double weights_missed = 0;                    // the same from one job to the next
};

double missed_after(const ConvTools& tools, double bytes) {
  return 1.0 - tools.device.hit_share(Bytes{static_cast<std::int64_t>(std::min(bytes, 4e18))});
}

ColumnJob column_job(const ConvTools& tools, const GpuConvSpec& spec, const ConvShape& s,
                     DType type) {
  const double element = real(element_size(type));
  const double taps = real(s.kernel_h) * real(s.kernel_w);
  ColumnJob job;
  job.images = spec.per_image ? real(s.batch) : 1.0;
  job.columns = needs_columns(spec, s);
  const double together = real(s.batch) / job.images * element;
  job.matrix = together * real(s.in_ch) * taps * real(s.out_h) * real(s.out_w);
  job.input = together * real(s.in_ch) * real(s.in_h) * real(s.in_w);
  job.output = together * real(s.out_ch) * real(s.out_h) * real(s.out_w);
  job.weights = real(s.out_ch) * real(s.in_ch / s.groups) * taps * element;
  job.matrix_missed = missed_after(tools, job.matrix);
  job.output_missed = missed_after(tools, job.matrix + job.output);
  job.weights_missed = missed_after(tools, job.matrix + job.input + job.output + job.weights);
  return job;
}

/// What one job moves. Of the operation only the sums are known, so each operand gets an equal share of what missed.
struct JobTraffic {
  Traffic column, product;
};

// The weights lie as long ago as one job is large, but for the first.
double weights_from_memory(const ColumnJob& job, double missed_at_first) {
  return job.weights *
         (missed_at_first / job.images + job.weights_missed * (1.0 - 1.0 / job.images));
}

JobTraffic traffic_of_job(const ColumnJob& job, const GpuConvSpec& spec, Pass pass,
                          const Traffic& whole) {
  const double cold = whole.read > 0.0 ? whole.dram_read / whole.read : 0.0;
  const double left = whole.written > 0.0 ? whole.dram_written / whole.written : 0.0;
  const Traffic matrix{job.matrix, job.matrix, job.matrix * job.matrix_missed,
                       job.matrix * job.matrix_missed};
  const Traffic input{job.input, job.input, job.input * cold, job.input * left};
  JobTraffic result;
  Traffic& product = result.product;
  const Traffic& unfolded = job.columns ? matrix : input;
  if (pass == Pass::input_gradient) {
    product = {job.output + job.weights, unfolded.written,
               job.output * cold + weights_from_memory(job, cold), unfolded.dram_written};
    result.column = {matrix.read, input.written, matrix.dram_read, input.dram_written};
    return result;
  }
  result.column = {input.read, matrix.written, input.dram_read, matrix.dram_written};
  product.read = unfolded.read;
  product.dram_read = unfolded.dram_read;
  if (pass == Pass::weight_gradient) {  // every image but the first adds to what is there
    product.read += job.output + job.weights * (1.0 - 1.0 / job.images);
    product.dram_read += job.output * cold + weights_from_memory(job, 0.0);
    product.written = job.weights;
    product.dram_written = weights_from_memory(job, left);
    return result;
  }
  product.read += job.weights + (spec.initialised ? job.output : 0.0);
  product.dram_read +=
      weights_from_memory(job, cold) + (spec.initialised ? job.output * job.output_missed : 0.0);
  product.written = job.output;
  product.dram_written = job.output * left;
  return result;
}

// A thread of such a kernel has the values of one window.
StreamPlan of_windows(StreamPlan plan, const ConvShape& s) {
  plan.spec.elements_per_thread = s.kernel_h * s.kernel_w;
  return plan;
}

// im2col writes the matrix from the input; col2im, in the input gradient, reads it and adds into the input.
GpuKernel column_kernel(const ConvTools& tools, const ConvPlan& plan, const Operation& operation,
                        const ConvShape& shape, const ColumnJob& job, const Traffic& traffic) {
  const bool back = operation.pass == Pass::input_gradient;
  StreamWork work;
  work.name = back ? "col2im" : "im2col";
  work.elements = job.matrix / real(element_size(operation.type));
  work.instructions = real(plan.spec.column_instructions);
  work.traffic = traffic;
  work.flops = back ? work.elements : 0.0;
  if (plan.column) {
    work.traffic.read = std::max(work.traffic.read, job.matrix);
    work.wait = real(plan.spec.column->wait.count()) / tools.device.lanes_clock;
  }
  GpuKernel kernel = stream_kernel(
      tools.device, plan.column ? of_windows(*plan.column, shape) : tools.reduction, work);
  kernel.cost.workspace = Bytes{static_cast<std::int64_t>(std::min(job.matrix, 4e18))};
  return kernel;
}

// The bias, or zero, before the product that adds to it.
GpuKernel initial_kernel(const ConvTools& tools, const Operation& operation, const ColumnJob& job) {
  StreamWork work;
  work.name = operation.bias ? "fill_bias" : "zero_fill";
  work.elements = job.output / real(element_size(operation.type));
  work.instructions = 2.0;
  work.traffic = {0.0, job.output, 0.0, job.output * job.output_missed};
  return stream_kernel(tools.device, tools.reduction, work);
}

// How BLAS is told where the operands lie: C = A B, W x columns; W^T x dY; dY x columns^T.
const char* operands_of(Pass pass) {
  if (pass == Pass::input_gradient) return "tn";
  return pass == Pass::weight_gradient ? "nt" : "nn";
}

// The products of one job: one for each group where the library goes image by image, else a batch of them.
GemmWork column_product(const GpuConvSpec& spec, const Operation& operation, const ConvShape& one,
                        const ColumnJob& job, const Traffic& traffic) {
  GemmWork work = work_of(spec, operation, one);
  if (operation.pass == Pass::input_gradient && job.columns) {
    // The product forms the whole column matrix: one a group, whatever the stride.
    work.batch = one.groups;
    work.m = one.in_ch / one.groups * one.kernel_h * one.kernel_w;
    work.n = one.batch * one.out_h * one.out_w;
    work.k = round_up(one.out_ch / one.groups, spec.channel_multiple);
    work.flops =
        2.0 * real(work.batch) * real(work.m) * real(work.n) * real(one.out_ch / one.groups);
  }
  work.traffic = traffic;
  if (!spec.per_image) return work;
  const double groups = real(work.batch);
  work.operands = operands_of(operation.pass);
  work.batch = 1;
  work.flops /= groups;
  work.traffic = {traffic.read / groups, traffic.written / groups, traffic.dram_read / groups,
                  traffic.dram_written / groups};
  return work;
}

std::vector<GpuKernel> im2col_gemm(const ConvTools& tools, const ConvPlan& plan,
                                   const Operation& operation, const ConvShape& shape,
                                   const Traffic& traffic) {
  const GpuConvSpec& spec = plan.spec;
  if (plan.column && plan.column->residency.blocks_per_sm < 1) return {};
  const ColumnJob job = column_job(tools, spec, shape, operation.type);
  ConvShape one = shape;
  if (spec.per_image) one.batch = 1;
  const JobTraffic moved = traffic_of_job(job, spec, operation.pass, traffic);
  const GemmWork work = column_product(spec, operation, one, job, moved.product);
  const std::vector<GpuKernel> product =
      gemm_kernels(tools.device, families_of(tools, plan), tools.reduction, work);
  if (product.empty()) return {};

  std::vector<GpuKernel> kernels;
  const auto images = static_cast<std::int64_t>(job.images);
  const std::int64_t repeats = spec.per_image ? shape.groups : 1;
  if (images > most_image_launches / repeats) return {};
  const bool back = operation.pass == Pass::input_gradient;
  const bool initial = spec.initialised && operation.pass == Pass::forward;
  const bool bias = !initial && bias_apart(spec, operation);
  kernels.reserve(static_cast<std::size_t>(images * (repeats * 2 + 2)));
  for (std::int64_t i = 0; i < images; ++i) {
    if (initial) kernels.push_back(initial_kernel(tools, operation, job));
    if (job.columns && !back)
      kernels.push_back(column_kernel(tools, plan, operation, one, job, moved.column));
    for (std::int64_t g = 0; g < repeats; ++g)
      kernels.insert(kernels.end(), product.begin(), product.end());
    if (job.columns && back)
      kernels.push_back(column_kernel(tools, plan, operation, one, job, moved.column));
    if (bias) kernels.push_back(bias_kernel(tools, operation, outputs_of(one)));
  }
  return kernels;
}

}  // namespace

bool ConvPlan::takes(const Operation& operation, const ConvShape& s) const {
  if (std::find(types.begin(), types.end(), operation.type) == types.end()) return false;
  if (spec.strides != Strides::any && (spec.strides == Strides::above) != is_strided(s))
    return false;
  if (spec.taps != Taps::any && (spec.taps == Taps::one) != is_pointwise(s)) return false;
  if (s.batch < spec.least_batch || std::min(s.in_ch, s.out_ch) / s.groups < spec.least_channels)
    return false;
  return spec.passes.empty() || std::find(spec.passes.begin(), spec.passes.end(),
                                          name_of(operation.pass)) != spec.passes.end();
}

ConvPlan plan_conv(const GpuDevice& device, const GpuConvSpec& spec) {
  ConvPlan plan;
  plan.spec = spec;
  for (const std::string& word : spec.types) {
    DType type{};
    if (type_from_word(word, type)) plan.types.push_back(type);
  }
  for (const GpuGemmSpec& family : spec.product) {
    if (is_for(family.architectures, device.spec.architecture))
      plan.product.push_back(plan_gemm(device, family));
  }
  if (spec.column) {
    const GpuColumnSpec& c = *spec.column;
    plan.column = plan_stream(device, {c.threads, c.registers, 1, c.start});
  }
  if (spec.transform) plan.transform = plan_stream(device, spec.transform->kernel);
  if (spec.fused) {
    plan.fused =
        residency_of(device, spec.fused->threads, spec.fused->registers, spec.fused->shared);
  }
  return plan;
}

bool is_depthwise(const ConvShape& s) { return s.groups > 1 && s.groups == s.in_ch; }

ConvProduct conv_product(const ConvShape& s, Pass pass, std::int64_t multiple) {
  const std::int64_t channels = s.in_ch / s.groups;
  const std::int64_t filters = s.out_ch / s.groups;
  const std::int64_t taps = s.kernel_h * s.kernel_w;
  const std::int64_t pixels = s.batch * s.out_h * s.out_w;
  if (pass == Pass::weight_gradient) {
    return {s.groups, filters, round_up(channels, multiple) * taps, pixels};
  }
  if (pass == Pass::input_gradient) {
    // Each of the stride's sub-problems has its share of the taps and of the pixels (5 taps at stride 2: 3 and 2, here 2.5
    // each); those without a tap are a zero fill.
    const std::int64_t problems =
        std::min(s.kernel_h, s.stride_h) * std::min(s.kernel_w, s.stride_w);
    return {s.groups * problems, channels,
            s.batch * quotient_up(s.in_h, s.stride_h) * quotient_up(s.in_w, s.stride_w),
            quotient_up(round_up(filters, multiple) * taps, problems)};
  }
  return {s.groups, filters, pixels, round_up(channels, multiple) * taps};
}

std::vector<GpuKernel> conv_kernels(const ConvTools& tools, const ConvPlan& plan,
                                    const Operation& operation, const ConvShape& shape,
                                    const Traffic& traffic) {
  if (!plan.takes(operation, shape)) return {};
  if (plan.spec.algorithm == Algorithm::im2col_gemm) {
    return im2col_gemm(tools, plan, operation, shape, traffic);
  }
  std::vector<GpuKernel> kernels =
      plan.spec.fused       ? fused_winograd_kernels(tools, plan, operation, shape, traffic)
      : plan.spec.transform ? transformed_kernels(tools, plan, operation, shape, traffic)
                            : implicit_gemm(tools, plan, operation, shape, traffic);
  if (!kernels.empty() && bias_apart(plan.spec, operation)) {
    kernels.push_back(bias_kernel(tools, operation, outputs_of(shape)));
  }
  return kernels;
}

std::vector<GpuKernel> depthwise_kernels(const ConvTools& tools, const Operation& operation,
                                         const ConvShape& s, const Traffic& traffic) {
  const GpuDepthwiseSpec& spec = tools.depthwise_spec;
  const double taps = real(s.kernel_h) * real(s.kernel_w);
  const double outputs = outputs_of(s);
  const bool weights = operation.pass == Pass::weight_gradient;
  StreamWork work;
  work.name = weights ? "depthwise_weight_gradient" : "depthwise";
  work.elements = operation.pass == Pass::input_gradient
                      ? real(s.batch) * real(s.in_ch) * real(s.in_h) * real(s.in_w)
                      : outputs;
  work.flops = 2.0 * outputs * taps;
  work.instructions =
      spec.instructions + spec.per_tap * outputs * taps / std::max(1.0, work.elements);
  work.traffic = traffic;
  if (weights) {
    work.traffic.read *= spec.weight_gradient_passes;
    work.traffic.dram_read *= spec.weight_gradient_passes;
  }
  return {stream_kernel(tools.device, tools.depthwise, work)};
}

}  // namespace tantalus

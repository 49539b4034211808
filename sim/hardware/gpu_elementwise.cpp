#include "sim/hardware/gpu_elementwise.hpp"

#include <algorithm>

namespace tantalus {

namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

double instructions_of(const GpuElementwiseSpec& spec, ElementFn function) {
  for (const GpuFunctionSpec& line : spec.functions) {
    if (line.function == function) return line.instructions;
  }
  return spec.instructions;
}

}  // namespace

GpuKernel elementwise_kernel(const GpuDevice& device, const StreamPlan& plan,
                             const GpuElementwiseSpec& spec, const Operation& operation,
                             const ElementwiseShape& shape, const Traffic& traffic) {
  StreamWork work;
  work.name = name_of(shape.fn);
  work.elements = real(shape.elements);
  work.instructions = instructions_of(spec, shape.fn);
  work.traffic = traffic;
  work.flops = real(operation.other_ops);
  return stream_kernel(device, plan, work);
}

Traffic pooling_traffic(const GpuDevice& device, const GpuPoolingSpec& spec,
                        const Operation& operation, ReuseDistances reuse) {
  Operation touched = operation;
  if (spec.gathers && operation.pass == Pass::input_gradient) {
    const auto is_result = [&](const TensorUse& use) {
      return !use.written && std::any_of(operation.operands.begin(), operation.operands.end(),
                                         [&](const TensorUse& other) {
                                           return other.written && other.tensor == use.tensor;
                                         });
    };
    while (!touched.operands.empty() && is_result(touched.operands.back()))
      touched.operands.pop_back();  // lowering names it last
  }
  return traffic_of(device, touched, reuse);
}

GpuKernel pooling_kernel(const GpuDevice& device, const StreamPlan& plan,
                         const GpuPoolingSpec& spec, const Operation& operation,
                         const PoolShape& shape, const Traffic& traffic) {
  const bool forward = operation.pass == Pass::forward;
  const double planes = real(shape.batch) * real(shape.channels);
  const double outputs = planes * real(shape.out_h) * real(shape.out_w);
  const double taps = shape.kind == PoolKind::global_average
                          ? real(shape.in_h) * real(shape.in_w)
                          : real(shape.kernel_h) * real(shape.kernel_w);
  StreamWork work;
  work.name = forward ? "pool" : "pool_gradient";
  work.elements = forward ? outputs : planes * real(shape.in_h) * real(shape.in_w);
  work.instructions =
      spec.instructions + spec.per_tap * outputs * taps / std::max(1.0, work.elements);
  work.traffic = {traffic.read * spec.traffic, traffic.written * spec.traffic,
                  traffic.dram_read * spec.traffic, traffic.dram_written * spec.traffic};
  work.wait = outputs * taps / std::max(1.0, work.elements) *
              static_cast<double>(spec.wait.count()) / device.lanes_clock;
  const double index = forward && shape.kind == PoolKind::max
                           ? outputs * static_cast<double>(spec.index.count())
                           : 0.0;
  const double missed = traffic.written > 0.0 ? traffic.dram_written / traffic.written : 1.0;
  work.traffic.written += index;
  work.traffic.dram_written += index * missed;
  work.l1_bytes = outputs * taps * real(element_size(operation.type));
  work.flops = real(operation.other_ops);
  return stream_kernel(device, plan, work);
}

GpuKernel embedding_kernel(const GpuDevice& device, const StreamPlan& plan,
                           const GpuEmbeddingSpec& spec, const Operation& operation,
                           const EmbeddingShape& shape, ReuseDistances reuse) {
  Operation touched = operation;
  const double moved = real(shape.rows) * real(shape.width) * real(element_size(operation.type));
  const Bytes rows{static_cast<std::int64_t>(std::min(moved, 4e18))};
  for (TensorUse& use : touched.operands) use.size = std::min(use.size, rows);
  if (operation.pass == Pass::weight_gradient)
    touched.pass = Pass::update;  // the table's rows are read, added to, written
  StreamWork work;
  work.name = operation.pass == Pass::forward ? "embedding" : "embedding_scatter";
  work.elements = real(shape.rows) * real(shape.width);
  work.instructions = spec.instructions;
  work.traffic = traffic_of(device, touched, reuse);
  work.flops = real(operation.other_ops);
  return stream_kernel(device, plan, work);
}

}  // namespace tantalus

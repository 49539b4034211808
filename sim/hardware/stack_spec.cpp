#include "sim/hardware/stack_spec.hpp"

#include <algorithm>
#include <utility>

#include "sim/config/document_header.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

Result<StackSpec> load_stack(std::string_view text, const std::string& file) {
  Result<Document> document = read_document(text, file, "stack");
  if (!document) return document.diagnostics();
  Result<StackSpec> spec = read_spec<StackSpec>(document->body, reading(*document));
  if (!spec) return spec.diagnostics();
  Diagnostics warnings = document.diagnostics();
  warnings.insert(warnings.end(), spec.diagnostics().begin(), spec.diagnostics().end());
  return {std::move(spec).value(), std::move(warnings)};
}

namespace {

const std::optional<Duration>& time_of_call(const SingleCallSpec& calls,
                                            const Operation& operation) {
  if (std::holds_alternative<GemmShape>(operation.work)) return calls.matmul;
  if (std::holds_alternative<ConvShape>(operation.work)) return calls.convolution;
  if (std::holds_alternative<PoolShape>(operation.work)) return calls.pooling;
  if (std::holds_alternative<ElementwiseShape>(operation.work)) return calls.elementwise;
  if (const auto* row = std::get_if<RowShape>(&operation.work)) {
    if (row->fn == RowFn::softmax) return calls.softmax;
    if (row->fn == RowFn::layer_norm) return calls.layer_norm;
  }
  return calls.other;
}

Duration scaled(Duration time, double factor) {
  return duration_from_seconds(seconds(time) * factor);
}

}  // namespace

StackSpec on_host(StackSpec stack, double factor) {
  SingleCallSpec& calls = stack.single_call;
  for (std::optional<Duration>* before :
       {&calls.elementwise, &calls.pooling, &calls.matmul, &calls.convolution, &calls.softmax,
        &calls.layer_norm, &calls.other}) {
    if (*before) *before = scaled(**before, factor);
  }
  calls.bias = scaled(calls.bias, factor);
  calls.after = scaled(calls.after, factor);
  return stack;
}

Duration single_call_time(const StackSpec& stack, const Operation& operation, Duration run) {
  const SingleCallSpec& calls = stack.single_call;
  Duration before = time_of_call(calls, operation).value_or(stack.host_per_operator);
  if (std::holds_alternative<GemmShape>(operation.work) && operation.bias) before += calls.bias;
  return before + std::max(run, calls.after);
}

bool may_use_tf32(const StackSpec& stack, const Operation& operation) {
  if (operation.type != DType::fp32) return false;
  if (std::holds_alternative<ConvShape>(operation.work)) {
    return stack.math.convolution == Fp32Math::tf32;
  }
  return std::holds_alternative<GemmShape>(operation.work) && stack.math.matmul == Fp32Math::tf32;
}

}  // namespace tantalus

#include "sim/hardware/stack_spec.hpp"

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

bool may_use_tf32(const StackSpec& stack, const Operation& operation) {
  if (operation.type != DType::fp32) return false;
  if (std::holds_alternative<ConvShape>(operation.work)) {
    return stack.math.convolution == Fp32Math::tf32;
  }
  return std::holds_alternative<GemmShape>(operation.work) && stack.math.matmul == Fp32Math::tf32;
}

}  // namespace tantalus

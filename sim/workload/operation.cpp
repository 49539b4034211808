#include "sim/workload/operation.hpp"

namespace tantalus {

std::string_view name_of(DType type) {
  switch (type) {
    case DType::fp32:
      return "fp32";
    case DType::tf32:
      return "tf32";
    case DType::fp16:
      return "fp16";
    case DType::bf16:
      return "bf16";
    case DType::fp8:
      return "fp8";
    case DType::int8:
      return "int8";
    case DType::int64:
      return "int64";
  }
  return "fp32";
}

std::string_view name_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "forward";
    case Pass::input_gradient:
      return "input_gradient";
    case Pass::weight_gradient:
      return "weight_gradient";
    case Pass::bias_gradient:
      return "bias_gradient";
    case Pass::update:
      return "update";
  }
  return "forward";
}

std::string_view name_of(ElementFn fn) {
  switch (fn) {
    case ElementFn::copy:
      return "copy";
    case ElementFn::add:
      return "add";
    case ElementFn::mul:
      return "mul";
    case ElementFn::div:
      return "div";
    case ElementFn::pow:
      return "pow";
    case ElementFn::relu:
      return "relu";
    case ElementFn::gelu:
      return "gelu";
    case ElementFn::tanh:
      return "tanh";
    case ElementFn::sigmoid:
      return "sigmoid";
    case ElementFn::bias:
      return "bias";
    case ElementFn::scale:
      return "scale";
    case ElementFn::dropout:
      return "dropout";
    case ElementFn::sgd_momentum:
      return "sgd_momentum";
    case ElementFn::adam:
      return "adam";
  }
  return "copy";
}

std::string_view name_of(RowFn fn) {
  switch (fn) {
    case RowFn::softmax:
      return "softmax";
    case RowFn::layer_norm:
      return "layer_norm";
    case RowFn::batch_norm:
      return "batch_norm";
    case RowFn::lrn:
      return "lrn";
    case RowFn::reduce:
      return "reduce";
  }
  return "reduce";
}

std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::automatic:
      return "auto";
    case Algorithm::gemm:
      return "gemm";
    case Algorithm::im2col_gemm:
      return "im2col_gemm";
    case Algorithm::implicit_gemm:
      return "implicit_gemm";
    case Algorithm::winograd:
      return "winograd";
    case Algorithm::fft:
      return "fft";
    case Algorithm::direct:
      return "direct";
  }
  return "auto";
}

Bytes operand_bytes(const Operation& operation) {
  Bytes total;
  for (const TensorUse& use : operation.operands) total += use.size;
  return total;
}

}  // namespace tantalus

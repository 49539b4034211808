// Number formats and tensor names: what lowered operations talk about. A tensor here is an identity and a size; shapes live
// in the layers that produced it (models/dnn).
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"

namespace tantalus {

using TensorId = Id<struct TensorTag>;

/// Number formats of operands. `fp32` means plain fp32 arithmetic, TF32 off.
enum class DType : std::uint8_t { fp32, tf32, fp16, bf16, fp8, int8, int64 };

/// Bytes of one element as it lies in memory (tf32 is a way to multiply, stored as fp32).
constexpr std::int64_t element_size(DType type) {
  switch (type) {
    case DType::fp32:
    case DType::tf32:
      return 4;
    case DType::fp16:
    case DType::bf16:
      return 2;
    case DType::fp8:
    case DType::int8:
      return 1;
    case DType::int64:
      return 8;
  }
  return 4;
}

/// "fp32", "tf32", ... as the command line and the JSON spell them.
std::string_view name_of(DType type);

/// One operand of an operation. Which bytes are still in a cache is decided by the device from the order of uses.
struct TensorUse {
  TensorId tensor;
  Bytes size;
  bool written = false;
};

}  // namespace tantalus

// The software on top of the device: how long the host takes to issue one operator and which arithmetic the framework lets
// fp32 operators use. One file of hw_configs/libraries that begins `tantalus: stack/1`. A stack names no device.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

struct Operation;

/// What a framework lets tensor cores do with fp32 operands.
enum class Fp32Math : std::uint8_t { fp32, tf32 };

struct MathModeSpec {
  Fp32Math convolution = Fp32Math::fp32;
  Fp32Math matmul = Fp32Math::fp32;
};

struct StackSpec {
  std::string name = "plain";
  Duration host_per_operator{
      5'000'000};  // a plain C++ loop; docs/modelling.md, "The launch path and the host"
  MathModeSpec math;
};

inline constexpr EnumName<Fp32Math> fp32_math_names[] = {{"fp32", Fp32Math::fp32},
                                                         {"tf32", Fp32Math::tf32}};

template <class Visitor>
void describe(Visitor& v, MathModeSpec& s) {
  v.choice("convolution", s.convolution, fp32_math_names, "arithmetic of fp32 convolutions");
  v.choice("matmul", s.matmul, fp32_math_names, "arithmetic of fp32 matrix products");
}

template <class Visitor>
void describe(Visitor& v, StackSpec& s) {
  v.text("name", s.name, "the stack's full name");
  v.required("host_per_operator", s.host_per_operator, not_negative,
             "host time to issue one operator");
  v.defaulted_section("math", s.math, "which operators may round fp32 operands to tf32");
}

/// Reads a stack file's text.
Result<StackSpec> load_stack(std::string_view text, const std::string& file);

/// True when the stack would run this fp32 operation in tf32 on a device that can.
bool may_use_tf32(const StackSpec& stack, const Operation& operation);

}  // namespace tantalus

// The kernels of an operation as the software runs it: the device's own choice, with fp32 rounded to tf32 where the stack says
// so, and with copies around a convolution whose images lie the other way than the units want them. Pure.
#pragma once

#include <vector>

#include "sim/hardware/device_model.hpp"
#include "sim/hardware/stack_spec.hpp"

namespace tantalus {

/// As DeviceModel::kernels(), in the order in which they run.
Result<std::vector<KernelCost>> stack_kernels(const StackSpec& stack, const DeviceModel& model,
                                              const Operation& operation, ReuseDistances reuse);

/// True when a convolution of this shape can read channels_first images on matrix units: a 1 x 1 window with stride 1 is a
/// plain product of each image, and rows of a multiple of 16 bytes can be loaded as they lie.
bool is_plain_product(const ConvShape& shape, DType type);

}  // namespace tantalus

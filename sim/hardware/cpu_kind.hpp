// The kind `cpu` of a device file: CpuSpec and its catalogue in, a Cpu component out.
#pragma once

#include "sim/hardware/device_kind.hpp"

namespace tantalus {

extern const DeviceKind cpu_kind;

}  // namespace tantalus

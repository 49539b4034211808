// The kind `gpu` of a device file: GpuSpec and its catalogues in, a Gpu component out.
#pragma once

#include "sim/hardware/device_kind.hpp"

namespace tantalus {

extern const DeviceKind gpu_kind;

}  // namespace tantalus

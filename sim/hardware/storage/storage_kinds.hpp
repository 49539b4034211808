// The `kind:` words of storage: ssd.
#pragma once

#include "sim/hardware/device_kind.hpp"

namespace tantalus {

extern const DeviceKind ssd_kind;

}  // namespace tantalus

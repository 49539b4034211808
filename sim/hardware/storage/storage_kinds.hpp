// The `kind:` words of storage: ssd, hdd, network_storage.
#pragma once

#include "sim/hardware/device_kind.hpp"

namespace tantalus {

extern const DeviceKind ssd_kind, hdd_kind, network_storage_kind;

}  // namespace tantalus

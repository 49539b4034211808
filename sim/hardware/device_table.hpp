// The kinds of devices that a system file may hold: one visible row each. Adding a device adds a row here and nowhere else.
#pragma once

#include <span>

#include "sim/hardware/device_kind.hpp"

namespace tantalus {

std::span<const DeviceKind> device_kinds();

}  // namespace tantalus

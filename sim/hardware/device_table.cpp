#include "sim/hardware/device_table.hpp"

#include <array>

#include "sim/hardware/cpu_kind.hpp"
#include "sim/hardware/gpu_kind.hpp"
#include "sim/hardware/storage/storage_kinds.hpp"

namespace tantalus {

std::span<const DeviceKind> device_kinds() {
  static const std::array<DeviceKind, 5> kinds{
      cpu_kind, gpu_kind, ssd_kind, hdd_kind, network_storage_kind,
  };
  return kinds;
}

}  // namespace tantalus

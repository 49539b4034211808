// What a PCI Express link really carries: the lane rate, less line coding, less data link traffic, less packet headers. Pure.
// Each direction has it to itself. Latency is not here: it belongs to whoever starts a transfer.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"

namespace tantalus {

/// Transfers a second on one lane. PCI Express Base Specification: 2.5, 5, 8, 16, 32, 64, 128 GT/s for generations 1 to 7.
TransferRate pcie_lane_rate(std::int64_t generation);

/// Payload a second in one direction when a device reads or writes large blocks in packets of 256 bytes. Against pinned
/// copies of generation 3 x16 parts (12.2 to 13.1 GB/s) it says 13.2; generation 4 x16: 25.1 measured, 26.4 said.
Bandwidth pcie_bandwidth(std::int64_t generation, std::int64_t lanes);

}  // namespace tantalus

// How a drive is joined to its host: PCI Express lanes or Serial ATA. Pure. A field of the drives' files, not of the system's
// `links:`, because a drive's own port is a property of the drive; a system's link can only be slower.
#pragma once

#include <optional>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"
#include "sim/config/system_spec.hpp"

namespace tantalus {

/// Exactly one of the two.
struct StorageLinkSpec {
  std::optional<PcieLinkSpec> pcie;
  std::optional<int> sata;  // generation
};

template <class Visitor>
void describe(Visitor& v, StorageLinkSpec& s) {
  v.optional_section("pcie", s.pcie, "PCI Express lanes of the drive");
  v.optional("sata", s.sata, within(1, 3), "Serial ATA generation, instead of pcie");
}
void check(const StorageLinkSpec& spec, SpecChecker& checker);

/// Bytes a second. Serial ATA: 1.5, 3 or 6 Gb/s in 8b/10b coding, of which drives reach 0.933 (560 of 600 MB/s is what the
/// fastest data sheets print: frames, primitives and hand-shakes take the rest).
Bandwidth storage_link_rate(const StorageLinkSpec& spec);

}  // namespace tantalus

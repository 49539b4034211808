#include "sim/hardware/storage/storage_link.hpp"

#include "sim/hardware/link/pcie.hpp"
#include "sim/hardware/storage/need.hpp"

namespace tantalus {

void check(const StorageLinkSpec& spec, SpecChecker& checker) {
  if (spec.pcie) {
    need(checker, "pcie.generation", spec.pcie->generation, 1, 7);
    need(checker, "pcie.lanes", spec.pcie->lanes, 1, 1'024);
  }
  if (spec.sata) need(checker, "sata", *spec.sata, 1, 3);
  if (spec.pcie.has_value() != spec.sata.has_value()) return;
  checker.contradictory("", "bad-link", "a drive has one link, either pcie or sata",
                        "write pcie: {generation: 3, lanes: 4} or sata: 3");
}

Bandwidth storage_link_rate(const StorageLinkSpec& spec) {
  if (spec.pcie) return pcie_bandwidth(spec.pcie->generation, spec.pcie->lanes);
  constexpr std::int64_t first_generation = 140'000'000;  // 150 MB/s x 0.933
  const int generation = spec.sata.value_or(1);
  return Bandwidth{first_generation << (generation - 1)};
}

}  // namespace tantalus

#include "sim/hardware/storage/storage_kinds.hpp"

#include <utility>

#include "sim/hardware/storage/ssd.hpp"

namespace tantalus {

namespace {

class SsdPlan final : public DevicePlan {
 public:
  explicit SsdPlan(SsdSpec spec) : spec_(std::move(spec)) {}

  std::unique_ptr<Component> make(const DeviceSite& site) const override {
    return std::make_unique<Ssd>(site.engine, site.id, site.name, spec_);
  }
  std::optional<PcieSlot> slot() const override {
    if (!spec_.link.pcie) return std::nullopt;
    return PcieSlot{spec_.link.pcie->generation, spec_.link.pcie->lanes};
  }

 private:
  SsdSpec spec_;
};

ReadDevice read_ssd(const DeviceSource& source) {
  Result<SsdSpec> spec = read_spec<SsdSpec>(source.body, source.context);
  if (!spec) return spec.diagnostics();
  Diagnostics warnings = spec.diagnostics();
  return {std::make_unique<SsdPlan>(std::move(spec).value()), std::move(warnings)};
}

}  // namespace

const DeviceKind ssd_kind{"ssd", "a solid state drive: controller, channels, dies, link", &read_ssd,
                          DeviceKind::Role::storage};

}  // namespace tantalus

#include "sim/hardware/storage/storage_kinds.hpp"

#include <utility>

#include "sim/hardware/storage/hdd.hpp"
#include "sim/hardware/storage/network_storage.hpp"
#include "sim/hardware/storage/ssd.hpp"

namespace tantalus {

namespace {

template <class Drive, class Spec>
class DrivePlan final : public DevicePlan {
 public:
  DrivePlan(Spec spec, std::optional<PcieLinkSpec> port) : spec_(std::move(spec)), port_(port) {}

  std::unique_ptr<Component> make(const DeviceSite& site) const override {
    return std::make_unique<Drive>(site.engine, site.id, site.name, spec_);
  }
  std::optional<PcieSlot> slot() const override {
    if (!port_) return std::nullopt;
    return PcieSlot{port_->generation, port_->lanes};
  }

 private:
  Spec spec_;
  std::optional<PcieLinkSpec> port_;
};

template <class Drive, class Spec>
ReadDevice read_drive(const DeviceSource& source) {
  Result<Spec> spec = read_spec<Spec>(source.body, source.context);
  if (!spec) return spec.diagnostics();
  Diagnostics warnings = spec.diagnostics();
  const std::optional<PcieLinkSpec> port = spec->link.pcie;
  return {std::make_unique<DrivePlan<Drive, Spec>>(std::move(spec).value(), port),
          std::move(warnings)};
}

}  // namespace

const DeviceKind ssd_kind{"ssd", "a solid state drive: controller, channels, dies, link",
                          &read_drive<Ssd, SsdSpec>, DeviceKind::Role::storage};
const DeviceKind hdd_kind{"hdd", "a hard disk: platters and one arm", &read_drive<Hdd, HddSpec>,
                          DeviceKind::Role::storage};
const DeviceKind network_storage_kind{"network_storage", "storage behind a network",
                                      &read_device<NetworkStorage, NetworkStorageSpec>,
                                      DeviceKind::Role::storage};

}  // namespace tantalus

// How a `kind:` of a device file becomes a component. A kind reads its whole body when the system is loaded, so that every
// mistake of every device is printed together before anything is built; what it read is a DevicePlan, which builds the
// component later. The list of kinds is an explicit table (device_table.hpp), not self-registration (decision 0004).
//
//   constexpr DeviceKind kind{"nvme", "a solid state disk", &read_device<Nvme, NvmeSpec>};
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/config/map_reader.hpp"
#include "sim/config/system_spec.hpp"
#include "sim/config/yaml_node.hpp"
#include "sim/engine/component.hpp"
#include "sim/hardware/device_model.hpp"

namespace tantalus {

class Fabric;

/// The text of a library file that a device names ("cublas-11-ampere"), or a Diagnostic that says where it was looked for. The
/// core reads no files; the application passes the function that does, as for devices.
using LibraryLookup = DeviceLookUp;

/// What a kind reads from.
struct DeviceSource {
  const YamlNode& body;  // the device's fields, overrides applied; no header, no `kind`
  ReadContext context;   // path prefix, hypothetical, sources
  const LibraryLookup& libraries;
  /// Catalogues that the software brings: before the device's own, where they are for it.
  std::vector<std::string> preferred = {};
};

/// What a component is built with.
struct DeviceSite {
  Engine& engine;
  DeviceId id;
  std::string name;
  Fabric& fabric;
};

/// The PCI Express port of a device: a link trains at the least that the link and both of its ends can do.
struct PcieSlot {
  std::int64_t generation = 0;
  std::int64_t lanes = 0;
};

/// A device read and checked, not yet built. Outlives the components that it makes.
class DevicePlan {
 public:
  virtual ~DevicePlan() = default;
  virtual std::unique_ptr<Component> make(const DeviceSite& site) const = 0;
  /// Null for devices that cannot run operations.
  virtual const DeviceModel* model() const { return nullptr; }
  /// None: the device takes whatever a link offers.
  virtual std::optional<PcieSlot> slot() const { return std::nullopt; }
};

using ReadDevice = Result<std::unique_ptr<DevicePlan>>;

struct DeviceKind {
  /// What a system uses a part of this kind for when nobody says otherwise.
  enum class Role : std::uint8_t { other, host, accelerator, storage };

  std::string_view key, summary;
  ReadDevice (*read)(const DeviceSource& source);
  Role role = Role::other;
};

/// The plan of a device that is nothing but a component with its spec.
template <class Device, class Spec>
class SpecPlan final : public DevicePlan {
 public:
  explicit SpecPlan(Spec spec) : spec_(std::move(spec)) {}
  std::unique_ptr<Component> make(const DeviceSite& site) const override {
    return std::make_unique<Device>(site.engine, site.id, site.name, spec_);
  }

 private:
  Spec spec_;
};

template <class Device, class Spec>
ReadDevice read_device(const DeviceSource& source) {
  Result<Spec> spec = read_spec<Spec>(source.body, source.context);
  if (!spec) return spec.diagnostics();
  Diagnostics warnings = spec.diagnostics();
  return {std::make_unique<SpecPlan<Device, Spec>>(std::move(spec).value()), std::move(warnings)};
}

}  // namespace tantalus

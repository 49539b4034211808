#include "sim/hardware/gpu_kind.hpp"

#include <optional>
#include <utility>

#include "sim/hardware/gpu.hpp"
#include "sim/hardware/gpu_model.hpp"
#include "sim/hardware/library_reader.hpp"

namespace tantalus {

namespace {

class GpuPlan final : public DevicePlan {
 public:
  explicit GpuPlan(GpuModel model) : model_(std::move(model)) {}

  std::unique_ptr<Component> make(const DeviceSite& site) const override {
    const GpuLaunchSpec& launch = model_.spec().launch;
    const GpuTiming timing{launch.queued, launch.latency, launch.queue_depth,
                           model_.spec().copy_engines, *launch.captured};
    return std::make_unique<Gpu>(site, model_, timing);
  }
  const DeviceModel* model() const override { return &model_; }
  std::optional<PcieSlot> slot() const override {
    const std::optional<PcieSpec>& pcie = model_.spec().pcie;
    if (!pcie) return std::nullopt;
    return PcieSlot{pcie->generation, pcie->lanes};
  }

 private:
  GpuModel model_;
};

ReadDevice read(const DeviceSource& source) {
  Result<GpuSpec> spec = read_spec<GpuSpec>(source.body, source.context);
  if (!spec) return spec.diagnostics();
  Result<std::vector<GpuLibrary>> libraries =
      read_libraries<GpuLibrary>(source, spec->libraries, {"gpu", spec->architecture});
  Diagnostics found = spec.diagnostics();
  found.insert(found.end(), libraries.diagnostics().begin(), libraries.diagnostics().end());
  if (!libraries) return found;
  GpuModel model(std::move(spec).value(), std::move(libraries).value(), measured_of(source.body));
  return {std::make_unique<GpuPlan>(std::move(model)), std::move(found)};
}

}  // namespace

const DeviceKind gpu_kind{"gpu", "a graphics processor: SMs, L2, DRAM and a launch path", &read,
                          DeviceKind::Role::accelerator};

}  // namespace tantalus

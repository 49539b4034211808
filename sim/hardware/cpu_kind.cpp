#include "sim/hardware/cpu_kind.hpp"

#include <utility>

#include "sim/hardware/cpu.hpp"
#include "sim/hardware/cpu_model.hpp"
#include "sim/hardware/library_reader.hpp"

namespace tantalus {

namespace {

class CpuPlan final : public DevicePlan {
 public:
  explicit CpuPlan(CpuModel model) : model_(std::move(model)) {}

  std::unique_ptr<Component> make(const DeviceSite& site) const override {
    return std::make_unique<Cpu>(site, model_, spin_rule_of(model_.spec(), model_.library()));
  }
  const DeviceModel* model() const override { return &model_; }

 private:
  CpuModel model_;
};

// What an alias may ask of a CPU: the widest vectors that it has.
std::string_view vector_word(const SimdSpec& simd) {
  if (simd.width >= BitWidth{512}) return "avx512";
  if (simd.width >= BitWidth{256}) return simd.fused ? "avx2" : "avx";
  // x86 fuses a multiply and an addition only in vectors of 256 bits and more.
  if (simd.width >= BitWidth{128} && simd.fused) return "neon";
  return {};
}

ReadDevice read(const DeviceSource& source) {
  Result<CpuSpec> spec = read_spec<CpuSpec>(source.body, source.context);
  if (!spec) return spec.diagnostics();
  Result<std::vector<CpuLibrary>> libraries =
      read_libraries<CpuLibrary>(source, spec->libraries, {"cpu", vector_word(spec->simd)});
  Diagnostics found = spec.diagnostics();
  found.insert(found.end(), libraries.diagnostics().begin(), libraries.diagnostics().end());
  if (!libraries) return found;
  CpuModel model(std::move(spec).value(), std::move(libraries.value().front()),
                 measured_of(source.body));
  return {std::make_unique<CpuPlan>(std::move(model)), std::move(found)};
}

}  // namespace

const DeviceKind cpu_kind{"cpu", "a processor: cores, vector units, caches and DRAM channels",
                          &read, DeviceKind::Role::host};

}  // namespace tantalus

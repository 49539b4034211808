#include "sim/hardware/doubt.hpp"

#include <algorithm>
#include <initializer_list>

namespace tantalus {

namespace {

bool has_measurement(const YamlNode& node) {
  if (node.writer == YamlNode::Writer::calibration) return true;
  return std::any_of(node.entries.begin(), node.entries.end(),
                     [](const YamlEntry& entry) { return has_measurement(entry.value); });
}

}  // namespace

Measured measured_of(const YamlNode& body) {
  const auto any_of = [&](std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) {
      const YamlNode* node = body.find(key);
      return node != nullptr && has_measurement(*node);
    });
  };
  return {any_of({"clock"}), any_of({"dram", "l3", "one_core_bandwidth"}), any_of({"power"}),
          any_of({"l1d", "l2"})};
}

double doubt_of(const Unmeasured& spec, Measured measured, Bound bound) {
  switch (bound) {
    case Bound::dram:
    case Bound::l3:
      return measured.memory ? 0.0 : spec.memory.value();
    case Bound::power:
      return measured.power ? 0.0 : spec.power.value();
    case Bound::l1:
    case Bound::l2:
      return measured.caches ? 0.0 : spec.caches.value();
    case Bound::compute:
    case Bound::launch:
    case Bound::host:
      return measured.clock ? 0.0 : spec.clock.value();
  }
  return 0.0;
}

}  // namespace tantalus

#include "sim/hardware/fabric.hpp"

#include <utility>

#include "sim/results/results.hpp"

namespace tantalus {

Fabric::Fabric(Engine& engine, DeviceId id, std::string name)
    : Component(engine, id, std::move(name)), flows_(engine, id, "fabric") {}

CapacityId Fabric::add(std::string device, std::string resource, Bandwidth capacity) {
  const CapacityId id = flows_.add_link(device + "." + resource, capacity);
  owners_.push_back({std::move(device), std::move(resource)});
  return id;
}

void Fabric::report(Results& results) const {
  for (std::uint32_t i = 0; i < owners_.size(); ++i) {
    const Bytes moved = flows_.moved(CapacityId{i});
    if (moved == Bytes{0}) continue;
    results.resources.push_back(
        {owners_[i].device, owners_[i].resource, flows_.busy(CapacityId{i}), moved});
  }
}

}  // namespace tantalus

// The shared capacities of one machine in one place: every cache level, memory and link direction that bytes cross, divided
// max-min fairly among all flows (sim/engine/shared_capacity.hpp), so that a copy and a kernel that meet in one DRAM slow
// each other. It is a component without ports; devices add their capacities when they are built and start flows later.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/component.hpp"
#include "sim/engine/shared_capacity.hpp"

namespace tantalus {

class Fabric final : public Component {
 public:
  Fabric(Engine& engine, DeviceId id, std::string name);

  /// A capacity that reports as resource `resource` of part `device` ("gpu0", "dram").
  CapacityId add(std::string device, std::string resource, Bandwidth capacity);

  SharedCapacity& flows() { return flows_; }
  const SharedCapacity& flows() const { return flows_; }

  void list_ports(PortList&) override {}
  /// One ResourceUse for each capacity that moved anything: what was never used is not in the report, so that an idle
  /// device changes nothing.
  void report(Results& results) const override;

 private:
  struct Owner {
    std::string device, resource;
  };
  SharedCapacity flows_;
  std::vector<Owner> owners_;  // by CapacityId
};

}  // namespace tantalus

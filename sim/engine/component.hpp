// One thing in the machine: it owns its state, is reached only through its ports, and acts only when an event or a
// message calls it. A component is built with its spec, then joined, then started; the Machine does all three.
#pragma once

#include <string>

#include "sim/base/ids.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/port.hpp"

namespace tantalus {

struct Results;  // sim/results/results.hpp; the engine only passes it through

/// Derive with Component as the first base, so that errors can name the object that an event called.
class Component {
 public:
  Component(Engine& engine, DeviceId id, std::string name);
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component();

  virtual void list_ports(PortList& ports) = 0;  // the names that YAML links use
  virtual void start() {}                        // all ports are joined; schedule the first events
  virtual void report(Results&) const {}         // the run is over; hand in the numbers

  DeviceId id() const { return id_; }
  const std::string& name() const { return name_; }

 protected:
  Engine& engine() const { return engine_; }

 private:
  Engine& engine_;
  DeviceId id_;
  std::string name_;
};

}  // namespace tantalus

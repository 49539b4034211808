// The machine: it owns the engine and the components, joins their ports by name, and refuses to start while a required
// port is not joined. It knows no hardware; devices come to it as functions that build a Component.
//
//   Machine machine;
//   machine.add("disk", make);                                   or machine.emplace<Disk>("disk", spec);
//   machine.join({.from = {"disk", "done"}, .to = {"cpu", "reads"}, .latency = Duration{...}, .where = pos});
//   Diagnostics problems = machine.start();                      then machine.run();
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"
#include "sim/engine/component.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/port.hpp"

namespace tantalus {

struct PortName {
  std::string device;
  std::string port;
};

/// A link as a person wrote it: from an out port to an in port.
struct JoinRequest {
  PortName from;
  PortName to;
  Duration latency;
  SourcePos where;   // of the link, for diagnostics
  std::string path;  // "links.pcie0"
};

class Machine {
 public:
  using Make = std::function<std::unique_ptr<Component>(Engine&, DeviceId, std::string name)>;

  Machine();
  Machine(Machine&&) = default;
  Machine& operator=(Machine&&) = delete;  // would destroy the engine before its components

  Engine& engine() { return *engine_; }
  const Engine& engine() const { return *engine_; }

  /// Names must differ: a broken invariant here, a Diagnostic where the file is read.
  Component& add(std::string name, const Make& make);
  template <class Device, class... Arguments>
  Device& emplace(std::string name, Arguments&&... arguments) {
    auto device = std::make_unique<Device>(*engine_, next_id(), std::move(name),
                                           std::forward<Arguments>(arguments)...);
    Device& made = *device;
    own(std::move(device));
    return made;
  }

  Component* find(std::string_view name);
  Component& at(DeviceId id);
  std::size_t size() const { return parts_.size(); }

  /// Codes: unknown-device, unknown-port, port-direction, port-type, port-taken, bad-latency. Empty when joined.
  Diagnostics join(const JoinRequest& request);

  /// Starts every component in the order of creation; or, when a required port is not joined, starts none and says which
  /// (code unjoined-port). To be called once.
  Diagnostics start();
  RunEnd run(RunLimits limits = {}) { return engine_->run(limits); }
  /// Collects every component's numbers in the order of creation.
  void report(Results& results) const;

 private:
  struct Part {
    std::unique_ptr<Component> component;
    PortList ports;
  };

  DeviceId next_id() const;
  void own(std::unique_ptr<Component> component);
  const Part* part(std::string_view name) const;
  const PortList::Entry* resolve(const PortName& name, const JoinRequest& request,
                                 Diagnostics& problems) const;

  std::unique_ptr<Engine>
      engine_;  // its address must not change when the machine moves; outlives the parts
  std::vector<Part> parts_;
  bool started_ = false;
};

}  // namespace tantalus

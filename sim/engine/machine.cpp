#include "sim/engine/machine.hpp"

#include <algorithm>

#include "sim/base/text.hpp"

namespace tantalus {

namespace {

Diagnostic problem(const JoinRequest& request, std::string code, std::string message,
                   std::string hint) {
  Diagnostic d;
  d.code = std::move(code);
  d.where = request.where;
  d.path = request.path;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string full_name(const PortName& name) { return quoted(name.device + "." + name.port); }

// "did you mean 'x'?" when something is near, else the whole list.
std::string suggestion(std::string_view word, const std::vector<std::string>& known,
                       std::string_view kind) {
  const std::string closest = closest_word(word, known);
  if (!closest.empty()) return "did you mean " + quoted(closest) + "?";
  if (known.empty()) return "it has none";
  std::string text = std::string(kind) + ": ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + known[i];
  return text;
}

// Both ends exist; may they be joined?
Diagnostics check_ends(const PortList::Entry& from, const PortList::Entry& to,
                       const JoinRequest& request) {
  if (from.out == nullptr || to.in == nullptr) {
    const bool swapped = from.in != nullptr && to.out != nullptr;
    const PortName& wrong = from.out == nullptr ? request.from : request.to;
    return {problem(
        request, "port-direction",
        full_name(wrong) + (from.out == nullptr ? " receives; a link starts at a port that sends"
                                                : " sends; a link ends at a port that receives"),
        swapped ? "swap the two ends of the link" : "")};
  }
  if (&from.out->type() != &to.in->type()) {
    return {problem(request, "port-type",
                    full_name(request.from) + " sends " + std::string(from.out->type().name()) +
                        ", but " + full_name(request.to) + " takes " +
                        std::string(to.in->type().name()),
                    "join ports that carry the same message")};
  }
  if (from.out->joined()) {
    return {problem(request, "port-taken", full_name(request.from) + " is already joined",
                    "a port that sends has one receiver; remove one of the links")};
  }
  if (request.latency < Duration{0}) {
    return {problem(request, "bad-latency", "a latency is not negative", "write 0 ns or more")};
  }
  return {};
}

Diagnostic unjoined(const std::string& device, const PortList::Entry& port) {
  Diagnostic d;
  d.code = "unjoined-port";
  d.path = "devices." + device;
  d.message = "port " + quoted(port.name) + " is not joined";
  d.hint = "add a link that " + std::string(port.in != nullptr ? "ends" : "starts") + " at " +
           quoted(device + "." + port.name);
  return d;
}

}  // namespace

Machine::Machine() : engine_(std::make_unique<Engine>()) {}

Component& Machine::add(std::string name, const Make& make) {
  own(make(*engine_, next_id(), std::move(name)));
  return *parts_.back().component;
}

DeviceId Machine::next_id() const { return {static_cast<std::uint32_t>(parts_.size())}; }

void Machine::own(std::unique_ptr<Component> component) {
  TANTALUS_CHECK(component != nullptr, "a device is made");
  TANTALUS_CHECK(!started_, "devices are added before the start");
  TANTALUS_CHECK(part(component->name()) == nullptr, "two devices have the same name");
  Part made{std::move(component), {}};
  made.component->list_ports(made.ports);
  for (const PortList::Entry& port : made.ports.entries()) {
    const void* object =
        port.in != nullptr ? static_cast<const void*>(port.in) : static_cast<const void*>(port.out);
    engine_->name_object(object, made.component->name() + "." + port.name);
  }
  parts_.push_back(std::move(made));
}

const Machine::Part* Machine::part(std::string_view name) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& candidate) {
    return candidate.component->name() == name;
  });
  return found == parts_.end() ? nullptr : &*found;
}

Component* Machine::find(std::string_view name) {
  const Part* found = part(name);
  return found == nullptr ? nullptr : found->component.get();
}

Component& Machine::at(DeviceId id) {
  TANTALUS_CHECK(id.value < parts_.size(), "a device id belongs to this machine");
  return *parts_[id.value].component;
}

const PortList::Entry* Machine::resolve(const PortName& name, const JoinRequest& request,
                                        Diagnostics& problems) const {
  const Part* device = part(name.device);
  if (device == nullptr) {
    std::vector<std::string> known;
    for (const Part& other : parts_) known.push_back(other.component->name());
    problems.push_back(problem(request, "unknown-device", "no device " + quoted(name.device),
                               suggestion(name.device, known, "devices")));
    return nullptr;
  }
  const PortList::Entry* port = device->ports.find(name.port);
  if (port == nullptr) {
    problems.push_back(problem(request, "unknown-port",
                               quoted(name.device) + " has no port " + quoted(name.port),
                               suggestion(name.port, device->ports.names(), "ports")));
  }
  return port;
}

Diagnostics Machine::join(const JoinRequest& request) {
  Diagnostics problems;
  const PortList::Entry* from = resolve(request.from, request, problems);
  const PortList::Entry* to = resolve(request.to, request, problems);
  if (from == nullptr || to == nullptr) return problems;
  problems = check_ends(*from, *to, request);
  if (problems.empty()) from->out->join_checked(*engine_, *to->in, request.latency);
  return problems;
}

Diagnostics Machine::start() {
  TANTALUS_CHECK(!started_, "a machine starts once");
  Diagnostics problems;
  for (const Part& device : parts_) {
    for (const PortList::Entry& port : device.ports.entries()) {
      if (port.need == PortList::Need::optional || port.joined()) continue;
      problems.push_back(unjoined(device.component->name(), port));
    }
  }
  if (!problems.empty()) return problems;
  started_ = true;
  for (Part& device : parts_) device.component->start();
  return {};
}

void Machine::report(Results& results) const {
  for (const Part& device : parts_) device.component->report(results);
}

}  // namespace tantalus

#include "sim/engine/component.hpp"

#include <utility>

namespace tantalus {

Component::Component(Engine& engine, DeviceId id, std::string name)
    : engine_(engine), id_(id), name_(std::move(name)) {
  engine_.name_object(this, name_);
}

Component::~Component() { engine_.forget_object(this); }

}  // namespace tantalus

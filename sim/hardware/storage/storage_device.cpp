#include "sim/hardware/storage/storage_device.hpp"

#include <algorithm>
#include <utility>

#include "sim/results/results.hpp"

namespace tantalus {

StorageDevice::StorageDevice(Engine& engine, DeviceId id, std::string name)
    : Component(engine, id, std::move(name)) {}

void StorageDevice::list_ports(PortList& ports) {
  ports.add("requests", requests_, PortList::Need::optional);
  ports.add("done", done_, PortList::Need::optional);
}

void StorageDevice::report(Results& results) const {
  const Bytes moved = use_.read + use_.written;
  if (moved == Bytes{0}) return;
  results.resources.push_back({name(), "media", use_.media_busy, moved});
  results.resources.push_back({name(), "link", use_.link_busy, moved});
}

Bandwidth StorageDevice::link_rate(Bandwidth own) const {
  return link_limit_ ? std::min(own, *link_limit_) : own;
}

void StorageDevice::arrive(const StorageRequest& request) {
  const bool read = request.kind == StorageRequest::Kind::read;
  ++(read ? use_.reads : use_.writes);
  (read ? use_.read : use_.written) += request.size;
  serve(request);
}

void StorageDevice::finish_at(TimePoint when, const StorageRequest& request, TimePoint arrived) {
  use_.waited += when - arrived;
  if (free_slots_.empty()) {
    TANTALUS_CHECK(tags_.size() < most_outstanding, "a storage device has too many requests");
    free_slots_.push_back(static_cast<std::uint32_t>(tags_.size()));
    tags_.push_back(0);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  tags_[slot] = request.tag;
  engine().at(when, Phase::act, {on<&StorageDevice::finish>, this, slot});
}

void StorageDevice::finish(std::uint32_t slot) {
  free_slots_.push_back(slot);
  done_.send({tags_[slot]});
}

}  // namespace tantalus

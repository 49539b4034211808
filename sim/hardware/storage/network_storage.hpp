// Network storage in motion: a request waits for a place among those that are worked on, takes its round trip, and then its
// bytes cross one line, in turn.
#pragma once

#include <string>

#include "sim/hardware/storage/command_slots.hpp"
#include "sim/hardware/storage/network_storage_spec.hpp"
#include "sim/hardware/storage/storage_device.hpp"

namespace tantalus {

class NetworkStorage final : public StorageDevice {
 public:
  NetworkStorage(Engine& engine, DeviceId id, std::string name, NetworkStorageSpec spec);

 private:
  void serve(const StorageRequest& request) override;
  Duration cross(Bytes size, TimePoint from);

  NetworkStorageSpec spec_;
  CommandSlots slots_;
  TimePoint line_free_;
  double credit_;  // bytes, at line_free_
};

}  // namespace tantalus

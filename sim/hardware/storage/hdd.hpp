// A hard disk in motion: one request at a time moves the arm, waits for the platter and passes the head. Of those that the
// drive knows it serves the next one in the arm's direction, and turns round when there is none (the elevator), so that a deep
// queue shortens the way, not the wait for the platter. A request that goes on where the head is needs neither.
//
// Not modelled: zones (the outer tracks are faster), the drive's own cache, errors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/hardware/storage/hdd_spec.hpp"
#include "sim/hardware/storage/storage_device.hpp"

namespace tantalus {

class Hdd final : public StorageDevice {
 public:
  Hdd(Engine& engine, DeviceId id, std::string name, HddSpec spec);

 private:
  struct Waiting {
    StorageRequest request;
    TimePoint arrived;
  };

  void serve(const StorageRequest& request) override;
  void serve_next();
  std::size_t next_in_direction();
  Duration positioning(const StorageRequest& request);
  void served();

  HddSpec spec_;
  std::vector<Waiting> queue_;  // in order of arrival
  bool busy_ = false, outwards_ = true;
  double arm_ = 0.0;           // share of its way
  std::uint64_t head_at_ = 0;  // byte after the last one that passed
  std::uint64_t platter_ = 0;  // where the platter stands when it matters: a draw for each request
};

}  // namespace tantalus

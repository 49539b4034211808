// A reader that keeps so many requests in flight, and what it then saw: for tests of storage devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sim/engine/machine.hpp"
#include "sim/hardware/storage/place_hash.hpp"
#include "sim/hardware/storage/storage_device.hpp"

namespace tantalus::testing {

/// What the i-th request is.
using Pattern = std::function<StorageRequest(std::uint64_t)>;

inline Pattern random_reads(Bytes size) {
  return [size](std::uint64_t i) {
    return StorageRequest{size, place_hash(i) >> 16, StorageRequest::Kind::read, false, 0};
  };
}
inline Pattern sequential(Bytes size, StorageRequest::Kind kind) {
  return [size, kind](std::uint64_t i) {
    return StorageRequest{size, i * static_cast<std::uint64_t>(size.count()), kind, i > 0, 0};
  };
}

class StorageReader final : public Component {
 public:
  StorageReader(Engine& engine, DeviceId id, std::string name, Pattern pattern, int depth,
                std::uint64_t count)
      : Component(engine, id, std::move(name)),
        pattern_(std::move(pattern)),
        depth_(depth),
        count_(count) {}

  void list_ports(PortList& ports) override {
    ports.add("requests", requests_);
    ports.add("done", done_);
  }
  void start() override {
    for (int i = 0; i < depth_; ++i) ask();
  }

  std::vector<TimePoint> asked, answered;  // by tag

 private:
  void ask() {
    if (asked.size() == count_) return;
    StorageRequest request = pattern_(asked.size());
    request.tag = static_cast<std::uint32_t>(asked.size());
    asked.push_back(engine().now());
    answered.emplace_back();
    requests_.send(request);
  }
  void hear(const StorageDone& done) {
    answered[done.tag] = engine().now();
    ask();
  }

  Pattern pattern_;
  int depth_;
  std::uint64_t count_;
  OutPort<StorageRequest> requests_;
  InPort<StorageDone> done_{on<&StorageReader::hear>, this};
};

struct Seen {
  double per_second = 0.0;  // requests, while the middle half of them was answered
  double latency = 0.0;     // mean, seconds
  double in_flight = 0.0;   // mean, as the device counted it
  double span = 0.0;        // seconds
  std::vector<TimePoint> answered;
  StorageUse use;
};

/// Reads from the device called "disk" of a machine that has not been started.
inline Seen load_disk(Machine& machine, const Pattern& pattern, int depth, std::uint64_t count) {
  const auto* device = dynamic_cast<StorageDevice*>(machine.find("disk"));
  REQUIRE(device != nullptr);
  const auto& reader = machine.emplace<StorageReader>("reader", pattern, depth, count);
  REQUIRE(
      machine.join({{"reader", "requests"}, {"disk", "requests"}, Duration{0}, {}, ""}).empty());
  REQUIRE(machine.join({{"disk", "done"}, {"reader", "done"}, Duration{0}, {}, ""}).empty());
  REQUIRE(machine.start().empty());
  machine.run();
  Seen seen;
  seen.answered = reader.answered;
  seen.use = device->use();
  seen.span = seconds(machine.engine().now().since_start());
  Duration waited;
  for (std::size_t i = 0; i < count; ++i) waited += reader.answered[i] - reader.asked[i];
  std::vector<TimePoint> in_order = reader.answered;
  std::sort(in_order.begin(), in_order.end());
  const std::size_t from = in_order.size() / 4, to = in_order.size() - 1 - from;
  seen.per_second =
      from < to ? static_cast<double>(to - from) / seconds(in_order[to] - in_order[from]) : 0.0;
  seen.latency = seconds(waited) / static_cast<double>(count);
  seen.in_flight = seconds(seen.use.waited) / seen.span;
  return seen;
}

template <class Device, class Spec>
Seen load(const Spec& spec, const Pattern& pattern, int depth, std::uint64_t count) {
  Machine machine;
  machine.emplace<Device>("disk", spec);
  return load_disk(machine, pattern, depth, count);
}

}  // namespace tantalus::testing

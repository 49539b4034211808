#include "sim/hardware/storage/network_storage.hpp"

#include <algorithm>
#include <utility>

namespace tantalus {

NetworkStorage::NetworkStorage(Engine& engine, DeviceId id, std::string name,
                               NetworkStorageSpec spec)
    : StorageDevice(engine, id, std::move(name)),
      spec_(std::move(spec)),
      slots_(static_cast<std::size_t>(spec_.in_flight)),
      credit_(spec_.burst ? static_cast<double>(spec_.burst->credit.count()) : 0.0) {}

void NetworkStorage::serve(const StorageRequest& request) {
  TimePoint ready = slots_.take(engine().now()) + spec_.round_trip;
  if (!request.sequential) ready = ready + spec_.open_time;
  const TimePoint from = std::max(ready, line_free_);
  const Duration crossing = cross(request.size, from);
  line_free_ = from + crossing;
  count_link(crossing);
  count_media(crossing);
  slots_.end_at(line_free_);
  finish_at(line_free_, request, engine().now());
}

/// With credit the line runs at the burst's rate and the credit sinks by the difference; without, at the plain rate.
Duration NetworkStorage::cross(Bytes size, TimePoint from) {
  const Bandwidth plain = link_rate(spec_.rate);
  if (!spec_.burst) return size / plain;
  const auto rate = static_cast<double>(spec_.rate.count());
  const auto most = static_cast<double>(spec_.burst->credit.count());
  const auto fast = static_cast<double>(link_rate(spec_.burst->rate).count());
  credit_ = std::min(most, credit_ + rate * seconds(from - line_free_));
  const auto bytes = static_cast<double>(size.count());
  if (fast <= rate) return size / plain;
  const double until_spent = credit_ / (fast - rate);  // seconds
  const double in_burst = std::min(bytes / fast, until_spent);
  credit_ -= (fast - rate) * in_burst;
  return duration_from_seconds(in_burst + (bytes - fast * in_burst) / rate);
}

}  // namespace tantalus

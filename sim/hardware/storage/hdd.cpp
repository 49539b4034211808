#include "sim/hardware/storage/hdd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/hardware/storage/place_hash.hpp"

namespace tantalus {

namespace {

/// Places are byte offsets or hashes below 2^48: a share of the arm's way.
double way_to(const StorageRequest& request) {
  return static_cast<double>(request.place & ((std::uint64_t{1} << 48) - 1)) * 0x1p-48;
}

}  // namespace

Hdd::Hdd(Engine& engine, DeviceId id, std::string name, HddSpec spec)
    : StorageDevice(engine, id, std::move(name)), spec_(std::move(spec)) {}

void Hdd::serve(const StorageRequest& request) {
  queue_.push_back({request, engine().now()});
  if (!busy_) serve_next();
}

/// Among those that the drive knows: the nearest in the arm's direction.
std::size_t Hdd::next_in_direction() {
  const std::size_t known = std::min(queue_.size(), static_cast<std::size_t>(spec_.queue_depth));
  for (int turned = 0;; ++turned) {
    std::size_t best = known;
    double least = 2.0;
    for (std::size_t i = 0; i < known; ++i) {
      const double ahead = (way_to(queue_[i].request) - arm_) * (outwards_ ? 1.0 : -1.0);
      if (ahead >= 0.0 && ahead < least) least = ahead, best = i;
    }
    if (best < known || turned == 1) return best;
    outwards_ = !outwards_;
  }
}

Duration Hdd::positioning(const StorageRequest& request) {
  if (request.sequential && request.place == head_at_) return Duration{0};
  const double way = way_to(request);
  const Duration seek = spec_.seek(std::abs(way - arm_));
  arm_ = way;
  platter_ = place_hash(platter_ ^ request.place);
  const Int128 turn = Int128{spec_.turn().count()} * static_cast<std::int64_t>(platter_ >> 32);
  return seek + Duration{static_cast<std::int64_t>(turn >> 32)};
}

void Hdd::serve_next() {
  const std::size_t next = next_in_direction();
  const Waiting one = queue_[next];
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(next));
  busy_ = true;
  const Duration positioned = positioning(one.request);
  const Duration passing = one.request.size / spec_.media_rate;
  head_at_ = one.request.place + static_cast<std::uint64_t>(one.request.size.count());
  count_media(positioned + passing);
  // The port is many times faster than the head: what passes the head crosses it at the same time, if it can.
  const Duration crossing = one.request.size / link_rate(storage_link_rate(spec_.link));
  count_link(crossing);
  const TimePoint end =
      engine().now() + spec_.command_time + positioned + std::max(passing, crossing);
  finish_at(end, one.request, one.arrived);
  engine().at(end, Phase::act, {on<&Hdd::served>, this});
}

void Hdd::served() {
  busy_ = false;
  if (!queue_.empty()) serve_next();
}

}  // namespace tantalus

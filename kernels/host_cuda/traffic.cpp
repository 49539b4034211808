#include "kernels/host_cuda/traffic.hpp"

#include <algorithm>

namespace tantalus::emulate {

Tally LaunchTraffic::of(AccessKind kind, const std::string& buffer) const {
  const auto& tallies = by_buffer[static_cast<std::size_t>(kind)];
  const auto found = tallies.find(buffer);
  return found == tallies.end() ? Tally{} : found->second;
}

void TrafficRecorder::begin_launch(const std::string& kernel, const kernels::LaunchShape& shape) {
  LaunchTraffic launch;
  launch.kernel = kernel;
  launch.shape = shape;
  launches_.push_back(std::move(launch));
  all_ = {};
  by_buffer_ = {};
}

void TrafficRecorder::begin_block(int warps) { warps_.assign(static_cast<std::size_t>(warps), {}); }

TrafficRecorder::Place& TrafficRecorder::place_of(int warp, AccessKind kind, int line,
                                                  const char* buffer) {
  std::vector<Place>& places = warps_[static_cast<std::size_t>(warp)];
  for (Place& place : places) {
    if (place.line == line && place.kind == kind && place.buffer == buffer) return place;
  }
  Place place;
  place.line = line;
  place.buffer = buffer;
  place.kind = kind;
  return places.emplace_back(std::move(place));
}

void TrafficRecorder::access(int warp, int lane, AccessKind kind, int line, const char* buffer,
                             const void* address, unsigned bytes, bool active) {
  Place& place = place_of(warp, kind, line, buffer);
  const auto index = static_cast<std::size_t>(lane);
  const std::size_t turn = place.seen[index]++;
  if (place.requests.size() <= turn) place.requests.resize(turn + 1);
  if (!active) return;
  Request& request = place.requests[turn];
  request.address[index] = reinterpret_cast<std::uintptr_t>(address);
  request.active |= 1U << lane;
  request.bytes = bytes;
}

TrafficRecorder::Sectors TrafficRecorder::sectors_of(const Request& request) {
  // A lane's access never crosses a sector: all sizes are powers of two up to 16 and aligned.
  Sectors sectors;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if ((request.active >> lane & 1U) != 0)
      sectors.number[sectors.lanes++] = request.address[lane] / std::uintptr_t{sector_bytes};
  }
  auto* const first = sectors.number.data();
  auto* const last = first + sectors.lanes;
  std::sort(first, last);
  sectors.distinct = static_cast<std::size_t>(std::unique(first, last) - first);
  return sectors;
}

void TrafficRecorder::add(const Sectors& sectors, unsigned bytes, Tally& tally,
                          SectorSet& touched) {
  const auto* const first = sectors.number.data();
  tally.requests += 1;
  tally.bytes += static_cast<std::int64_t>(sectors.lanes) * bytes;
  tally.sectors += static_cast<std::int64_t>(sectors.distinct);
  touched.insert(first, first + sectors.distinct);
  tally.footprint = static_cast<std::int64_t>(touched.size());
}

void TrafficRecorder::count(const Place& place, const Request& request) {
  if (request.active == 0) return;
  const Sectors sectors = sectors_of(request);
  const auto kind = static_cast<std::size_t>(place.kind);
  LaunchTraffic& launch = launches_.back();
  add(sectors, request.bytes, launch.all[kind], all_[kind]);
  add(sectors, request.bytes, launch.by_buffer[kind][place.buffer], by_buffer_[kind][place.buffer]);
}

void TrafficRecorder::close_requests() {
  for (std::vector<Place>& places : warps_) {
    for (Place& place : places) {
      for (const Request& request : place.requests) count(place, request);
      place.requests.clear();
      place.seen.fill(0);
    }
  }
}

void TrafficRecorder::end_launch(std::int64_t shared_bytes) {
  launches_.back().shared_bytes = shared_bytes;
}

}  // namespace tantalus::emulate

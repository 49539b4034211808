// What the threads of a kernel asked of device memory, as a profiler counts it: requests of warps, the bytes in them, and the
// 32-byte sectors that each request touches. A request is what the lanes of one warp do at one place of the source for the n-th
// time since the block's last barrier; a predicated access (load_if) whose predicate fails still takes its turn, as on
// hardware. No cache stands between: these are the requests that L1 sees; `footprint` is what a cache of any size must fetch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "kernels/gpu/launch_shape.hpp"
#include "kernels/host_cuda/warp_exchange.hpp"

namespace tantalus::emulate {

inline constexpr std::int64_t sector_bytes = 32;

enum class AccessKind : std::uint8_t { read, write, atomic };

struct Tally {
  std::int64_t requests = 0;   // of warps with at least one active lane
  std::int64_t bytes = 0;      // that active lanes named
  std::int64_t sectors = 0;    // distinct ones of each request, summed
  std::int64_t footprint = 0;  // distinct sectors of the whole launch
  double sectors_per_request() const {
    return requests == 0 ? 0.0 : static_cast<double>(sectors) / static_cast<double>(requests);
  }
};

struct LaunchTraffic {
  template <class T>
  using OfKinds = std::array<T, 3>;  // by AccessKind

  std::string kernel;
  kernels::LaunchShape shape;
  OfKinds<Tally> all;
  OfKinds<std::map<std::string, Tally>> by_buffer;
  std::int64_t shared_bytes = 0;  // of one block

  const Tally& of(AccessKind kind) const { return all[static_cast<std::size_t>(kind)]; }
  /// All zero when the kernel did not touch `buffer` so.
  Tally of(AccessKind kind, const std::string& buffer) const;
};

class TrafficRecorder {
 public:
  const std::vector<LaunchTraffic>& launches() const { return launches_; }

  // ---- for the emulator
  void begin_launch(const std::string& kernel, const kernels::LaunchShape& shape);
  void begin_block(int warps);
  void access(int warp, int lane, AccessKind kind, int line, const char* buffer,
              const void* address, unsigned bytes, bool active);
  /// A barrier or the block's end: no later access joins an earlier request.
  void close_requests();
  void end_launch(std::int64_t shared_bytes);

 private:
  struct Request {
    std::array<std::uintptr_t, warp_lanes> address{};
    std::uint32_t active = 0;
    unsigned bytes = 0;
  };
  struct Place {
    int line = 0;
    const char* buffer = "";  // by address: each place of the source has its own text
    AccessKind kind = AccessKind::read;
    std::array<std::uint32_t, warp_lanes> seen{};
    std::vector<Request> requests;
  };
  using SectorSet = std::unordered_set<std::uintptr_t>;
  struct Sectors {
    std::array<std::uintptr_t, warp_lanes> number{};  // the first `distinct` are
    std::size_t lanes = 0, distinct = 0;
  };

  static Sectors sectors_of(const Request& request);
  static void add(const Sectors& sectors, unsigned bytes, Tally& tally, SectorSet& touched);
  Place& place_of(int warp, AccessKind kind, int line, const char* buffer);
  void count(const Place& place, const Request& request);

  std::vector<LaunchTraffic> launches_;
  std::vector<std::vector<Place>> warps_;
  LaunchTraffic::OfKinds<SectorSet> all_;
  LaunchTraffic::OfKinds<std::map<std::string, SectorSet>> by_buffer_;
};

}  // namespace tantalus::emulate

// What every kind of storage looks like to those who read from it: requests come in at one port, and a word that each is done
// leaves by another. Any number may be outstanding; the device queues them itself and answers out of order where it would. A
// request costs one event, whatever its size: dies, channels and links are booked ahead when it arrives (timeline.hpp). The
// bytes' way through host memory is not here: who asks starts that flow, if there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/engine/component.hpp"
#include "sim/engine/port.hpp"

namespace tantalus {

/// `place` is a logical byte offset, or the hash of a file's name: it decides dies and seeks. A `sequential` request goes on
/// where the one before it ended: no seek, no opening. `tag` is the caller's and comes back.
struct StorageRequest {
  enum class Kind : std::uint8_t { read, write };

  Bytes size;
  std::uint64_t place = 0;
  Kind kind = Kind::read;
  bool sequential = false;
  std::uint32_t tag = 0;
};

struct StorageDone {
  std::uint32_t tag = 0;
};

/// What one device did. `waited` is the sum over requests of the time from arrival to the answer, so that waited / span is the
/// mean number in flight (Little).
struct StorageUse {
  std::int64_t reads = 0, writes = 0;
  Bytes read, written;
  Duration waited;
  Duration media_busy;  // dies, heads or servers: the mean over those there are
  Duration link_busy;
};

class StorageDevice : public Component {
 public:
  /// Requests in flight at once; more is a broken invariant.
  static constexpr std::size_t most_outstanding = Action::argument_limit;

  StorageDevice(Engine& engine, DeviceId id, std::string name);

  /// "requests" in and "done" out; neither must be joined, so that a machine may own a disk that nobody reads.
  void list_ports(PortList& ports) override;
  void report(Results& results) const override;

  /// What a link of the system on the way to the host carries; the least of all that are told counts. To be said before the
  /// start.
  void limit_link(Bandwidth rate) { link_limit_ = link_rate(rate); }
  const StorageUse& use() const { return use_; }

 protected:
  /// Called when a request arrives; answers with finish_at(), now or later.
  virtual void serve(const StorageRequest& request) = 0;
  void finish_at(TimePoint when, const StorageRequest& request, TimePoint arrived);
  /// The device's own port, or what the system leaves of it.
  Bandwidth link_rate(Bandwidth own) const;
  void count_media(Duration busy) { use_.media_busy += busy; }
  void count_link(Duration busy) { use_.link_busy += busy; }

 private:
  void arrive(const StorageRequest& request);
  void finish(std::uint32_t slot);

  InPort<StorageRequest> requests_{on<&StorageDevice::arrive>, this};
  OutPort<StorageDone> done_;
  std::vector<std::uint32_t> tags_;  // of requests in flight, by slot
  std::vector<std::uint32_t> free_slots_;
  std::optional<Bandwidth> link_limit_;
  StorageUse use_;
};

}  // namespace tantalus

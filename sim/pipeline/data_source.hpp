// Where loader workers get their bytes: memory when the page cache has them, else the drives. Items lie on the drives by turns.
// A component, because drives are reached through ports; hits cost no event.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/component.hpp"
#include "sim/engine/port.hpp"
#include "sim/hardware/storage/page_cache.hpp"
#include "sim/hardware/storage/storage_device.hpp"
#include "sim/pipeline/stall.hpp"

namespace tantalus {

class DataSource final : public Component {
 public:
  /// Ports "requests 0" and "done 0" for the first of `drives`, and so on.
  DataSource(Engine& engine, DeviceId id, std::string name, PageCache cache, std::size_t drives);

  /// True when the page cache has it; afterwards it does, unless its policy declines.
  bool in_memory(std::uint32_t piece, Bytes size);
  /// The same for what describes an item, which is not counted as one.
  bool inode_in_memory(std::uint32_t piece, Bytes size) { return cache_.read(piece, size); }
  /// Reads from the drive that holds it; `done` is called when the bytes are in memory.
  void read(std::uint32_t piece, std::uint64_t place, Bytes size, bool sequential, Action done);
  void write(std::uint64_t place, Bytes size, bool sequential, Action done);

  void list_ports(PortList& ports) override;

  const PageCache& cache() const { return cache_; }
  std::int64_t reads() const { return reads_; }
  std::int64_t hits() const { return hits_; }
  Bytes from_storage() const { return from_storage_; }
  /// busy while at least one request is under way.
  const StageClock& clock() const { return clock_; }

 private:
  struct Channel {
    Channel(DataSource* owner)  // NOLINT(google-explicit-constructor): made in place only
        : done(on<&DataSource::answer>, owner) {}
    OutPort<StorageRequest> requests;
    InPort<StorageDone> done;
  };
  void ask(std::size_t drive, StorageRequest request, Action done);
  void answer(const StorageDone& done);

  PageCache cache_;
  std::vector<std::unique_ptr<Channel>> channels_;  // ports do not move
  std::vector<Action> waiting_;                     // by tag
  std::vector<std::uint32_t> free_tags_;
  std::int64_t under_way_ = 0, reads_ = 0, hits_ = 0;
  Bytes from_storage_;
  StageClock clock_{StageState::starved};
};

}  // namespace tantalus

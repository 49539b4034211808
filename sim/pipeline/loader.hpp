// The loader of one training process: workers that read and prepare batches, a bounded number of batches ordered ahead, delivery
// in order, and a thread that pins them. A worker is one thread: it reads an item, prepares it, and goes on to the next; what
// it does for items that are in memory is one piece of work, so that a batch without misses costs one event. Workers that read
// shards read ahead while they prepare.
//
// Without workers the training loop is the worker, and begins a batch when it asks for it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/ring.hpp"
#include "sim/pipeline/data_source.hpp"
#include "sim/pipeline/dataset_spec.hpp"
#include "sim/pipeline/host_cores.hpp"
#include "sim/pipeline/item_order.hpp"
#include "sim/pipeline/loader_spec.hpp"
#include "sim/pipeline/stall.hpp"

namespace tantalus {

/// Who takes the batches. Both are called in the instant in which they become true.
class BatchTaker {
 public:
  /// The batch that was asked for, with so many samples.
  virtual void take_batch(std::int64_t samples) = 0;
  /// What its worker does now; said when it was asked for and is not there, and at each change.
  virtual void wait_for_batch(Cause cause) = 0;

 protected:
  ~BatchTaker() = default;
};

/// One worker that does nothing for a while, whatever the reason.
struct WorkerPause {
  std::int64_t worker = 0;
  TimePoint at;
  Duration length;
};

/// The items of one process in one epoch: from `first` of the order on, every batch `stride` items after the one before, and
/// `batch` items of it; the last one may be shorter.
struct LoaderShare {
  std::int64_t first = 0, stride = 1, batch = 1;
  std::int64_t most_batches = 0;  // 0: all that there are
};

class Loader {
 public:
  struct Parts {
    Engine& engine;
    DataSource& source;
    HostCores& cores;
    CapacityId memory;
    const ItemOrder& order;
    BatchTaker& taker;
  };
  Loader(const Parts& parts, const DatasetSpec& data, const LoaderSpec& spec, LoaderShare share);

  /// Batches of an epoch.
  std::int64_t batches() const;
  /// A new epoch: workers start, or go on when they are persistent.
  void begin_epoch();
  void ask();
  /// Nothing is left of the batch that was taken last: the memory it lay in is free.
  void release();
  /// Before the first batch that the worker begins at or after that instant.
  void pause(const WorkerPause& pause) { pauses_.push_back(pause); }

  const std::vector<StageClock>& workers() const { return clocks_; }
  const StageClock& pinning() const { return pin_clock_; }
  /// Batches that lay in shared memory at one time, at most.
  std::int64_t most_in_memory() const { return most_in_memory_; }

 private:
  enum class Doing : std::uint8_t { nothing, starting, reading, preparing };
  struct Worker {
    std::int64_t batch = 0;                       // the one it builds, or builds next
    std::size_t next = 0, end = 0;                // places in the order
    std::uint64_t next_piece = 0, end_piece = 0;  // of shards, still to be read
    std::uint64_t bytes_into_shard = 0;
    Duration work;  // gathered, not yet done
    Doing doing = Doing::nothing;
    bool working = false, reading = false;  // of shards: both at once
  };

  std::int64_t active_workers() const { return static_cast<std::int64_t>(workers_.size()); }
  bool pins() const { return spec_.copy != BatchCopy::pageable; }
  bool deliverable() const;
  std::int64_t may_begin() const;
  std::int64_t size_of(std::int64_t batch) const;
  Duration item_work(Bytes stored) const;
  Duration batch_work(std::int64_t batch) const;
  void start_workers();
  void begin_batches();
  void begin_batch(std::uint32_t w);
  void build(std::uint32_t w);
  void go_on(std::uint32_t w);
  void read_item(std::uint32_t w);
  void read_file(std::uint32_t w);
  void item_read(std::uint32_t w);
  void begin_shard(std::uint32_t w);
  void read_piece(std::uint32_t w);
  void piece_read(std::uint32_t w);
  void shard_worked(std::uint32_t w);
  void end_batch(std::uint32_t w);
  void work(std::uint32_t w, Action done);
  void set(std::uint32_t w, Doing doing);
  void pin();
  void pinned();
  void deliver();
  void tell();

  Engine& engine_;
  DataSource& source_;
  HostCores& cores_;
  const ItemOrder& order_;
  BatchTaker& taker_;
  const DatasetSpec& data_;
  const LoaderSpec& spec_;
  LoaderShare share_;
  Duration work_per_item_;  // when all are of one size
  FlowClassId thread_, pin_thread_;
  std::vector<Worker> workers_;
  std::vector<StageClock> clocks_;  // by worker
  StageClock pin_clock_{StageState::starved};
  std::vector<bool> built_;  // by batch of this epoch
  std::int64_t taken_ = 0;   // batches handed out
  std::int64_t pinned_ = 0;  // batches that the pinning thread has done
  std::int64_t in_memory_ = 0, most_in_memory_ = 0;
  bool asked_ = false, pinning_ = false, alive_ = false;
  std::vector<WorkerPause> pauses_;  // still to come
};

}  // namespace tantalus

// What happened, in order, as plain records, and a 64-bit fingerprint of them that is the same on every compiler. The
// trace is for checkers, timelines and tests of equality; it never steers the simulation. It can keep the records or only
// the fingerprint; an engine without a trace pays one branch per record.
//
// Ids in the fingerprint: devices count in the order in which they first appear in the trace, so a device that does
// nothing, wherever it was declared, changes nothing. `subject` and `lane` should be numbered by use for the same reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"

namespace tantalus {

/// The numbers are part of the fingerprint: append, never renumber.
enum class TraceKind : std::uint8_t {
  task_queued = 1,    // subject task, lane stream or queue
  task_started = 2,   // subject task, lane stream or queue
  task_finished = 3,  // subject task, lane stream or queue
  flow_started =
      4,  // subject flow, lane class, amount bytes of each flow, detail number of equal flows
  flow_rate_changed =
      5,  // subject class, amount rate of each flow in SharedCapacity's rate units, detail flows active
  flow_finished =
      6,  // subject flow, lane class, amount bytes of each flow, detail number of equal flows
  cohort_started =
      7,  // subject task, lane cohort (equal pieces of a task that start together), amount pieces
  cohort_finished = 8,  // subject task, lane cohort, amount pieces
  resource_taken = 9,   // subject task, lane resource, amount units taken, detail units still free
  resource_freed =
      10,  // subject task, lane resource, amount units given back, detail units then free
};

std::string_view name_of(TraceKind kind);  // "task-started"

/// One thing that happened. What subject, lane, amount and detail mean is said at the kind.
struct TraceRecord {
  std::int64_t time = 0;  // picoseconds
  std::int64_t amount = 0;
  std::int64_t detail = 0;
  DeviceId device;
  std::uint32_t subject = 0;
  std::uint32_t lane = 0;
  TraceKind kind = TraceKind::task_queued;

  bool operator==(const TraceRecord&) const = default;
};

class Trace {
 public:
  enum class Keep : std::uint8_t { fingerprint_only, records };

  explicit Trace(Keep keep = Keep::records) : keep_(keep) {}

  void add(const TraceRecord& record) {
    mix(record);
    ++count_;
    if (keep_ == Keep::records) records_.push_back(record);
  }

  /// Room for this many records, so that a long run does not stop to move them.
  void reserve(std::size_t count) { records_.reserve(count); }

  /// As new, but keeps its memory.
  void clear();

  /// In the order in which they happened; empty when only the fingerprint is kept.
  const std::vector<TraceRecord>& records() const { return records_; }
  std::size_t count() const { return count_; }

  /// Over the records' fields as little-endian 64-bit words in declaration order, devices numbered by first appearance.
  std::uint64_t fingerprint() const;

 private:
  void mix(const TraceRecord& record) {
    fold(static_cast<std::uint64_t>(record.time));
    fold(static_cast<std::uint64_t>(record.amount));
    fold(static_cast<std::uint64_t>(record.detail));
    fold((std::uint64_t{canonical(record.device)} << 32) | record.subject);
    fold((std::uint64_t{record.lane} << 32) | static_cast<std::uint8_t>(record.kind));
  }
  // FNV-1a's step (xor, then multiply) on words instead of bytes, with a shift so that high bits reach low ones; the
  // multiplier is 2^64 divided by the golden ratio, made odd.
  void fold(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 32;
  }
  std::uint32_t canonical(DeviceId device) {
    if (device.value < order_seen_.size() && order_seen_[device.value] != 0) {
      return order_seen_[device.value];
    }
    return first_seen(device);
  }
  std::uint32_t first_seen(DeviceId device);

  Keep keep_;
  std::uint64_t state_ = 0xCBF29CE484222325U;  // FNV's offset basis
  std::size_t count_ = 0;
  std::vector<TraceRecord> records_;
  std::vector<std::uint32_t> order_seen_;  // by device id; 0 = not yet seen
  std::uint32_t devices_seen_ = 0;
};

}  // namespace tantalus

// Flows in time over links of limited capacity: bulk traffic as a fluid, divided max-min fairly (fair_share.hpp). All starts,
// ends and changes of an instant are collected, the capacity is divided once in Phase::settle, and a flow's `done` is called
// in Phase::deliver of the first picosecond at which all its bytes have moved. It charges bandwidth only: the latency of a
// route is charged once per transfer by whoever starts it (a port's join, or a delayed start).
//
//   SharedCapacity memory(engine, id, "memory");
//   const CapacityId dram = memory.add_link("dram", Bandwidth{...});
//   const FlowClassId copy = memory.open_class({.route = {{dram.value}}, .cap = Rate::of(Bandwidth{...})});
//   memory.start(copy, Bytes{1 << 20}, {on<&CopyEngine::done>, this});              one flow
//   memory.start(copy, Bytes{4096}, {on<&Gpu::blocks_done>, this, 3}, 432);         432 equal flows, finish together
//
// A completion costs O(classes x links + log of flows in its class), whatever the number of flows: a class keeps the service
// that each of its flows has received, and each flow only the mark at which it is finished.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/fair_share.hpp"

namespace tantalus {

using CapacityId = Id<struct CapacityTag>;  // a link of one SharedCapacity
using FlowClassId =
    Id<struct FlowClassTag>;  // a class of one SharedCapacity; reused after close_class

/// A group of equal flows that were started together.
struct FlowId {
  std::uint32_t flow_class = 0;
  std::uint64_t number = 0;  // counts the starts of this SharedCapacity from 1; 0 = none

  constexpr bool operator==(const FlowId&) const = default;
};

/// What flows of one class share. A route without crossings needs a cap.
struct FlowClassSpec {
  std::vector<Crossing> route;
  std::int64_t weight = 1;
  Rate cap = Rate::unlimited();
};

class SharedCapacity {
 public:
  /// `owner` is the device under which flows appear in the trace.
  SharedCapacity(Engine& engine, DeviceId owner, std::string name);
  SharedCapacity(const SharedCapacity&) = delete;
  SharedCapacity& operator=(const SharedCapacity&) = delete;
  ~SharedCapacity();

  CapacityId add_link(std::string name, Bandwidth capacity);
  /// From this instant on. Zero stops the flows that cross it.
  void set_capacity(CapacityId id, Bandwidth capacity);

  FlowClassId open_class(const FlowClassSpec& spec);
  /// The same without the vector, for callers that open classes all the time.
  FlowClassId open_class(std::span<const Crossing> route, std::int64_t weight, Rate cap);
  /// A class that is kept with all others who ask for the same: links and demands in any order, weight and cap. It costs a
  /// division once, whoever they are, and nobody may change its cap or weight. Everyone closes it once.
  FlowClassId join_class(std::span<const Crossing> route, std::int64_t weight, Rate cap);
  void set_cap(FlowClassId id, Rate cap);  // of each flow, from this instant on
  void set_weight(FlowClassId id, std::int64_t weight);
  /// Its flows must be over. The id may be given out again.
  void close_class(FlowClassId id);

  /// `flows` equal flows of `size` bytes each; `done` is called once, when they have all finished (they finish together).
  /// `done` may start, cancel, open and close. An empty flow finishes in this instant.
  FlowId start(FlowClassId id, Bytes size, Action done, std::int64_t flows = 1);
  /// Counts as moved what `flows` flows would move whose course the caller knows from equal ones, and which it did not start.
  void count_moved(FlowClassId id, Bytes size, std::int64_t flows);
  /// Flows that move now, of all classes; flows ever started.
  std::int64_t active_flows() const { return active_flows_; }
  std::uint64_t started() const { return starts_; }
  /// False when it is over. What it had moved stays counted.
  bool cancel(FlowId flow);

  bool active(FlowId flow) const;
  Bytes remaining(FlowId flow) const;  // of each flow of the group, rounded up; zero when over
  Rate rate(FlowClassId id) const;     // of each flow, as last divided
  std::int64_t flows(FlowClassId id) const { return shares_[id.value].flows; }
  std::int64_t flows() const { return active_flows_; }

  /// Flow bytes x demand that have crossed the link so far, rounded down; exact once all flows are over.
  Bytes moved(CapacityId link) const;
  /// The integral over time of used / capacity: how long the link would have been busy at full speed, rounded down.
  Duration busy(CapacityId id) const;
  Bandwidth capacity(CapacityId link) const;
  const std::string& link_name(CapacityId link) const { return links_[link.value].name; }
  std::size_t link_count() const { return links_.size(); }

 private:
  // Service counts Rate units x picoseconds: 2^-16 x 10^-12 bytes. 2^63 bytes fit 128 bits.
  static constexpr UInt128 service_per_byte = UInt128{picoseconds_per_second}
                                              << Rate::fraction_bits;

  struct Group {
    Group(UInt128 its_mark, std::int64_t its_flows, std::int64_t its_size, std::uint64_t its_number,
          const Action& its_done)
        : mark(its_mark), flows(its_flows), size(its_size), number(its_number), done(its_done) {}

    UInt128 mark;  // finished when the class has served this much to each flow
    std::int64_t flows;
    std::int64_t size;
    std::uint64_t number;
    Action done;
  };
  struct FlowClass {
    UInt128 served = 0;         // to each flow, until rates_since_
    UInt128 next_mark = 0;      // of groups.front(), here so that take_rates() stays in one place
    Rate rate;                  // of each flow, from rates_since_ on
    std::vector<Group> groups;  // heap, earliest mark first; equal marks in order of start
    UInt128 moved = 0;          // bytes, by groups that are over
    std::int64_t divided = 0;   // how many flows the last division saw
    std::uint32_t joined = 0;   // by how many; 0: the class is somebody's own
    bool open = false;
  };
  struct Link {
    std::string name;
    UInt128 moved = 0;         // by groups that are over, bytes x 2^-20
    UInt128 moved_before = 0;  // when the capacity last changed
    Duration busy_before;      // at earlier capacities
  };

  FlowClass& opened(FlowClassId id);
  FlowClass& owned(FlowClassId id);
  FlowClassId open(const ShareClass& share);
  void add_class();
  void cross_links(std::uint32_t id, bool crosses);
  std::int64_t now() const { return engine_.now().since_start().count(); }
  void finish_due();
  bool has_due(std::uint32_t id, std::uint64_t last) const;
  void finish_first(std::uint32_t id);
  void leave(std::uint32_t id, const Group& group);
  void add_flows(std::uint32_t id, std::int64_t flows);
  void remove_flows(std::uint32_t id, std::int64_t flows);
  void count_flows(std::uint32_t id, std::int64_t change);
  UInt128 moved_now(std::uint32_t link) const;
  void request_settle();
  void settle();
  void divide();
  void record_changed_rates();
  std::int64_t take_rates();
  void schedule_wake(std::int64_t time);
  UInt128 served_now(const FlowClass& one) const;
  Bytes still_to_move(std::uint32_t id, const Group& group) const;
  const Group* find(FlowId flow) const;

  Engine& engine_;
  DeviceId owner_;
  std::vector<Link> links_;
  std::vector<ShareLink> share_links_;  // parallel to links_
  std::vector<FlowClass> classes_;
  std::vector<ShareClass> shares_;  // parallel to classes_
  std::vector<Rate> rates_;         // parallel to classes_: what the last division gave
  ClassSet active_;                 // classes with flows
  ClassSet capped_;                 // classes with a cap
  std::vector<std::uint32_t> due_;  // the first due_count_ finish at the next wake, by id
  std::size_t due_count_ = 0;
  ClassSet differing_;       // classes with more or fewer flows than the last division saw
  bool must_divide_ = true;  // something else has changed since
  std::vector<std::uint32_t> free_classes_;
  FairShare fair_share_;
  std::int64_t rates_since_ = 0;  // picoseconds: when the classes took the rates they have
  std::int64_t active_flows_ = 0;
  std::uint64_t starts_ = 0;
  EventId settle_;
  EventId wake_;
};

}  // namespace tantalus

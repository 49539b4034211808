// Runs the blocks of kernels over a device's equal units, as events: the GPU's SMs and the CPU's cores alike. What a block
// asks for, phase by phase, is KernelCost (kernel_cost.hpp); this adds only *when*. Units are shared by the blocks that
// reside on them, memory levels by all flows of the machine's Fabric. It knows no streams, launches or operations.
//
// Blocks of one kernel that are placed at the same instant on equally loaded units live through the same events and form a
// cohort; a kernel costs O(waves x phases) events, not O(blocks), and waves that cannot differ from the one before, because the
// device was idle between and nothing else is due, are counted without events when no trace is kept. Kernels are placed in the
// order in which they were started, later ones into the room that earlier ones leave. docs/modelling.md, "Blocks as events", has
// the rules and their sources.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/shared_capacity.hpp"
#include "sim/hardware/block_placement.hpp"
#include "sim/hardware/kernel_cost.hpp"
#include "sim/hardware/unit_share.hpp"

namespace tantalus {

/// What the events saw of one kernel.
struct KernelRun {
  TimePoint start, end;  // handed to the units (its fixed cost included); last block ended
  Duration
      sync;  // from the last placement on: units that were done and waited, averaged over the units it ran on
  std::int64_t units = 0;        // that it ran on
  Bound bound = Bound::compute;  // what its blocks waited for longest
};

struct BlockEngineSpec {
  std::int64_t units = 1;
  std::array<CapacityId, shared_levels> levels{};
  std::array<Bound, shared_levels> level_bounds{Bound::l2, Bound::dram};
};

class BlockEngine {
 public:
  BlockEngine(Engine& engine, DeviceId owner, SharedCapacity& flows, const BlockEngineSpec& spec);
  BlockEngine(const BlockEngine&) = delete;
  BlockEngine& operator=(const BlockEngine&) = delete;
  ~BlockEngine();

  /// Starts a kernel now; `done` is called when its last block has ended, and may start others. `cost` must live until
  /// then. `task` is its name in the trace. The run is read with `last_run()` inside `done`.
  void start(const KernelCost& cost, TaskId task, Action done);
  /// Of the kernel whose `done` is being called.
  const KernelRun& last_run() const { return last_run_; }

  /// Time integral of the used share of all units: work done at full rate / units.
  Duration busy() const;
  /// Kernels that have started and not ended.
  std::int64_t running() const { return running_; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Kernel {
    const KernelCost* cost = nullptr;
    TaskId task;
    Action done{nullptr, nullptr};
    std::size_t group = 0;      // the next blocks to place are of this group
    std::int64_t unplaced = 0;  // blocks of that group still to place
    std::int64_t unplaced_all = 0;
    std::int64_t live = 0;  // blocks placed and not ended
    std::int64_t most_live = 0;
    std::int64_t units = 0;  // that hold blocks of it now
    std::int64_t most_units = 0;
    TimePoint start, tail_counted;
    Int128 tail_idle = 0;            // picoseconds x units, since the last placement
    std::array<Int128, 8> waited{};  // by Bound, picoseconds x blocks
    std::vector<FlowClassId>
        flow_classes;  // by phase of all groups, then level; opened on first use
    std::vector<bool> flow_open;
    std::vector<std::size_t> first_phase;  // of each group in flow_classes
  };

  /// Equal blocks, `per_unit` on each unit of one class, in the same phase at the same instant.
  struct Cohort {
    std::uint32_t kernel = none;
    std::uint32_t group = 0;
    std::uint32_t phase = 0;
    std::uint32_t unit_class = none;
    std::uint32_t number = 0;   // in the trace
    std::uint32_t twin = none;  // another cohort that waits for the same flows: its class was split
    std::int64_t per_unit = 0;
    double unit_left = 0.0;  // picoseconds of a whole unit that each block still needs
    double rate = 0.0;       // share of its unit that each block has
    bool on_unit = false;    // still needs its unit
    std::uint8_t flows_left = 0;
    std::uint8_t last_level = 0;
    TimePoint phase_start;
    Duration unit_span, memory_span;
    TimePoint event_time;
    EventId event;  // the end of its unit work, or of its phase
  };

  struct UnitClass {
    std::int64_t units = 0;  // 0: the slot is free
    std::int64_t used = 0;   // room on each unit
    TimePoint advanced_to;
    std::vector<std::uint32_t> cohorts;
  };

  /// An instant at which one kernel alone is there, none of its blocks is on a unit and nothing moves: whatever follows depends
  /// on the blocks that are left and on nothing before. A wave between two of them is the next one's to the picosecond.
  struct Lull {
    std::uint32_t kernel = none;
    std::size_t group = 0;
    std::int64_t unplaced = 0;
    TimePoint when;
    std::uint64_t placements = 0, kernels = 0, flows = 0;  // made until then, by this engine
    std::uint64_t all_flows = 0;                           // by everybody
    Int128 unit_work = 0;
    std::array<Int128, 8> waited{};
  };

  // Starting and placing.
  void begin(std::uint32_t kernel);
  void request_placement();
  void place_all();
  void place_waiting();
  void place(std::uint32_t kernel);
  void place_group(std::uint32_t kernel_id);
  void apply(const std::vector<Assignment>& assignments, std::uint32_t kernel);
  void add_cohort(std::uint32_t kernel_id, std::uint32_t class_id, std::int64_t per_unit);
  void merge_empty_classes();
  std::uint32_t split(std::uint32_t from, std::int64_t units);
  std::uint32_t split_cohort(std::uint32_t old_id, std::uint32_t to_class);
  bool holds(const UnitClass& units, std::uint32_t kernel) const;

  // Waves that repeat the one before: repeated_waves.cpp.
  bool lull() const;
  Lull lull_now() const;
  bool repeats() const;
  void repeat_waves();
  void repeat(std::int64_t times, std::int64_t blocks);

  // Living through the phases.
  void begin_phase(std::uint32_t cohort_id);
  void start_flows(std::uint32_t cohort_id, const BlockPhase& phase);
  FlowClassId flow_class(std::uint32_t cohort_id, std::size_t level, const BlockPhase& phase);
  void flow_done(std::uint32_t argument);
  void unit_done(std::uint32_t cohort_id);
  void settle_phase(std::uint32_t cohort_id);
  void phase_over(std::uint32_t cohort_id);
  void end_cohort(std::uint32_t cohort_id);
  void end_kernel(std::uint32_t kernel_id);
  const BlockPhase& phase_of(const Cohort& cohort) const;
  std::int64_t blocks_of(const Cohort& cohort) const;
  Bound bound_of(const Cohort& cohort, const BlockPhase& phase) const;

  // Sharing one class of units.
  void advance(UnitClass& units);
  void share(UnitClass& units);
  void set_rate(std::uint32_t cohort_id, double rate);
  void count_tail(Kernel& kernel);

  std::uint32_t new_kernel();
  std::uint32_t new_cohort();
  std::uint32_t new_class();

  Engine& engine_;
  DeviceId owner_;
  SharedCapacity& flows_;
  BlockEngineSpec spec_;
  std::vector<Kernel> kernels_;
  std::vector<Cohort> cohorts_;
  std::vector<UnitClass> classes_;
  std::vector<std::uint32_t> free_kernels_, free_cohorts_, free_classes_;
  std::vector<std::uint32_t> waiting_;  // kernels with blocks to place, in the order of their start
  std::vector<std::uint32_t> fresh_;    // cohorts of the placement that is being made
  std::vector<std::uint32_t> beginning_, blockless_;  // scratch of place_all
  std::vector<UnitLoad> loads_;
  std::vector<Assignment> assignments_;
  std::vector<UnitDemand> demands_;
  BlockPlacement placement_;
  bool placement_requested_ = false;
  std::uint32_t cohorts_made_ = 0;
  std::int64_t running_ = 0;
  Lull lull_;
  std::uint64_t placements_ = 0, kernels_started_ = 0, flows_started_ = 0;
  Int128 unit_work_ = 0;  // picoseconds x units
  KernelRun last_run_;
};

}  // namespace tantalus

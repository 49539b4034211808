#include "sim/hardware/block_engine.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

// Two kinds of things take a small number in an action: cohorts, and flows, whose level must be told apart.
constexpr std::uint32_t flow_argument(std::uint32_t cohort, std::size_t level) {
  return cohort * static_cast<std::uint32_t>(shared_levels) + static_cast<std::uint32_t>(level);
}

Duration picoseconds_up(double picoseconds) {
  const double whole = std::ceil(picoseconds);
  TANTALUS_CHECK(whole < 9.2e18, "a block takes a finite time");
  return Duration{std::max<std::int64_t>(0, static_cast<std::int64_t>(whole))};
}

}  // namespace

BlockEngine::BlockEngine(Engine& engine, DeviceId owner, SharedCapacity& flows,
                         const BlockEngineSpec& spec)
    : engine_(engine), owner_(owner), flows_(flows), spec_(spec) {
  TANTALUS_CHECK(spec.units > 0, "a device has at least one unit");
  classes_[new_class()].units = spec.units;
  engine_.name_object(this, "blocks");
}

BlockEngine::~BlockEngine() { engine_.forget_object(this); }

Duration BlockEngine::busy() const {
  return Duration{static_cast<std::int64_t>(unit_work_ / spec_.units)};
}

// ---- Starting and placing ------------------------------------------------------------------------------------------

void BlockEngine::start(const KernelCost& cost, TaskId task, Action done) {
  TANTALUS_CHECK(cost.blocks_per_unit > 0, "a block of the kernel fits a unit");
  const std::uint32_t id = new_kernel();
  Kernel& kernel = kernels_[id];
  kernel.cost = &cost;
  kernel.task = task;
  kernel.done = done;
  kernel.start = engine_.now();
  for (const BlockGroup& group : cost.groups) {
    kernel.unplaced_all += group.blocks;
    kernel.first_phase.push_back(kernel.flow_open.size());
    kernel.flow_open.resize(kernel.flow_open.size() + group.phases.size() * shared_levels, false);
  }
  kernel.flow_classes.resize(kernel.flow_open.size());
  kernel.unplaced = cost.groups.empty() ? 0 : cost.groups.front().blocks;
  ++running_;
  ++kernels_started_;
  if (cost.fixed > Duration{0}) {
    engine_.after(cost.fixed, {on<&BlockEngine::begin>, this, id});
  } else {
    begin(id);
  }
}

void BlockEngine::begin(std::uint32_t kernel) {
  waiting_.push_back(kernel);
  request_placement();
}

// Once per instant and after everything else of it, so that all room that becomes free together is handed out together.
void BlockEngine::request_placement() {
  if (placement_requested_) return;
  placement_requested_ = true;
  engine_.at(engine_.now(), Phase::act, {on<&BlockEngine::place_all>, this});
}

void BlockEngine::place_all() {
  if (lull() &&
      repeats()) {  // looked at again when this instant is over, the division of capacities included
    engine_.at(engine_.now(), Phase::observe, {on<&BlockEngine::repeat_waves>, this});
    return;
  }
  place_waiting();
}

void BlockEngine::place_waiting() {
  placement_requested_ = false;
  lull_ = lull() ? lull_now() : Lull{};
  merge_empty_classes();
  blockless_.clear();
  for (const std::uint32_t id : waiting_) {
    place(id);
    if (kernels_[id].unplaced_all == 0 && kernels_[id].live == 0) blockless_.push_back(id);
  }
  std::erase_if(waiting_, [this](std::uint32_t id) { return kernels_[id].unplaced_all == 0; });
  // Phases begin when every kernel has been placed, so that a split never meets a cohort that has begun only half way.
  beginning_.swap(fresh_);
  for (const std::uint32_t cohort : beginning_) begin_phase(cohort);
  beginning_.clear();
  for (const std::uint32_t kernel : blockless_) end_kernel(kernel);
}

void BlockEngine::place(std::uint32_t kernel) {
  for (;;) {
    Kernel& now = kernels_[kernel];
    while (now.unplaced == 0 && now.group + 1 < now.cost->groups.size()) {
      now.unplaced = now.cost->groups[++now.group].blocks;
    }
    if (now.unplaced == 0) return;
    place_group(kernel);
    if (kernels_[kernel].unplaced > 0) return;  // the units are full
  }
}

void BlockEngine::place_group(std::uint32_t kernel_id) {
  Kernel& kernel = kernels_[kernel_id];
  loads_.clear();
  for (const UnitClass& units : classes_) {
    loads_.push_back({units.units, units.used, holds(units, kernel_id)});
  }
  const std::int64_t limit = kernel.cost->units_limit > 0
                                 ? std::min<std::int64_t>(kernel.cost->units_limit, spec_.units)
                                 : spec_.units;
  const PlacementRequest request{kernel.unplaced, room_of_block(kernel.cost->blocks_per_unit),
                                 limit - kernel.units};
  ++placements_;
  assignments_ = placement_.place(loads_, request);
  apply(assignments_, kernel_id);
}

void BlockEngine::apply(const std::vector<Assignment>& assignments, std::uint32_t kernel) {
  for (const Assignment& some : assignments) {
    std::uint32_t target = some.from;
    if (some.units < classes_[some.from].units) target = split(some.from, some.units);
    add_cohort(kernel, target, some.blocks);
  }
}

void BlockEngine::add_cohort(std::uint32_t kernel_id, std::uint32_t class_id,
                             std::int64_t per_unit) {
  const std::uint32_t id = new_cohort();
  Cohort& cohort = cohorts_[id];
  Kernel& kernel = kernels_[kernel_id];
  UnitClass& units = classes_[class_id];
  if (!holds(units, kernel_id)) kernel.units += units.units;
  cohort.kernel = kernel_id;
  cohort.group = static_cast<std::uint32_t>(kernel.group);
  cohort.unit_class = class_id;
  cohort.number = cohorts_made_++;
  cohort.per_unit = per_unit;
  units.used += per_unit * room_of_block(kernel.cost->blocks_per_unit);
  units.cohorts.push_back(id);
  const std::int64_t blocks = per_unit * units.units;
  kernel.unplaced -= blocks;
  kernel.unplaced_all -= blocks;
  kernel.live += blocks;
  kernel.most_live = std::max(kernel.most_live, kernel.live);
  kernel.most_units = std::max(kernel.most_units, kernel.units);
  kernel.tail_counted = engine_.now();  // the tail begins with the last placement
  kernel.tail_idle = 0;
  engine_.record(TraceKind::cohort_started, owner_, kernel.task.value, cohort.number, blocks);
  fresh_.push_back(id);
}

void BlockEngine::merge_empty_classes() {
  std::uint32_t kept = none;
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    UnitClass& units = classes_[i];
    if (units.units == 0 || !units.cohorts.empty()) continue;
    if (kept == none) {
      kept = i;
      continue;
    }
    classes_[kept].units += units.units;
    units.units = 0;
    free_classes_.push_back(i);
  }
}

/// Takes `units` units with all that runs on them out of a class.
std::uint32_t BlockEngine::split(std::uint32_t from, std::int64_t units) {
  const std::uint32_t to = new_class();
  advance(classes_[from]);
  classes_[to].units = units;
  classes_[to].used = classes_[from].used;
  classes_[to].advanced_to = classes_[from].advanced_to;
  classes_[from].units -= units;
  const std::size_t residents = classes_[from].cohorts.size();
  for (std::size_t i = 0; i < residents; ++i) {
    const std::uint32_t copy = split_cohort(classes_[from].cohorts[i], to);
    classes_[to].cohorts.push_back(copy);
  }
  return to;
}

std::uint32_t BlockEngine::split_cohort(std::uint32_t old_id, std::uint32_t to_class) {
  const std::uint32_t id = new_cohort();
  Cohort& copy = cohorts_[id];
  Cohort& old = cohorts_[old_id];
  copy = old;
  copy.unit_class = to_class;
  copy.number = cohorts_made_++;
  old.twin = id;  // copy.twin is old's former twin: a chain of all that wait for the same flows
  if (const auto fresh = std::find(fresh_.begin(), fresh_.end(), old_id); fresh != fresh_.end()) {
    fresh_.push_back(id);  // its phase has not begun
    old.twin = copy.twin;
    copy.twin = none;
    return id;
  }
  if (old.event) {
    const bool working = old.on_unit;
    copy.event =
        working ? engine_.at(old.event_time, Phase::act, {on<&BlockEngine::unit_done>, this, id})
                : engine_.at(old.event_time, Phase::act, {on<&BlockEngine::phase_over>, this, id});
  }
  return id;
}

bool BlockEngine::holds(const UnitClass& units, std::uint32_t kernel) const {
  return std::any_of(units.cohorts.begin(), units.cohorts.end(),
                     [&](std::uint32_t id) { return cohorts_[id].kernel == kernel; });
}

// ---- Living through the phases -------------------------------------------------------------------------------------

const BlockPhase& BlockEngine::phase_of(const Cohort& cohort) const {
  return kernels_[cohort.kernel].cost->groups[cohort.group].phases[cohort.phase];
}

std::int64_t BlockEngine::blocks_of(const Cohort& cohort) const {
  return cohort.per_unit * classes_[cohort.unit_class].units;
}

void BlockEngine::begin_phase(std::uint32_t cohort_id) {
  Cohort& cohort = cohorts_[cohort_id];
  const Kernel& kernel = kernels_[cohort.kernel];
  if (cohort.phase == kernel.cost->groups[cohort.group].phases.size()) {
    end_cohort(cohort_id);
    return;
  }
  const BlockPhase& phase = phase_of(cohort);
  cohort.phase_start = engine_.now();
  cohort.unit_span = cohort.memory_span = Duration{0};
  cohort.twin = none;
  cohort.event = {};
  start_flows(cohort_id, phase);
  if (phase.unit_time > Duration{0}) {
    UnitClass& units = classes_[cohort.unit_class];
    advance(units);
    cohort.unit_left = static_cast<double>(phase.unit_time.count());
    cohort.rate = 0.0;
    cohort.on_unit = true;
    share(units);
  } else if (cohort.flows_left == 0) {
    settle_phase(cohort_id);
  }
}

void BlockEngine::start_flows(std::uint32_t cohort_id, const BlockPhase& phase) {
  for (std::size_t level = 0; level < shared_levels; ++level) {
    if (phase.bytes[level] <= Bytes{0}) continue;
    const FlowClassId flow = flow_class(cohort_id, level, phase);
    ++cohorts_[cohort_id].flows_left;
    ++flows_started_;
    flows_.start(flow, phase.bytes[level],
                 {on<&BlockEngine::flow_done>, this, flow_argument(cohort_id, level)},
                 blocks_of(cohorts_[cohort_id]));
  }
}

FlowClassId BlockEngine::flow_class(std::uint32_t cohort_id, std::size_t level,
                                    const BlockPhase& phase) {
  const Cohort& cohort = cohorts_[cohort_id];
  Kernel& kernel = kernels_[cohort.kernel];
  const std::size_t index = kernel.first_phase[cohort.group] + cohort.phase * shared_levels + level;
  if (!kernel.flow_open[index]) {
    const Crossing crossing{spec_.levels[level].value};
    const Bandwidth most = phase.max_rate[level];
    const bool limits = most > Bandwidth{0} && most < flows_.capacity(spec_.levels[level]);
    const Rate cap = limits ? Rate::of(most) : Rate::unlimited();
    kernel.flow_classes[index] = flows_.join_class({&crossing, 1}, 1, cap);
    kernel.flow_open[index] = true;
  }
  return kernel.flow_classes[index];
}

void BlockEngine::flow_done(std::uint32_t argument) {
  const std::size_t level = argument % shared_levels;
  std::uint32_t id = argument / static_cast<std::uint32_t>(shared_levels);
  while (id != none) {
    Cohort& cohort = cohorts_[id];
    const std::uint32_t next = cohort.twin;  // ending the phase forgets it
    cohort.memory_span = engine_.now() - cohort.phase_start;
    cohort.last_level = static_cast<std::uint8_t>(level);
    --cohort.flows_left;
    if (cohort.flows_left == 0 && !cohort.on_unit) settle_phase(id);
    id = next;
  }
}

void BlockEngine::unit_done(std::uint32_t cohort_id) {
  UnitClass& units = classes_[cohorts_[cohort_id].unit_class];
  advance(units);
  Cohort& cohort = cohorts_[cohort_id];
  cohort.on_unit = false;
  cohort.unit_left = 0.0;
  cohort.event = {};
  cohort.unit_span = engine_.now() - cohort.phase_start;
  unit_work_ += Int128{phase_of(cohort).unit_time.count()} * blocks_of(cohort);
  share(units);
  if (cohort.flows_left == 0) settle_phase(cohort_id);
}

/// All work of the phase is done; what does not overlap and the latency remain.
void BlockEngine::settle_phase(std::uint32_t cohort_id) {
  Cohort& cohort = cohorts_[cohort_id];
  const BlockPhase& phase = phase_of(cohort);
  const auto shorter = static_cast<double>(std::min(cohort.unit_span, cohort.memory_span).count());
  const Duration rest = picoseconds_up(phase.exposed * shorter) + phase.latency;
  if (rest == Duration{0}) {
    phase_over(cohort_id);
    return;
  }
  cohort.event_time = engine_.now() + rest;
  cohort.event = engine_.after(rest, {on<&BlockEngine::phase_over>, this, cohort_id});
}

Bound BlockEngine::bound_of(const Cohort& cohort, const BlockPhase& phase) const {
  return cohort.unit_span >= cohort.memory_span ? phase.unit_bound
                                                : spec_.level_bounds[cohort.last_level];
}

void BlockEngine::phase_over(std::uint32_t cohort_id) {
  Cohort& cohort = cohorts_[cohort_id];
  const Duration took = engine_.now() - cohort.phase_start;
  const auto bound = static_cast<std::size_t>(bound_of(cohort, phase_of(cohort)));
  kernels_[cohort.kernel].waited[bound] += Int128{took.count()} * blocks_of(cohort);
  ++cohort.phase;
  begin_phase(cohort_id);
}

void BlockEngine::end_cohort(std::uint32_t cohort_id) {
  const Cohort cohort = cohorts_[cohort_id];
  Kernel& kernel = kernels_[cohort.kernel];
  UnitClass& units = classes_[cohort.unit_class];
  const std::int64_t blocks = blocks_of(cohort);
  engine_.record(TraceKind::cohort_finished, owner_, kernel.task.value, cohort.number, blocks);
  std::erase(units.cohorts, cohort_id);
  units.used -= cohort.per_unit * room_of_block(kernel.cost->blocks_per_unit);
  free_cohorts_.push_back(cohort_id);
  count_tail(kernel);
  if (!holds(units, cohort.kernel)) kernel.units -= units.units;
  kernel.live -= blocks;
  if (!waiting_.empty()) request_placement();
  if (kernel.live == 0 && kernel.unplaced_all == 0) end_kernel(cohort.kernel);
}

/// Adds up, from the last placement on, the units that have run out of blocks of this kernel and wait for its end.
void BlockEngine::count_tail(Kernel& kernel) {
  const Duration passed = engine_.now() - kernel.tail_counted;
  kernel.tail_idle += Int128{passed.count()} * (kernel.most_units - kernel.units);
  kernel.tail_counted = engine_.now();
}

void BlockEngine::end_kernel(std::uint32_t kernel_id) {
  Kernel& kernel = kernels_[kernel_id];
  last_run_ = {};
  last_run_.start = kernel.start;
  last_run_.end = engine_.now();
  last_run_.units = kernel.most_units;
  if (kernel.most_units > 0) {
    last_run_.sync = Duration{static_cast<std::int64_t>(kernel.tail_idle / kernel.most_units)};
  }
  // The blocks of the first wave waited for the start; later ones never noticed.
  kernel.waited[static_cast<std::size_t>(Bound::launch)] +=
      Int128{kernel.cost->fixed.count()} * kernel.most_live;
  const auto longest = std::max_element(kernel.waited.begin(), kernel.waited.end());
  last_run_.bound = static_cast<Bound>(longest - kernel.waited.begin());
  for (std::size_t i = 0; i < kernel.flow_open.size(); ++i) {
    if (kernel.flow_open[i]) flows_.close_class(kernel.flow_classes[i]);
  }
  const Action done = kernel.done;
  free_kernels_.push_back(kernel_id);
  --running_;
  done();
}

// ---- Sharing one class of units ------------------------------------------------------------------------------------

void BlockEngine::advance(UnitClass& units) {
  const auto passed = static_cast<double>((engine_.now() - units.advanced_to).count());
  units.advanced_to = engine_.now();
  for (const std::uint32_t id : units.cohorts) {
    Cohort& cohort = cohorts_[id];
    if (cohort.on_unit) cohort.unit_left = std::max(0.0, cohort.unit_left - cohort.rate * passed);
  }
}

void BlockEngine::share(UnitClass& units) {
  demands_.clear();
  for (const std::uint32_t id : units.cohorts) {
    if (cohorts_[id].on_unit)
      demands_.push_back({cohorts_[id].per_unit, phase_of(cohorts_[id]).max_share});
  }
  const double fair = fair_unit_share(demands_);
  for (const std::uint32_t id : units.cohorts) {
    if (cohorts_[id].on_unit) set_rate(id, std::min(fair, phase_of(cohorts_[id]).max_share));
  }
}

void BlockEngine::set_rate(std::uint32_t cohort_id, double rate) {
  Cohort& cohort = cohorts_[cohort_id];
  if (cohort.event && cohort.rate == rate) return;
  cohort.rate = rate;
  if (cohort.event) engine_.cancel(cohort.event);
  const Duration left = picoseconds_up(cohort.unit_left / rate);
  cohort.event_time = engine_.now() + left;
  cohort.event = engine_.after(left, {on<&BlockEngine::unit_done>, this, cohort_id});
}

// ---- Slots -----------------------------------------------------------------------------------------------------------

std::uint32_t BlockEngine::new_kernel() {
  if (free_kernels_.empty()) {
    kernels_.emplace_back();
    return static_cast<std::uint32_t>(kernels_.size() - 1);
  }
  const std::uint32_t id = free_kernels_.back();
  free_kernels_.pop_back();
  Kernel& kernel = kernels_[id];
  std::vector<FlowClassId> flow_classes = std::move(kernel.flow_classes);
  std::vector<bool> flow_open = std::move(kernel.flow_open);
  std::vector<std::size_t> first_phase = std::move(kernel.first_phase);
  kernel = Kernel{};
  flow_classes.clear();
  flow_open.clear();
  first_phase.clear();
  kernel.flow_classes = std::move(flow_classes);
  kernel.flow_open = std::move(flow_open);
  kernel.first_phase = std::move(first_phase);
  return id;
}

std::uint32_t BlockEngine::new_cohort() {
  if (free_cohorts_.empty()) {
    cohorts_.emplace_back();
    return static_cast<std::uint32_t>(cohorts_.size() - 1);
  }
  const std::uint32_t id = free_cohorts_.back();
  free_cohorts_.pop_back();
  cohorts_[id] = Cohort{};
  return id;
}

std::uint32_t BlockEngine::new_class() {
  if (free_classes_.empty()) {
    classes_.emplace_back();
    return static_cast<std::uint32_t>(classes_.size() - 1);
  }
  const std::uint32_t id = free_classes_.back();
  free_classes_.pop_back();
  classes_[id].used = 0;
  classes_[id].cohorts.clear();
  return id;
}

}  // namespace tantalus

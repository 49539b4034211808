#include "sim/engine/shared_capacity.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tantalus {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

constexpr std::uint64_t as_unsigned(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

constexpr UInt128 product(std::int64_t a, std::int64_t b) {
  return UInt128{as_unsigned(a)} * as_unsigned(b);
}

// Heap order: earliest mark on top, equal marks in order of start.
constexpr auto later = [](const auto& a, const auto& b) {
  return a.mark != b.mark ? a.mark > b.mark : a.number > b.number;
};

// Rounded up; nothing when no more is needed.
std::int64_t time_to_move(Int128 needed, Rate rate) {
  if (needed <= 0) return 0;
  const std::uint64_t each = as_unsigned(rate.units);
  return static_cast<std::int64_t>((static_cast<UInt128>(needed) + (each - 1)) / each);
}

ShareClass share_class(std::span<const Crossing> route, std::int64_t weight, Rate cap,
                       std::size_t links) {
  TANTALUS_CHECK(route.size() <= ShareClass::longest_route, "a route crosses too many links");
  TANTALUS_CHECK(!route.empty() || cap != Rate::unlimited(), "a flow without links has a cap");
  TANTALUS_CHECK(weight > 0 && weight <= FairShare::largest_weight && cap.units >= 0,
                 "a flow has a positive weight, and a cap that is not negative");
  ShareClass share;
  share.weight = weight;
  share.cap = cap;
  for (const Crossing& crossing : route) {
    TANTALUS_CHECK(crossing.link < links && crossing.demand > 0,
                   "a flow crosses known links and needs something of each");
    for (const Crossing& earlier : share.crossings()) {
      TANTALUS_CHECK(earlier.link != crossing.link, "a route names each link once");
    }
    share.route[share.route_length++] = crossing;
  }
  std::sort(share.route.begin(), share.route.begin() + share.route_length,
            [](const Crossing& a, const Crossing& b) { return a.link < b.link; });
  return share;
}

}  // namespace

SharedCapacity::SharedCapacity(Engine& engine, DeviceId owner, std::string name)
    : engine_(engine), owner_(owner) {
  engine_.name_object(this, std::move(name));
}

SharedCapacity::~SharedCapacity() {
  engine_.cancel(settle_);
  engine_.cancel(wake_);
  engine_.forget_object(this);
}

CapacityId SharedCapacity::add_link(std::string name, Bandwidth capacity) {
  Link link;
  link.name = std::move(name);
  links_.push_back(std::move(link));
  share_links_.push_back({Rate::of(capacity), {}, 0});
  share_links_.back().classes.reserve(classes_.size());
  return {static_cast<std::uint32_t>(links_.size() - 1)};
}

void SharedCapacity::set_capacity(CapacityId id, Bandwidth capacity) {
  Link& link = links_.at(id.value);
  link.busy_before = busy(id);
  link.moved_before = moved_now(id.value);
  share_links_[id.value].capacity = Rate::of(capacity);
  must_divide_ = true;
  request_settle();
}

FlowClassId SharedCapacity::open_class(const FlowClassSpec& spec) {
  return open_class(spec.route, spec.weight, spec.cap);
}

FlowClassId SharedCapacity::open_class(std::span<const Crossing> route, std::int64_t weight,
                                       Rate cap) {
  return open(share_class(route, weight, cap, links_.size()));
}

FlowClassId SharedCapacity::join_class(std::span<const Crossing> route, std::int64_t weight,
                                       Rate cap) {
  const ShareClass share = share_class(route, weight, cap, links_.size());
  std::uint32_t id = UINT32_MAX;
  if (!route.empty()) {
    share_links_[share.route.front().link].classes.each([&](std::uint32_t other) {
      if (classes_[other].joined > 0 && shares_[other].divides_like(share)) id = other;
    });
  }
  if (id == UINT32_MAX) id = open(share).value;
  ++classes_[id].joined;
  return {id};
}

FlowClassId SharedCapacity::open(const ShareClass& share) {
  if (free_classes_.empty()) add_class();
  const std::uint32_t id = free_classes_.back();
  free_classes_.pop_back();
  shares_[id] = share;
  cross_links(id, true);
  capped_.set(id, share.cap != Rate::unlimited());
  classes_[id].served = 0;
  classes_[id].open = true;
  must_divide_ = true;
  return {id};
}

void SharedCapacity::add_class() {
  free_classes_.push_back(static_cast<std::uint32_t>(classes_.size()));
  classes_.emplace_back();
  shares_.emplace_back();
  rates_.emplace_back();
  due_.emplace_back();
  active_.reserve(classes_.size());
  differing_.reserve(classes_.size());
  capped_.reserve(classes_.size());
  for (ShareLink& link : share_links_) link.classes.reserve(classes_.size());
}

void SharedCapacity::cross_links(std::uint32_t id, bool crosses) {
  for (const Crossing& crossing : shares_[id].crossings()) {
    share_links_[crossing.link].classes.set(id, crosses);
  }
}

SharedCapacity::FlowClass& SharedCapacity::opened(FlowClassId id) {
  TANTALUS_CHECK(id.value < classes_.size() && classes_[id.value].open, "a flow class is open");
  return classes_[id.value];
}

SharedCapacity::FlowClass& SharedCapacity::owned(FlowClassId id) {
  FlowClass& one = opened(id);
  TANTALUS_CHECK(one.joined == 0, "a class that others may have joined keeps its cap and weight");
  return one;
}

void SharedCapacity::set_cap(FlowClassId id, Rate cap) {
  owned(id);
  TANTALUS_CHECK(cap.units >= 0, "a cap is not negative");
  if (shares_[id.value].cap == cap) return;
  shares_[id.value].cap = cap;
  capped_.set(id.value, cap != Rate::unlimited());
  must_divide_ = true;
  if (shares_[id.value].flows > 0) request_settle();
}

void SharedCapacity::set_weight(FlowClassId id, std::int64_t weight) {
  owned(id);
  TANTALUS_CHECK(weight > 0 && weight <= FairShare::largest_weight, "a weight is positive");
  if (shares_[id.value].weight == weight) return;
  const std::int64_t flows = shares_[id.value].flows;
  remove_flows(id.value, flows);
  shares_[id.value].weight = weight;
  must_divide_ = true;
  add_flows(id.value, flows);
  if (flows > 0) request_settle();
}

void SharedCapacity::close_class(FlowClassId id) {
  FlowClass& one = opened(id);
  if (one.joined > 0 && --one.joined > 0) return;
  TANTALUS_CHECK(one.groups.empty(), "a class is closed when its flows are over");
  for (const Crossing& crossing : shares_[id.value].crossings()) {
    links_[crossing.link].moved += one.moved * as_unsigned(crossing.demand);
  }
  cross_links(id.value, false);
  one.moved = 0;
  one.open = false;
  free_classes_.push_back(id.value);
}

FlowId SharedCapacity::start(FlowClassId id, Bytes size, Action done, std::int64_t flows) {
  TANTALUS_CHECK(size.count() >= 0 && flows > 0, "a flow moves something, at least nothing, once");
  FlowClass& one = opened(id);
  active_.set(id.value, true);
  add_flows(id.value, flows);
  engine_.record(TraceKind::flow_started, owner_, static_cast<std::uint32_t>(++starts_), id.value,
                 size.count(), flows);
  request_settle();
  const UInt128 mark = served_now(one) + service_per_byte * as_unsigned(size.count());
  // Made in its place: a group that is put together elsewhere and copied at once is waited for.
  one.groups.emplace_back(mark, flows, size.count(), starts_, done);
  std::push_heap(one.groups.begin(), one.groups.end(), later);
  one.next_mark = one.groups.front().mark;
  return {id.value, starts_};
}

void SharedCapacity::count_moved(FlowClassId id, Bytes size, std::int64_t flows) {
  opened(id).moved += product(flows, size.count());
}

bool SharedCapacity::cancel(FlowId flow) {
  const Group* group = find(flow);
  if (group == nullptr) return false;
  const Group gone = *group;
  FlowClass& one = classes_[flow.flow_class];
  one.groups.erase(one.groups.begin() + (group - one.groups.data()));
  std::make_heap(one.groups.begin(), one.groups.end(), later);
  const Bytes each = Bytes{gone.size} - still_to_move(flow.flow_class, gone);
  one.moved += product(gone.flows, each.count());
  leave(flow.flow_class, gone);
  return true;
}

void SharedCapacity::add_flows(std::uint32_t id, std::int64_t flows) {
  ShareClass& share = shares_[id];
  for (const Crossing& crossing : share.crossings()) {
    std::uint64_t& pull = share_links_[crossing.link].pull;
    pull += pull_at(share, crossing, flows);
    TANTALUS_CHECK(pull <= INT64_MAX, "flows x weight x demand on a link are too large");
  }
  count_flows(id, flows);
}

void SharedCapacity::remove_flows(std::uint32_t id, std::int64_t flows) {
  ShareClass& share = shares_[id];
  for (const Crossing& crossing : share.crossings()) {
    share_links_[crossing.link].pull -= pull_at(share, crossing, flows);
  }
  count_flows(id, -flows);
}

void SharedCapacity::count_flows(std::uint32_t id, std::int64_t change) {
  shares_[id].flows += change;
  active_flows_ += change;
  differing_.set(id, shares_[id].flows != classes_[id].divided);
}

// A group is out of its class's heap: the others share what it used.
void SharedCapacity::leave(std::uint32_t id, const Group& group) {
  remove_flows(id, group.flows);
  if (classes_[id].groups.empty()) {
    active_.set(id, false);
    classes_[id].rate = {};  // what it was served no longer matters
  } else {
    classes_[id].next_mark = classes_[id].groups.front().mark;
  }
  engine_.record(TraceKind::flow_finished, owner_, static_cast<std::uint32_t>(group.number), id,
                 group.size, group.flows);
  request_settle();
}

const SharedCapacity::Group* SharedCapacity::find(FlowId flow) const {
  if (flow.flow_class >= classes_.size()) return nullptr;
  for (const Group& group : classes_[flow.flow_class].groups) {
    if (group.number == flow.number) return &group;
  }
  return nullptr;
}

bool SharedCapacity::active(FlowId flow) const { return find(flow) != nullptr; }

Bytes SharedCapacity::remaining(FlowId flow) const {
  const Group* group = find(flow);
  return group == nullptr ? Bytes{0} : still_to_move(flow.flow_class, *group);
}

Rate SharedCapacity::rate(FlowClassId id) const { return classes_.at(id.value).rate; }

UInt128 SharedCapacity::served_now(const FlowClass& one) const {
  return one.served + product(one.rate.units, now() - rates_since_);
}

Bytes SharedCapacity::still_to_move(std::uint32_t id, const Group& group) const {
  const UInt128 served = served_now(classes_[id]);
  if (served >= group.mark) return Bytes{0};
  const UInt128 bytes = (group.mark - served + (service_per_byte - 1)) / service_per_byte;
  return Bytes{static_cast<std::int64_t>(bytes)};
}

// In bytes x 2^-20: classes that are closed, groups that are over, and what the others have moved so far.
UInt128 SharedCapacity::moved_now(std::uint32_t link) const {
  UInt128 moved = links_.at(link).moved;
  for (std::uint32_t id = 0; id < classes_.size(); ++id) {
    if (!classes_[id].open) continue;
    for (const Crossing& crossing : shares_[id].crossings()) {
      if (crossing.link != link) continue;
      UInt128 bytes = classes_[id].moved;
      for (const Group& group : classes_[id].groups) {
        const Bytes each = Bytes{group.size} - still_to_move(id, group);
        bytes += product(group.flows, each.count());
      }
      moved += bytes * as_unsigned(crossing.demand);
    }
  }
  return moved;
}

Bytes SharedCapacity::moved(CapacityId link) const {
  return Bytes{static_cast<std::int64_t>(moved_now(link.value) >> Crossing::fraction_bits)};
}

// The integral of what is used is what has moved: no need to keep both.
Duration SharedCapacity::busy(CapacityId id) const {
  const Link& link = links_.at(id.value);
  const Bandwidth rate = capacity(id);
  if (rate == Bandwidth{0}) return link.busy_before;
  const UInt128 moved = (moved_now(id.value) - link.moved_before) >> Crossing::fraction_bits;
  const UInt128 time = moved * as_unsigned(picoseconds_per_second) / as_unsigned(rate.count());
  return link.busy_before + Duration{static_cast<std::int64_t>(time)};
}

Bandwidth SharedCapacity::capacity(CapacityId link) const {
  return share_links_.at(link.value).capacity.rounded_down();
}

// Flows that finish in one instant are called by class, then in the order of their marks. Flows that `done` starts wait
// for the next division, even empty ones: a loop of empty flows is then caught by the engine.
void SharedCapacity::finish_due() {
  wake_ = {};
  const std::uint64_t last = starts_;
  const std::size_t count = std::exchange(due_count_, 0);
  for (std::size_t i = 0; i < count; ++i) {
    while (has_due(due_[i], last)) finish_first(due_[i]);
  }
  request_settle();
}

// Whether the first flows of the class have all they need and were not started after the start numbered `last`. Something
// else of this instant may have cancelled those that were found to be due.
bool SharedCapacity::has_due(std::uint32_t id, std::uint64_t last) const {
  const FlowClass& one = classes_[id];
  return !one.groups.empty() && one.next_mark <= served_now(one) &&
         one.groups.front().number <= last;
}

void SharedCapacity::finish_first(std::uint32_t id) {
  FlowClass& one = classes_[id];
  std::pop_heap(one.groups.begin(), one.groups.end(), later);
  const Group group = one.groups.back();
  one.groups.pop_back();
  one.moved += product(group.flows, group.size);
  leave(id, group);
  group.done();
}

void SharedCapacity::request_settle() {
  if (!settle_)
    settle_ = engine_.at(engine_.now(), Phase::settle, {on<&SharedCapacity::settle>, this});
}

void SharedCapacity::settle() {
  settle_ = {};
  if (must_divide_ || !differing_.empty()) divide();
  if (engine_.trace() != nullptr) record_changed_rates();
  const std::int64_t wait = take_rates();
  schedule_wake(wait > never - now() ? never : now() + wait);
}

// Rates depend on what crosses the links, not on which flows these are: one that takes the place of another changes nothing.
void SharedCapacity::divide() {
  fair_share_.divide({share_links_, shares_, active_, capped_}, rates_);
  must_divide_ = false;
  differing_.each([&](std::uint32_t id) {
    classes_[id].divided = shares_[id].flows;
    differing_.set(id, false);
  });
}

void SharedCapacity::record_changed_rates() {
  active_.each([&](std::uint32_t id) {
    if (rates_[id] == classes_[id].rate) return;
    engine_.record(TraceKind::flow_rate_changed, owner_, id, 0, rates_[id].units,
                   shares_[id].flows);
  });
}

// Gives each class its new rate and finds those with the flows that finish first: in due_, by id. Returns the picoseconds
// from now to the first in which those have received all they need. A class whose mark best x rate does not reach cannot be
// one of them, and costs no division.
std::int64_t SharedCapacity::take_rates() {
  const std::int64_t since = now() - std::exchange(rates_since_, now());
  std::int64_t best = never;
  due_count_ = 0;
  active_.each([&](std::uint32_t id) {
    FlowClass& one = classes_[id];
    one.served += product(one.rate.units, since);  // at the old rate
    one.rate = rates_[id];
    const auto needed = static_cast<Int128>(one.next_mark - one.served);  // both are below 2^127
    if (needed > Int128{best} * one.rate.units) return;
    const std::int64_t wait = time_to_move(needed, one.rate);
    if (wait < best) due_count_ = 0;
    best = wait;
    due_[due_count_++] = id;
  });
  return best;
}

void SharedCapacity::schedule_wake(std::int64_t time) {
  if (wake_ && wake_.time == time) return;
  if (wake_) engine_.cancel(wake_);
  wake_ = {};
  if (time == never) return;
  wake_ = engine_.at(TimePoint{Duration{time}}, Phase::deliver,
                     {on<&SharedCapacity::finish_due>, this});
}

}  // namespace tantalus

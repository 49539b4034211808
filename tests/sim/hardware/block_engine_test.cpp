#include "sim/hardware/block_engine.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/sim/hardware/fake_model.hpp"

namespace tantalus::test {
namespace {

/// A device of `units` units over an L2 and a DRAM, and the kernels that are started on it.
class Bench {
 public:
  explicit Bench(std::int64_t units, Bandwidth dram = 100 * gb_per_s)
      : rates_{units, {1'000 * gb_per_s, dram}},
        flows_(engine_, DeviceId{1}, "memory"),
        l2_(flows_.add_link("l2", rates_.bandwidth[0])),
        dram_(flows_.add_link("dram", dram)),
        blocks_(engine_, DeviceId{0}, flows_, {units, {l2_, dram_}, {Bound::l2, Bound::dram}}) {
    engine_.set_trace(&trace_);
  }

  void start_at(Duration when, KernelCost cost) {
    costs_.push_back(std::make_unique<KernelCost>(std::move(cost)));
    runs_.emplace_back();
    engine_.at(TimePoint{when}, Phase::act,
               {on<&Bench::start>, this, static_cast<std::uint32_t>(costs_.size() - 1)});
  }
  void copy_at(Duration when, Bytes size, Duration& took) {
    copy_size_ = size;
    copy_took_ = &took;
    engine_.at(TimePoint{when}, Phase::act, {on<&Bench::start_copy>, this});
  }
  /// Without a trace, waves that repeat are counted without events.
  void keep_no_trace() { engine_.set_trace(nullptr); }
  const std::vector<KernelRun>& run() {
    engine_.run();
    return runs_;
  }
  KernelRun run_one(KernelCost cost) {
    start_at(Duration{0}, std::move(cost));
    return run().front();
  }

  const DeviceRates& rates() const { return rates_; }
  const BlockEngine& blocks() const { return blocks_; }
  const SharedCapacity& flows() const { return flows_; }
  CapacityId dram() const { return dram_; }
  std::uint64_t events() const { return engine_.events_called(); }
  const Trace& trace() const { return trace_; }

 private:
  void start(std::uint32_t kernel) {
    blocks_.start(*costs_[kernel], TaskId{kernel}, {on<&Bench::done>, this, kernel});
  }
  void done(std::uint32_t kernel) { runs_[kernel] = blocks_.last_run(); }
  void start_copy() {
    const Crossing crossing{dram_.value};
    copy_start_ = engine_.now();
    flows_.start(flows_.open_class({&crossing, 1}, 1, Rate::unlimited()), copy_size_,
                 {on<&Bench::copy_done>, this});
  }
  void copy_done() { *copy_took_ = engine_.now() - copy_start_; }

  Trace trace_;
  Engine engine_;
  DeviceRates rates_;
  SharedCapacity flows_;
  CapacityId l2_, dram_;
  BlockEngine blocks_;
  std::vector<std::unique_ptr<KernelCost>> costs_;
  std::vector<KernelRun> runs_;
  Bytes copy_size_;
  Duration* copy_took_ = nullptr;
  TimePoint copy_start_;
};

Duration span(const KernelRun& run) { return run.end - run.start; }

TEST_CASE("a block alone needs its unit time") {
  Bench bench(4);

  CHECK(span(bench.run_one(kernel_of(1, {computing(10 * us)}))) == 10 * us);
}

TEST_CASE("a block alone that can use half of its unit takes twice its unit time") {
  Bench bench(4);

  CHECK(span(bench.run_one(kernel_of(1, {computing(10 * us, 0.5)}))) == 20 * us);
}

TEST_CASE("blocks on one unit share it") {
  // Three blocks of 10 us on one unit: 30 us of work at full rate.
  Bench bench(1);

  CHECK(span(bench.run_one(kernel_of(3, {computing(10 * us)}, 3))) == 30 * us);
}

TEST_CASE("blocks that fill every slot run in waves") {
  // 4 units x 2 slots = 8 blocks a wave; 24 blocks are 3 waves of two blocks sharing a unit: 3 x 2 x 5 us.
  Bench bench(4);

  const KernelRun run = bench.run_one(kernel_of(24, {computing(5 * us)}, 2));

  CHECK(span(run) == 30 * us);
  CHECK(run.sync == Duration{0});
  CHECK(run.units == 4);
}

TEST_CASE("a tail of few blocks leaves the other units waiting") {
  // 9 blocks on 4 units of one slot: waves of 4, 4 and 1; in the last, 3 of 4 units wait 10 us: 7.5 us on average.
  Bench bench(4);

  const KernelRun run = bench.run_one(kernel_of(9, {computing(10 * us)}));

  CHECK(span(run) == 30 * us);
  CHECK(run.sync == Duration{7'500'000});
}

TEST_CASE("blocks of unequal length leave the right tail") {
  // Two units, one slot each; blocks in order: 2 of 10 us, 1 of 40 us, 2 of 5 us.
  //   t = 0: both units take a block of 10 us.  t = 10: one takes the long block, the other the first short one.
  //   t = 15: the other takes the second short one, the last block; it ends at 20 and waits until 50: 30 us, halved.
  KernelCost cost = kernel_of(2, {computing(10 * us)});
  cost.groups.push_back({1, {computing(40 * us)}});
  cost.groups.push_back({2, {computing(5 * us)}});
  Bench bench(2);

  const KernelRun run = bench.run_one(cost);

  CHECK(span(run) == 50 * us);
  CHECK(run.sync == 15 * us);
}

TEST_CASE("a unit with one block less is faster while the other shares") {
  // Three blocks of 10 us on two units of two slots: 20 us on the shared unit, the other has finished after 10.
  Bench bench(2);

  const KernelRun run = bench.run_one(kernel_of(3, {computing(10 * us)}, 2));

  CHECK(span(run) == 20 * us);
  CHECK(run.sync == 5 * us);
}

TEST_CASE("a streaming kernel takes its bytes at the DRAM's rate") {
  // 8 blocks x 100 kB at 100 GB/s = 8 us.
  Bench bench(8);

  const KernelRun run = bench.run_one(kernel_of(8, {streaming(Bytes{100'000})}));

  CHECK(span(run) == 8 * us);
  CHECK(run.bound == Bound::dram);
  CHECK(bench.flows().moved(bench.dram()) == Bytes{800'000});
}

TEST_CASE("few blocks cannot draw the whole DRAM") {
  // 2 blocks of 100 kB at most 10 GB/s each: 10 us although the DRAM could do it in 2.
  Bench bench(8);

  CHECK(span(bench.run_one(kernel_of(2, {streaming(Bytes{100'000}, 10 * gb_per_s)}))) == 10 * us);
}

TEST_CASE("the shorter of compute and memory hides unless it is exposed") {
  BlockPhase both = streaming(Bytes{100'000});  // 4 blocks: 4 us
  both.unit_time = 10 * us;
  SUBCASE("hidden") {
    Bench bench(4);
    CHECK(span(bench.run_one(kernel_of(4, {both}))) == 10 * us);
  }
  SUBCASE("a quarter of it exposed") {
    both.exposed = 0.25;
    Bench bench(4);
    CHECK(span(bench.run_one(kernel_of(4, {both}))) == 11 * us);
  }
}

TEST_CASE("latency adds to every phase and is shared by nobody") {
  BlockPhase slow = computing(10 * us);
  slow.latency = 3 * us;
  Bench bench(1);

  CHECK(span(bench.run_one(kernel_of(4, {slow, slow}, 2))) == 2 * 2 * (20 * us + 3 * us));
}

TEST_CASE("the fixed cost comes before the first block") {
  KernelCost cost = kernel_of(1, {computing(10 * us)});
  cost.fixed = 7 * us;
  Bench bench(1);

  CHECK(span(bench.run_one(cost)) == 17 * us);
}

TEST_CASE("a kernel with a unit limit uses no more units") {
  KernelCost cost = kernel_of(8, {computing(10 * us)});
  cost.units_limit = 2;
  Bench bench(4);

  const KernelRun run = bench.run_one(cost);

  CHECK(span(run) == 40 * us);
  CHECK(run.units == 2);
}

TEST_CASE("a kernel without blocks ends at once") {
  Bench bench(4);

  CHECK(span(bench.run_one(kernel_of(0, {computing(10 * us)}))) == Duration{0});
}

TEST_CASE("two kernels that share DRAM slow each other by the right amount") {
  // A: 4 blocks x 200 kB, B: 4 blocks x 100 kB, together from t = 0 on 8 units over 100 GB/s. Each block gets 12.5 GB/s:
  // B's 100 kB take 8 us. A has 100 kB a block left, now at 25 GB/s: 4 us more. Alone they would take 8 and 4 us.
  Bench bench(8);
  bench.start_at(Duration{0}, kernel_of(4, {streaming(Bytes{200'000})}));
  bench.start_at(Duration{0}, kernel_of(4, {streaming(Bytes{100'000})}));

  const auto& runs = bench.run();

  CHECK(span(runs[1]) == 8 * us);
  CHECK(span(runs[0]) == 12 * us);
}

TEST_CASE("two kernels on the same units share them") {
  // Each fills half of the single unit with one block; both of 10 us: together 20 us.
  Bench bench(1);
  bench.start_at(Duration{0}, kernel_of(1, {computing(10 * us)}, 2));
  bench.start_at(Duration{0}, kernel_of(1, {computing(10 * us)}, 2));

  const auto& runs = bench.run();

  CHECK(span(runs[0]) == 20 * us);
  CHECK(span(runs[1]) == 20 * us);
}

TEST_CASE("a kernel that comes later slows the one that runs from then on only") {
  // A alone for 4 of its 10 us, then two share: A's 6 us take 12, so A ends at 16; B has 10 - 6 = 4 left, alone: ends at 20.
  Bench bench(1);
  bench.start_at(Duration{0}, kernel_of(1, {computing(10 * us)}, 2));
  bench.start_at(4 * us, kernel_of(1, {computing(10 * us)}, 2));

  const auto& runs = bench.run();

  CHECK(runs[0].end.since_start() == 16 * us);
  CHECK(runs[1].end.since_start() == 20 * us);
}

TEST_CASE("a capped block leaves its rest to the others on the unit") {
  // A uses at most a quarter, B the other three quarters. B: 9 us / 0.75 = 12 us. A: 12 x 0.25 = 3 done of 6, then still at
  // a quarter: 3 / 0.25 = 12 more.
  Bench bench(1);
  bench.start_at(Duration{0}, kernel_of(1, {computing(6 * us, 0.25)}, 2));
  bench.start_at(Duration{0}, kernel_of(1, {computing(9 * us)}, 2));

  const auto& runs = bench.run();

  CHECK(runs[1].end.since_start() == 12 * us);
  CHECK(runs[0].end.since_start() == 24 * us);
}

TEST_CASE("a later kernel takes the units that the tail of the first leaves free") {
  // A: 5 blocks of 10 us on 4 units: the last alone from 10 to 20. B: 3 blocks of 10 us run beside it.
  Bench bench(4);
  bench.start_at(Duration{0}, kernel_of(5, {computing(10 * us)}));
  bench.start_at(Duration{0}, kernel_of(3, {computing(10 * us)}));

  const auto& runs = bench.run();

  CHECK(runs[0].end.since_start() == 20 * us);
  CHECK(runs[1].end.since_start() == 20 * us);
}

TEST_CASE("a class of units that is split half way goes on where it was") {
  // A: one block of 20 us on each of 4 units (half full). At 10 us B's 2 blocks of 5 us join two of the units: there A has
  // 10 left, shared: B's 5 us take 10 (ends at 20), A then has 5 left: ends at 25. On the other two units A ends at 20.
  Bench bench(4);
  bench.start_at(Duration{0}, kernel_of(4, {computing(20 * us)}, 2));
  bench.start_at(10 * us, kernel_of(2, {computing(5 * us)}, 2));

  const auto& runs = bench.run();

  CHECK(runs[1].end.since_start() == 20 * us);
  CHECK(runs[0].end.since_start() == 25 * us);
}

TEST_CASE("flows go on undisturbed when their class of units is split") {
  // A streams 4 x 200 kB (8 us at 100 GB/s) and computes 2 us; B computes on two of the units at 1 us.
  BlockPhase both = streaming(Bytes{200'000});
  both.unit_time = 2 * us;
  Bench bench(4);
  bench.start_at(Duration{0}, kernel_of(4, {both, computing(3 * us)}, 2));
  bench.start_at(1 * us, kernel_of(2, {computing(1 * us)}, 2));

  const auto& runs = bench.run();

  CHECK(runs[0].end.since_start() == 11 * us);
  CHECK(runs[1].end.since_start() == 3 * us);  // 1 us of work beside A's: shared from 1 to 3
}

TEST_CASE("a copy that starts in the middle of a kernel delays it as the fair share says") {
  // One block streams 1 MB alone at 100 GB/s: 10 us. At 4 us a copy of 200 kB takes half: 4 us. The kernel loses 2 us.
  Duration copy;
  Bench bench(1);
  bench.start_at(Duration{0}, kernel_of(1, {streaming(Bytes{1'000'000})}));
  bench.copy_at(4 * us, Bytes{200'000}, copy);

  const auto& runs = bench.run();

  CHECK(copy == 4 * us);
  CHECK(span(runs[0]) == 12 * us);
}

TEST_CASE("the bound is what the blocks waited for longest") {
  SUBCASE("memory") {
    Bench bench(1);
    CHECK(bench.run_one(kernel_of(1, {computing(1 * us), streaming(Bytes{1'000'000})})).bound ==
          Bound::dram);
  }
  SUBCASE("the unit") {
    Bench bench(1);
    CHECK(bench.run_one(kernel_of(1, {computing(11 * us), streaming(Bytes{1'000'000})})).bound ==
          Bound::compute);
  }
  SUBCASE("the unit's power limit, when the phase says so") {
    BlockPhase hot = computing(11 * us);
    hot.unit_bound = Bound::power;
    Bench bench(1);
    CHECK(bench.run_one(kernel_of(1, {hot})).bound == Bound::power);
  }
}

TEST_CASE("a kernel costs events by its waves, not by its blocks") {
  const auto events_of = [](std::int64_t units) {
    Bench bench(units);
    bench.run_one(kernel_of(units * 2 * 5, {computing(1 * us), streaming(Bytes{100})}, 2));
    return bench.events();
  };

  CHECK(events_of(10) == events_of(1000));
}

/// What there is to see of a run of kernels, each at its time, and of a copy at 500 us when it has a size.
struct Seen {
  std::vector<KernelRun> runs;
  Duration busy, copy;
  Bytes moved;
  std::uint64_t events = 0;
};

Seen seen(bool traced, const std::vector<std::pair<Duration, KernelCost>>& kernels, Bytes copy) {
  Bench bench(7);
  if (!traced) bench.keep_no_trace();
  Seen all;
  for (const auto& [when, cost] : kernels) bench.start_at(when, cost);
  if (copy > Bytes{0}) bench.copy_at(500 * us, copy, all.copy);
  all.runs = bench.run();
  all.busy = bench.blocks().busy();
  all.moved = bench.flows().moved(bench.dram());
  all.events = bench.events();
  return all;
}

void check_alike(const std::vector<std::pair<Duration, KernelCost>>& kernels,
                 Bytes copy = Bytes{0}) {
  const Seen events = seen(true, kernels, copy);
  const Seen counted = seen(false, kernels, copy);

  CHECK(counted.events < events.events);
  CHECK(counted.busy == events.busy);
  CHECK(counted.moved == events.moved);
  CHECK(counted.copy == events.copy);
  for (std::size_t i = 0; i < events.runs.size(); ++i) {
    CHECK(counted.runs[i].start == events.runs[i].start);
    CHECK(counted.runs[i].end == events.runs[i].end);
    CHECK(counted.runs[i].sync == events.runs[i].sync);
    CHECK(counted.runs[i].units == events.runs[i].units);
    CHECK(counted.runs[i].bound == events.runs[i].bound);
  }
}

TEST_CASE("waves that repeat are counted without events and end at the same picosecond") {
  BlockPhase both = streaming(Bytes{100'003}, 9 * gb_per_s);
  both.unit_time = 3 * us;
  both.exposed = 0.37;
  both.latency = Duration{777};
  const std::vector<BlockPhase> phases = {computing(1 * us, 0.6), both, streaming(Bytes{9'999})};
  KernelCost two_groups = kernel_of(1'000, phases, 3);
  two_groups.groups.push_back({500, {computing(2 * us)}});
  KernelCost few_units = kernel_of(777, phases, 2);
  few_units.units_limit = 3;

  SUBCASE("of one kernel") { check_alike({{Duration{0}, kernel_of(1'000, phases, 3)}}); }
  SUBCASE("of a kernel with two groups") { check_alike({{Duration{0}, two_groups}}); }
  SUBCASE("of a kernel on some of the units") { check_alike({{Duration{0}, few_units}}); }
  SUBCASE("of kernels one after the other") {
    check_alike({{Duration{0}, kernel_of(1'000, phases, 3)}, {5'000 * us, two_groups}});
  }
  SUBCASE("of a kernel that another one joins") {
    check_alike({{Duration{0}, kernel_of(3'000, phases, 2)}, {400 * us, two_groups}});
  }
  SUBCASE("of a kernel beside which something is copied") {
    check_alike({{Duration{0}, kernel_of(9'000, phases, 2)}}, Bytes{10'000'000});
  }
}

TEST_CASE("the number of waves does not change what a lone kernel costs in events") {
  const auto events_of = [](std::int64_t waves) {
    return seen(false, {{Duration{0}, kernel_of(7 * 2 * waves, {streaming(Bytes{100})}, 2)}},
                Bytes{0})
        .events;
  };

  CHECK(events_of(1'000) == events_of(10));
}

TEST_CASE("busy is the work done over the number of units") {
  Bench bench(4);
  bench.run_one(kernel_of(3, {computing(8 * us)}));

  CHECK(bench.blocks().busy() == 6 * us);
}

TEST_CASE("every block that starts ends") {
  Bench bench(4);
  bench.start_at(Duration{0}, kernel_of(11, {computing(7 * us)}, 2));
  bench.start_at(3 * us, kernel_of(6, {computing(2 * us)}, 4));
  bench.run();

  std::int64_t open = 0, started = 0;
  for (const TraceRecord& record : bench.trace().records()) {
    if (record.kind == TraceKind::cohort_started) {
      open += record.amount;
      started += record.amount;
    }
    if (record.kind == TraceKind::cohort_finished) open -= record.amount;
  }

  CHECK(open == 0);
  CHECK(started == 17);
}

}  // namespace
}  // namespace tantalus::test

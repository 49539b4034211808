#include "sim/engine/trace.hpp"

#include <doctest/doctest.h>

#include "sim/engine/engine.hpp"

namespace tantalus {
namespace {

TraceRecord task_on(std::uint32_t device, std::int64_t time, std::uint32_t task) {
  return {time, 0, 0, DeviceId{device}, task, 0, TraceKind::task_started};
}

TEST_CASE("equal traces have equal fingerprints and any changed field another one") {
  const TraceRecord base{10, 20, 30, DeviceId{1}, 2, 3, TraceKind::flow_started};
  const auto fingerprint = [](TraceRecord record) {
    Trace trace;
    trace.add(task_on(0, 0, 0));
    trace.add(record);
    return trace.fingerprint();
  };
  TraceRecord time = base, amount = base, detail = base, device = base, subject = base, lane = base,
              kind = base;
  time.time = 11;
  amount.amount = 21;
  detail.detail = 31;
  device.device = DeviceId{0};
  subject.subject = 3;
  lane.lane = 4;
  kind.kind = TraceKind::flow_finished;

  CHECK(fingerprint(base) == fingerprint(base));
  for (const TraceRecord& changed : {time, amount, detail, device, subject, lane, kind}) {
    CHECK(fingerprint(changed) != fingerprint(base));
  }
}

TEST_CASE("the fingerprint is the same number on every compiler") {
  Trace trace;
  trace.add(task_on(0, 1'000'000, 7));
  trace.add({2'000'000, -5, 1LL << 40, DeviceId{3}, 9, 1, TraceKind::flow_finished});

  CHECK(trace.fingerprint() == 4818688087857690436U);
}

TEST_CASE("the fingerprint does not need the records") {
  Trace with(Trace::Keep::records);
  Trace without(Trace::Keep::fingerprint_only);
  for (std::uint32_t i = 0; i < 100; ++i) {
    with.add(task_on(i % 3, i, i));
    without.add(task_on(i % 3, i, i));
  }

  CHECK(with.fingerprint() == without.fingerprint());
  CHECK(with.records().size() == 100);
  CHECK(without.records().empty());
  CHECK(without.count() == 100);
}

TEST_CASE("an unused device declared before the others changes no fingerprint") {
  Trace alone;
  Trace beside_unused;
  for (std::uint32_t i = 0; i < 10; ++i) {
    alone.add(task_on(i % 2, i, i));
    beside_unused.add(task_on(1 + i % 2, i, i));  // device 0 never appears
  }

  CHECK(alone.fingerprint() == beside_unused.fingerprint());
}

TEST_CASE("a cleared trace is as new") {
  Trace used;
  used.add(task_on(5, 1, 1));
  used.clear();
  Trace fresh;
  used.add(task_on(2, 3, 4));
  fresh.add(task_on(2, 3, 4));

  CHECK(used.fingerprint() == fresh.fingerprint());
  CHECK(used.records() == fresh.records());
}

TEST_CASE("the order of records matters") {
  Trace forth;
  forth.add(task_on(0, 5, 1));
  forth.add(task_on(0, 5, 2));
  Trace back;
  back.add(task_on(0, 5, 2));
  back.add(task_on(0, 5, 1));

  CHECK(forth.fingerprint() != back.fingerprint());
}

TEST_CASE("an engine records the present time, and nothing without a trace") {
  Engine engine;
  engine.record(TraceKind::task_queued, DeviceId{0}, 1);
  Trace trace;
  engine.set_trace(&trace);
  engine.record(TraceKind::task_queued, DeviceId{0}, 2, 3, 4, 5);

  REQUIRE(trace.records().size() == 1);
  CHECK(trace.records().front() == TraceRecord{0, 4, 5, DeviceId{0}, 2, 3, TraceKind::task_queued});
}

TEST_CASE("every kind of record has a name of its own") {
  CHECK(name_of(TraceKind::task_queued) == "task-queued");
  CHECK(name_of(TraceKind::resource_freed) == "resource-freed");
}

}  // namespace
}  // namespace tantalus

#include "tests/sim/hardware/trace_checker.hpp"

#include <algorithm>
#include <map>

#include "sim/hardware/launch_messages.hpp"

namespace tantalus::test {

namespace {

/// Times of one task in picoseconds, as the trace has them; -1: not seen.
struct Seen {
  std::int64_t issue_begin = -1, issue_end = -1, queued = -1, started = -1, finished = -1;
  std::vector<std::int64_t> served_from, served_to;  // by kernel
  std::vector<std::int64_t> kernel_start, kernel_end;
  std::int64_t last_cohort = -1;
  std::int64_t open_blocks = 0;
  bool blocks_since_kernel = false;  // its latest kernel had blocks
  std::int64_t engine_taken = -1, engine_freed = -1;
};

class Checker {
 public:
  Checker(const TaskGraph& tasks, const Trace& trace, const Results& results,
          const LaunchRules& rules)
      : tasks_(tasks), results_(results), rules_(rules), seen_(tasks.tasks().size()) {
    for (const TraceRecord& record : trace.records()) read(record);
  }

  std::vector<std::string> run() {
    const auto predecessors = tasks_.predecessors();
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      check_issue(i);
      check_start(i, predecessors[i]);
      check_kernels(i);
      check_result(i);
    }
    check_front_end();
    check_totals();
    return complaints_;
  }

 private:
  void read(const TraceRecord& record) {
    if (record.kind == TraceKind::flow_started || record.kind == TraceKind::flow_rate_changed ||
        record.kind == TraceKind::flow_finished) {
      return;
    }
    Seen& seen = seen_.at(record.subject);
    switch (record.kind) {
      case TraceKind::task_queued:
        seen.queued = record.time;
        break;
      case TraceKind::task_started:
        seen.started = record.time;
        break;
      case TraceKind::task_finished:
        seen.finished = record.time;
        break;
      case TraceKind::cohort_started:
        seen.open_blocks += record.amount;
        seen.blocks_since_kernel = true;
        break;
      case TraceKind::cohort_finished:
        seen.open_blocks -= record.amount;
        seen.last_cohort = record.time;
        break;
      case TraceKind::resource_taken:
      case TraceKind::resource_freed:
        read_resource(record, seen);
        break;
      default:
        complain(record.subject, "a record of a kind that no task has");
    }
  }

  static void read_resource(const TraceRecord& record, Seen& seen) {
    const bool taken = record.kind == TraceKind::resource_taken;
    if (record.lane == host_thread_lane) (taken ? seen.issue_begin : seen.issue_end) = record.time;
    if (record.lane == copy_engine_lane)
      (taken ? seen.engine_taken : seen.engine_freed) = record.time;
    if (record.lane == front_end_lane) {
      (taken ? seen.served_from : seen.served_to).push_back(record.time);
    }
    if (record.lane == kernel_lane) {
      if (taken) seen.blocks_since_kernel = false;
      (taken ? seen.kernel_start : seen.kernel_end).push_back(record.time);
    }
  }

  bool is_copy(std::size_t task) const {
    return std::holds_alternative<CopyWork>(tasks_.tasks()[task].work);
  }

  // The host issues in order, when it is free and the queue has room; the launch arrives one latency later.
  void check_issue(std::size_t i) {
    const Seen& seen = seen_[i];
    std::int64_t free = i == 0 ? 0 : seen_[i - 1].issue_end;
    if (rules_.host_waits && i > 0) free = std::max(free, seen_[i - 1].finished);
    const auto depth = static_cast<std::size_t>(rules_.queue_depth);
    if (i >= depth) {  // so many of the earlier tasks have left the queue
      std::vector<std::int64_t> left;
      for (std::size_t j = 0; j < i; ++j) left.push_back(seen_[j].started);
      std::sort(left.begin(), left.end());
      free = std::max(free, left[i - depth]);
    }
    expect(i, "issued", seen.issue_begin, free);
    expect(i, "sent", seen.issue_end, seen.issue_begin + rules_.host.count());
    expect(i, "queued", seen.queued, seen.issue_end + rules_.latency.count());
  }

  void check_start(std::size_t i, const std::vector<TaskId>& predecessors) {
    const Seen& seen = seen_[i];
    std::int64_t ready = seen.queued;
    for (const TaskId before : predecessors) ready = std::max(ready, seen_[before.value].finished);
    if (is_copy(i)) {
      expect(i, "copy engine", seen.engine_taken, seen.started);
      if (seen.started < ready) complain(i, "a copy started before it was ready");
      return;
    }
    if (rules_.front_end && !seen.served_to.empty())
      ready = std::max(ready, seen.served_to.front());
    expect(i, "started", seen.started, ready);
  }

  void check_kernels(std::size_t i) {
    const Seen& seen = seen_[i];
    if (is_copy(i)) return;
    if (seen.open_blocks != 0) complain(i, "blocks were started and not finished, or the reverse");
    for (std::size_t k = 0; k < seen.kernel_start.size(); ++k) {
      std::int64_t start = k == 0 ? seen.started : seen.kernel_end[k - 1];
      if (rules_.front_end) start = std::max(start, seen.served_to.at(k));
      expect(i, "kernel start", seen.kernel_start[k], start);
    }
    if (!seen.kernel_end.empty()) {
      expect(i, "finished", seen.finished, seen.kernel_end.back());
      if (seen.blocks_since_kernel) {
        expect(i, "last block", seen.last_cohort, seen.kernel_end.back());
      }
    }
  }

  // One server, first come first served: each service begins when it was asked for and the one before is over.
  void check_front_end() {
    struct Service {
      std::int64_t from, to, asked;
      std::size_t task;
    };
    std::vector<Service> services;
    std::map<int, std::int64_t> last_start;  // of a kernel, by stream
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Seen& seen = seen_[i];
      if (is_copy(i)) continue;
      std::int64_t& last = last_start.try_emplace(tasks_.tasks()[i].stream, -1).first->second;
      for (std::size_t k = 0; k < seen.served_from.size(); ++k) {
        const std::int64_t asked = k == 0 ? std::max(seen.queued, last) : seen.kernel_start[k - 1];
        services.push_back({seen.served_from[k], seen.served_to.at(k), asked, i});
      }
      last = seen.kernel_start.empty() ? seen.started : seen.kernel_start.back();
    }
    std::stable_sort(services.begin(), services.end(),
                     [](const Service& a, const Service& b) { return a.from < b.from; });
    std::int64_t free = 0;
    for (const Service& service : services) {
      expect(service.task, "service begins", service.from, std::max(service.asked, free));
      expect(service.task, "service ends", service.to, service.from + rules_.queued.count());
      free = service.to;
    }
  }

  void check_result(std::size_t i) {
    const Seen& seen = seen_[i];
    const TaskResult& task = results_.tasks.at(i);
    expect(i, "reported issue", count(task.issued), seen.issue_begin);
    expect(i, "reported queueing", count(task.queued), seen.queued);
    expect(i, "reported start", count(task.start), seen.started);
    expect(i, "reported end", count(task.end), seen.finished);
    for (std::size_t k = 0; k < task.kernels.size(); ++k) {
      expect(i, "reported kernel start", count(task.kernels[k].start), seen.kernel_start.at(k));
      expect(i, "reported kernel end", count(task.kernels[k].end), seen.kernel_end.at(k));
    }
  }

  void check_totals() {
    std::int64_t end = 0, host = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> busy;
    for (const Seen& seen : seen_) {
      end = std::max(end, seen.finished);
      host += seen.issue_end - seen.issue_begin;
      for (std::size_t k = 0; k < seen.kernel_start.size(); ++k) {
        busy.emplace_back(seen.kernel_start[k], seen.kernel_end[k]);
      }
    }
    std::sort(busy.begin(), busy.end());
    std::int64_t covered = 0, until = 0;
    for (const auto& [from, to] : busy) {
      covered += std::max<std::int64_t>(0, to - std::max(from, until));
      until = std::max(until, to);
    }
    expect(0, "step", results_.step.count(), end);
    expect(0, "host busy", results_.host_busy.count(), host);
    expect(0, "device busy", results_.device_busy.count(), covered);
  }

  static std::int64_t count(TimePoint time) { return time.since_start().count(); }

  void expect(std::size_t task, const std::string& what, std::int64_t found, std::int64_t wanted) {
    if (found == wanted) return;
    complain(task, what + ": " + std::to_string(found) + ", but the trace gives " +
                       std::to_string(wanted));
  }
  void complain(std::size_t task, const std::string& what) {
    complaints_.push_back("task " + std::to_string(task) + ": " + what);
  }

  const TaskGraph& tasks_;
  const Results& results_;
  const LaunchRules& rules_;
  std::vector<Seen> seen_;
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> check_trace(const TaskGraph& tasks, const Trace& trace,
                                     const Results& results, const LaunchRules& rules) {
  return Checker(tasks, trace, results, rules).run();
}

}  // namespace tantalus::test

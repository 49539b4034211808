#include "sim/report/timeline.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/report/json_text.hpp"

namespace tantalus {

namespace {

using Json = nlohmann::ordered_json;

enum class Row : int { host = 1, tasks = 2, kernels = 3, copies = 4 };

double microseconds(Duration time) { return static_cast<double>(time.count()) / 1e6; }

Json row_name(Row row, std::string_view name) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", 1},
          {"tid", static_cast<int>(row)},
          {"args", {{"name", name}}}};
}

// A complete event ("X"): a bar from start to end.
Json bar(Row row, const std::string& name, TimePoint start, Duration length, Json details) {
  return {{"name", name},
          {"ph", "X"},
          {"pid", 1},
          {"tid", static_cast<int>(row)},
          {"ts", microseconds(start.since_start())},
          {"dur", microseconds(length)},
          {"args", std::move(details)}};
}

void add_task(Json& events, const TaskResult& task) {
  const Row row = task.is_copy ? Row::copies : Row::tasks;
  if (task.host.count() > 0) {
    events.push_back(bar(Row::host, "issue " + task.name, task.issued, task.host, Json::object()));
  }
  events.push_back(
      bar(row, task.name, task.start, task.end - task.start,
          {{"pass", task.pass}, {"bound", name_of(task.bound)}, {"algorithm", task.algorithm}}));
  for (const KernelResult& kernel : task.kernels) {
    events.push_back(bar(Row::kernels, kernel.name, kernel.start, kernel.end - kernel.start,
                         {{"task", task.name},
                          {"bound", name_of(kernel.bound)},
                          {"grid", kernel.grid},
                          {"block", kernel.block},
                          {"dram_bytes", kernel.dram_bytes.count()}}));
  }
}

}  // namespace

std::string timeline_json(const Prediction& prediction) {
  Json events = {row_name(Row::host, "host"),
                 row_name(Row::tasks, prediction.results.device + " layers"),
                 row_name(Row::kernels, prediction.results.device + " kernels"),
                 row_name(Row::copies, prediction.results.device + " copies")};
  for (const TaskResult& task : prediction.results.tasks) add_task(events, task);
  return json_text(Json{{"schema", "tantalus.timeline/1"},
                        {"fingerprint", fingerprint_text(prediction.results.fingerprint)},
                        {"displayTimeUnit", "ns"},
                        {"traceEvents", std::move(events)}});
}

}  // namespace tantalus

// tantalus describe: the memory of machines side by side, and what follows from it.
#include <algorithm>

#include "sim/app/loading.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/report/describe_report.hpp"

namespace tantalus {

namespace {

/// A part like one that is there already joins it.
void add(const std::string& system, const PartPlan& part, bool alone, DescribeReport& report) {
  const DeviceModel* model = part.device->model();
  if (model == nullptr) return;
  const std::optional<MemoryHierarchy> memory = model->memory_hierarchy();
  if (!memory) return;
  const auto same = [&](const DescribedDevice& device) {
    return device.system == system && device.memory == *memory;
  };
  const auto found = std::find_if(report.devices.begin(), report.devices.end(), same);
  if (found != report.devices.end()) {
    found->parts.push_back(part.name);
  } else {
    report.devices.push_back(
        {system, {alone ? std::string() : part.name}, std::string(part.kind->key), *memory});
  }
}

void add(const std::string& system, const SystemPlan& plan, DescribeReport& report) {
  for (const std::size_t part : run_order(plan))
    add(system, plan.parts[part], plan.parts.size() == 1, report);
  const std::size_t first = report.links.size();
  for (const PlannedLink& link : plan.links)
    report.links.push_back({system, link.name, link.bandwidth});
  std::stable_sort(report.links.begin() + static_cast<std::ptrdiff_t>(first), report.links.end(),
                   [](const DescribedLink& a, const DescribedLink& b) {
                     return a.name.substr(0, a.name.find(' ')) < b.name.substr(0, b.name.find(' '));
                   });
}

std::string text_of(const DescribeReport& report, const Session& session) {
  switch (session.format()) {
    case Format::json:
      return describe_json(report);
    case Format::csv:
      return describe_csv(report);
    case Format::table:
      break;
  }
  return describe_table(report, session.style());
}

}  // namespace

ExitCode describe(const DescribeCommand& command, Console& console) {
  Session session(console, command.output);
  DescribeReport report;
  bool read = true;
  for (const std::string& name : command.systems) {
    const SystemOptions on{name, {}, {}, command.knowledge, command.overrides};
    const Result<SystemPlan> plan = load_system(session.files, on, StackSpec{});
    read = session.accept(plan) && read;
    if (plan) add(stem_of(name), *plan, report);
  }
  if (!read) return session.failure();
  if (report.devices.empty()) {
    session.accept(Diagnostics{usage_error("SYSTEM", "has no part with caches and memory",
                                           "name a system, a GPU or a CPU")});
    return ExitCode::wrong_usage;
  }
  report.warnings = session.warnings();
  session.write(text_of(report, session));
  return ExitCode::done;
}

}  // namespace tantalus

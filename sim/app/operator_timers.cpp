#include "sim/app/operator_timers.hpp"

#include <algorithm>
#include <utility>

#include "sim/app/loading.hpp"

namespace tantalus {

namespace {

// `libraries: [name, ...those of the device]`: the first that can run an operation answers for it.
void put_first(YamlNode& body, const std::string& name) {
  YamlNode item = body;
  item.kind = YamlNode::Kind::scalar;
  item.text = name;
  item.entries.clear();
  YamlNode* list = body.find("libraries");
  if (list != nullptr && list->is_list()) list->items.insert(list->items.begin(), std::move(item));
}

}  // namespace

OperatorTimers::OperatorTimers(Files& files, const FileText& file, const SystemSpec& spec,
                               const SystemPlan& plan, RunOptions options)
    : files_(files), file_(file), spec_(spec), options_(std::move(options)), own_(plan, options_) {}

OperationTimer& OperatorTimers::timer(const std::string& library, bool& missing) {
  missing = false;
  if (library.empty()) return own_;
  const auto [it, is_new] = catalogues_.try_emplace(library);
  if (is_new) it->second = read(library);
  missing = it->second.timer == nullptr;
  return missing ? own_ : *it->second.timer;
}

OperatorTimers::Catalogue OperatorTimers::read(const std::string& library) {
  const std::vector<std::string> known = files_.names(library_places());
  if (std::find(known.begin(), known.end(), library) == known.end()) return {};
  SystemSpec spec = spec_;
  put_first(spec.parts[*spec.find_part(options_.device)].body, library);
  Result<SystemPlan> plan = plan_of(files_, file_, spec);
  if (!plan) return {};  // a catalogue for another kind of device
  Catalogue catalogue;
  catalogue.plan = std::make_unique<SystemPlan>(std::move(plan).value());
  catalogue.timer = std::make_unique<OperationTimer>(*catalogue.plan, options_);
  return catalogue;
}

}  // namespace tantalus

#include "sim/app/operator_timers.hpp"

#include <algorithm>
#include <utility>

#include "sim/app/loading.hpp"
#include "sim/hardware/library_alias.hpp"

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
  RunOptions options = options_;
  options.stack = stack_of(library);
  catalogue.timer = std::make_unique<OperationTimer>(*catalogue.plan, options);
  return catalogue;
}

// A stack that the user names stands; otherwise the software that was measured is that of the table's library.
StackSpec OperatorTimers::stack_of(const std::string& library) const {
  if (options_.stack.name != StackSpec{}.name) return options_.stack;
  const Result<FileText> file = files_.find(library, library_places());
  if (!file) return options_.stack;
  Result<Document> document = read_document(file->text, file->file, "library");
  if (!document || take(document.value().body, "kind").text != "alias") return options_.stack;
  const Result<LibraryAlias> alias = read_spec<LibraryAlias>(document->body, reading(*document));
  if (!alias) return options_.stack;
  const PartSpec& part = spec_.parts[*spec_.find_part(options_.device)];
  const YamlNode* architecture = part.body.find("architecture");
  const std::size_t line =
      answer_for(*alias, {part.kind, architecture != nullptr ? architecture->text : ""});
  if (line == alias->answers.size() || alias->answers[line].stack.empty()) return options_.stack;
  const Result<StackSpec> stack = load_stack(files_, alias->answers[line].stack);
  return stack ? on_host(*stack, alias->answers[line].host_factor) : options_.stack;
}

}  // namespace tantalus

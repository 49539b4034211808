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

// C = A B stored by columns is, to those who read by rows, C' = B' A'.
Operation by_rows(Operation operation) {
  if (auto* product = std::get_if<GemmShape>(&operation.work)) {
    std::swap(product->m, product->n);
    std::swap(product->trans_a, product->trans_b);
  }
  return operation;
}

}  // namespace

OperatorTimers::OperatorTimers(Files& files, const FileText& file, const SystemSpec& spec,
                               const SystemPlan& plan, RunOptions options)
    : files_(files), file_(file), spec_(spec), options_(std::move(options)), own_(plan, options_) {}

Result<OperationTimer::Timing> OperatorTimers::time(const OperatorRow& row, bool& missing) {
  missing = false;
  OperationTimer* timer = &own_;
  bool by_columns = false;
  if (!row.library.empty()) {
    const auto [it, is_new] = catalogues_.try_emplace(row.library);
    if (is_new) it->second = read(row.library);
    missing = it->second.timer == nullptr;
    if (!missing) timer = it->second.timer.get();
    by_columns = it->second.by_columns;
  }
  const Operation& operation = row.operation;
  if (row.timing == Timing::framework) return timer->time_in_turn(operation);
  return by_columns ? timer->time(by_rows(operation)) : timer->time(operation);
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
  if (const std::optional<AliasAnswerSpec> line = last_answer_of(library)) {
    options.stack = stack_of(*line);
    catalogue.by_columns = line->by_columns;
  }
  catalogue.timer = std::make_unique<OperationTimer>(*catalogue.plan, options);
  return catalogue;
}

std::optional<AliasAnswerSpec> OperatorTimers::answer_of(const std::string& library) const {
  const Result<FileText> file = files_.find(library, library_places());
  if (!file) return std::nullopt;
  Result<Document> document = read_document(file->text, file->file, "library");
  if (!document || take(document.value().body, "kind").text != "alias") return std::nullopt;
  const Result<LibraryAlias> alias = read_spec<LibraryAlias>(document->body, reading(*document));
  if (!alias) return std::nullopt;
  const PartSpec& part = spec_.parts[*spec_.find_part(options_.device)];
  const YamlNode* architecture = part.body.find("architecture");
  const std::size_t line =
      answer_for(*alias, {part.kind, architecture != nullptr ? architecture->text : ""});
  if (line == alias->answers.size()) return std::nullopt;
  return alias->answers[line];
}

// An alias of an alias has the software and the storage of the one that it leads to, unless it names its own. Aliases that lead
// back to themselves made no plan before this.
std::optional<AliasAnswerSpec> OperatorTimers::last_answer_of(const std::string& library) const {
  std::optional<AliasAnswerSpec> line = answer_of(library);
  while (line && line->stack.empty()) {
    std::optional<AliasAnswerSpec> next = answer_of(line->library);
    if (!next) break;
    next->by_columns = next->by_columns || line->by_columns;
    line = std::move(next);
  }
  return line;
}

// A stack that the user names stands; otherwise the software that was measured is that of the table's library.
StackSpec OperatorTimers::stack_of(const AliasAnswerSpec& line) const {
  if (options_.stack.name != StackSpec{}.name || line.stack.empty()) return options_.stack;
  const Result<StackSpec> stack = load_stack(files_, line.stack);
  return stack ? on_host(*stack, line.host_factor) : options_.stack;
}

}  // namespace tantalus

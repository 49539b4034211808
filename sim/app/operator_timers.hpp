// One timer for each kernel catalogue that a table of operators asks for: the system is planned again with that catalogue in
// front of the device's own, under the software that the catalogue's alias names. A catalogue that is not there is answered by
// the device's first, and said.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/app/files.hpp"
#include "sim/app/operator_rows.hpp"
#include "sim/config/system_spec.hpp"
#include "sim/hardware/library_alias.hpp"
#include "sim/hardware/simulate.hpp"

namespace tantalus {

class OperatorTimers {
 public:
  /// The device's own catalogues; `plan` must outlive the timers, like `spec` and `files`.
  OperatorTimers(Files& files, const FileText& file, const SystemSpec& spec, const SystemPlan& plan,
                 RunOptions options);

  /// Times a row with its catalogue; "" is the device's first choice. Rows of a framework's timer are layers in the order of one
  /// pass. `missing` is set when the catalogue is not one for this device: the device's own answers.
  Result<OperationTimer::Timing> time(const OperatorRow& row, bool& missing);

 private:
  struct Catalogue {
    std::unique_ptr<SystemPlan> plan;
    std::unique_ptr<OperationTimer> timer;  // null: not one for this device
    bool by_columns = false;                // its tables give products as stored by columns
  };
  Catalogue read(const std::string& library);
  /// The line for this part when the name is an alias's.
  std::optional<AliasAnswerSpec> answer_of(const std::string& library) const;
  std::optional<AliasAnswerSpec> last_answer_of(const std::string& library) const;
  StackSpec stack_of(const AliasAnswerSpec& line) const;

  Files& files_;
  const FileText& file_;
  const SystemSpec& spec_;
  RunOptions options_;
  OperationTimer own_;
  std::map<std::string, Catalogue> catalogues_;
};

}  // namespace tantalus

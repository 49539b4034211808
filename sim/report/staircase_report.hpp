// Latency and bandwidth against working set: the records behind `tantalus cache --staircase` and their three forms. Which level
// answers is counted by sim/hardware/cache; this room only lays out. JSON is `tantalus.staircase/1`, a contract.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/units.hpp"
#include "sim/report/style.hpp"

namespace tantalus {

struct StairLevelRow {
  std::string name;
  std::optional<Bytes> capacity;  // of one instance; none: memory
  std::optional<Duration> latency;
  std::optional<Bandwidth> bandwidth, of_one;  // of all cores, of one
};

struct StairRow {
  Bytes working_set;
  std::vector<double> chased, streamed;                 // share that each level answers
  std::optional<double> latency_ns, bandwidth, of_one;  // bytes a second
};

struct StaircaseReport {
  std::string caches;
  std::vector<StairLevelRow> levels;  // memory last
  std::vector<StairRow> rows;
  Diagnostics warnings;
};

std::string staircase_table(const StaircaseReport& report, const Style& style = {});
std::string staircase_json(const StaircaseReport& report);
std::string staircase_csv(const StaircaseReport& report);

}  // namespace tantalus

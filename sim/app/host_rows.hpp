// What the host program measured, row by row, put together over its rounds.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/app/host_prediction.hpp"

namespace tantalus {

/// One task, change of layout or whole pass of one case.
struct HostMeasurement {
  std::string what;      // "step", "reorder", "pass"
  std::size_t task = 0;  // number in the lowered step
  std::string name, implementation, flag;
  std::vector<double> nanoseconds;  // of each round
  double spread = 0, bytes = 0;
  std::int64_t samples = 0, dropped = 0;

  std::size_t quietest = 0;  // round of its case: the one with the shortest whole pass
  double time() const { return nanoseconds.at(std::min(quietest, nanoseconds.size() - 1)); }
  /// Largest difference between rounds, relative to their mean; below 0 for one round.
  double repeatability() const;
};

struct HostMeasurements {
  std::vector<std::vector<HostMeasurement>> cases;  // in the order of the plan
  std::vector<HostRates> rates;  // probed before and after the quietest round of each case
  std::map<std::string, std::vector<double>> probes;
  std::vector<std::pair<std::string, std::string>> machine;
};

HostMeasurements measurements_of(const std::vector<std::vector<std::string>>& rows,
                                 const std::vector<HostCase>& cases);

/// NETWORK,FILE,BATCH,MODE,LIBRARY: what the host program reads.
std::string plan_text(const std::vector<HostCase>& cases);

}  // namespace tantalus

// The answer of `tantalus validate --device cpu`: every layer measured on this machine beside its prediction, how far off the
// predictions are by group, the machine's own repeatability, and whether that is within tolerance. As a table for people, as
// `tantalus.validate/1`, or as rows of CSV (the baseline). Plain records; it knows no harness.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/report/accuracy.hpp"
#include "sim/report/style.hpp"

namespace tantalus {

/// One layer in one pass, a change of layout, or a whole pass.
struct HostRow {
  std::string network, library, mode;
  std::int64_t batch = 1;
  std::string what;  // "layer", "reorder", "whole"
  std::string layer, pass;
  MeasuredTime time;
  double spread = 0;         // of the samples
  double repeatability = 0;  // relative difference between rounds; below 0: one round
  std::int64_t samples = 0, dropped = 0;
  std::string source;          // the file of ours that calls the library
  std::string implementation;  // as the library names its choice
  std::string flag;            // a measuring error: not part of any summary
};

/// Rows that are judged together.
struct HostGroup {
  std::string name;
  ErrorSummary summary;
  double scaled_roofline =
      0;  // mean error of a roofline scaled by one constant, the best for these rows
  double repeatability = 0;  // mean over rows
  double tolerance = 0;      // the file's
  double limit = 0;          // after repeatability; 0: not judged
  bool within = true;
};

struct HostLimits {
  double forward = 0, backward = 0, small = 0, whole = 0, most = 0;
  Duration small_below;
};

struct HostValidation {
  std::string system, device, driver;
  std::vector<std::pair<std::string, std::string>> machine;  // what must stand beside a measurement
  std::vector<std::pair<std::string, std::string>> probes;   // rates before, between and after
  std::vector<HostRow> rows;
  std::int64_t samples = 0, dropped = 0;

  std::vector<HostGroup> groups(const HostLimits& limits) const;
};

/// True when every judged group is.
bool is_within(const std::vector<HostGroup>& groups);

std::string host_validation_table(const HostValidation& v, const HostLimits& limits,
                                  const Style& style);
std::string host_validation_json(const HostValidation& v, const HostLimits& limits);
std::string host_validation_csv(const HostValidation& v);

}  // namespace tantalus

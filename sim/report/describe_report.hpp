// Machines side by side by their memory: the records behind `tantalus describe` and their three forms. The figures are
// sim/results' (memory_levels.hpp, inversion.hpp); this room only lays out. JSON is `tantalus.describe/1`, a contract.
#pragma once

#include <string>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/units.hpp"
#include "sim/report/style.hpp"
#include "sim/results/memory_levels.hpp"

namespace tantalus {

/// Parts of one system that are the same in everything that is described.
struct DescribedDevice {
  std::string system;              // stem of the file
  std::vector<std::string> parts;  // "gpu0", "gpu1"
  std::string kind;                // "gpu", "cpu"
  MemoryHierarchy memory;
};

struct DescribedLink {
  std::string system, name;  // "pcie cpu-gpu0"
  Bandwidth bandwidth;       // of each direction
};

struct DescribeReport {
  std::vector<DescribedDevice>
      devices;  // the one that was asked for, or runs by default, is the first
  std::vector<DescribedLink> links;
  Diagnostics warnings;
};

std::string describe_table(const DescribeReport& report, const Style& style = {});
std::string describe_json(const DescribeReport& report);
std::string describe_csv(const DescribeReport& report);

}  // namespace tantalus

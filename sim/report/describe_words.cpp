#include "sim/report/describe_words.hpp"

namespace tantalus {

std::string device_words(const DescribedDevice& device) {
  if (device.parts.size() == 1 && device.parts.front().empty()) return device.system;
  std::string words = device.parts.front();
  if (device.parts.size() > 1) words += " to " + device.parts.back();
  return words + " of " + device.system;
}

std::vector<std::pair<std::size_t, std::size_t>> compared_pairs(const DescribeReport& report) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t over = 0; over < report.devices.size(); ++over) {
    for (std::size_t under = 0; under < report.devices.size(); ++under) {
      if (report.devices[over].kind == "gpu" && report.devices[under].kind == "cpu")
        pairs.emplace_back(over, under);
    }
  }
  return pairs;
}

}  // namespace tantalus

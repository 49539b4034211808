// Words that the forms of `tantalus describe` share: what a device is called, and which pairs are compared.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/report/describe_report.hpp"

namespace tantalus {

/// "gpu0 to gpu7 of dgx-a100"; a part that is its own system is called by its file alone.
std::string device_words(const DescribedDevice& device);

/// Indices of every accelerator with every processor.
std::vector<std::pair<std::size_t, std::size_t>> compared_pairs(const DescribeReport& report);

}  // namespace tantalus

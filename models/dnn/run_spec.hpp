// How a network is run: batch, mode, number format, software. What the command line decides and the network file does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/workload/software.hpp"
#include "sim/workload/tensor.hpp"

namespace tantalus {

enum class Mode : std::uint8_t { inference, training };
/// "inference", "training".
std::string_view name_of(Mode mode);

struct RunSpec {
  std::int64_t batch = 1;  // samples of one step on this device
  std::optional<std::int64_t>
      micro_batch;  // samples at a time; must divide the batch (gradient accumulation)
  Mode mode = Mode::inference;
  DType precision = DType::fp32;
  Software software;  // what the framework makes of the layers
};

}  // namespace tantalus

// What a training run over a data set looks like in a predict report: text below the step's table, an object of the JSON.
#pragma once

#include <string>

#include "sim/report/style.hpp"
#include "sim/results/pipeline_results.hpp"

namespace tantalus {

/// One sentence with numbers: what the devices wait for, how long, and what would help most.
std::string verdict_sentence(const PipelineResults& run);

/// Epochs, the devices' time, the verdict, stages, changes.
std::string pipeline_text(const PipelineResults& run, const Style& style = {});

}  // namespace tantalus

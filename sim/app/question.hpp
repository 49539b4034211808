// What a predict report says of the question that it answers.
#pragma once

#include "sim/app/options.hpp"
#include "sim/base/diagnostic.hpp"
#include "sim/hardware/system_plan.hpp"
#include "sim/report/prediction.hpp"
#include "sim/report/style.hpp"

namespace tantalus {

/// The question in words beside the results, with the warnings of every stage.
Prediction prediction_of(const PredictCommand& command, const SystemPlan& system, Results results,
                         const Diagnostics& warnings);

/// The report in the form that was asked for.
std::string predict_text(const Prediction& prediction, Format format, const Style& style);

/// The step fits the device's memory, and the batches under way the host's shared memory.
bool runs(const Prediction& prediction);

/// One sentence for each override and one for what they leave as it is; empty without overrides.
std::vector<std::string> what_if(const std::vector<std::string>& overrides);

}  // namespace tantalus

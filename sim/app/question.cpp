#include "sim/app/question.hpp"

#include <utility>

#include "sim/app/files.hpp"
#include "sim/report/predict_report.hpp"

namespace tantalus {

std::vector<std::string> what_if(const std::vector<std::string>& overrides) {
  std::vector<std::string> sentences;
  for (const std::string& text : overrides) {
    const std::size_t equals = text.find('=');
    sentences.push_back(text.substr(0, equals) + " is set to " + text.substr(equals + 1));
  }
  if (!sentences.empty()) {
    sentences.emplace_back(
        "held constant: every other field as written or by default; values derived from these "
        "follow");
  }
  return sentences;
}

Prediction prediction_of(const PredictCommand& command, const SystemPlan& system, Results results,
                         const Diagnostics& warnings) {
  Prediction prediction;
  Question& question = prediction.question;
  question.system = stem_of(command.on.system);
  question.system_name = system.name.empty() ? question.system : system.name;
  question.network = stem_of(command.network);
  question.mode = name_of(command.run.mode);
  question.precision = name_of(command.run.precision);
  question.knowledge = name_of(command.on.knowledge);
  question.batch = command.run.batch;
  question.batch_per_device = command.run.batch;  // one device runs the whole step
  question.micro_batch = command.run.micro_batch.value_or(command.run.batch);
  question.has_host = system.host.has_value();
  question.what_if = what_if(command.on.overrides);

  prediction.results = std::move(results);
  prediction.results.warnings.clear();  // they are among those of the stages
  prediction.results.warnings = warnings;
  return prediction;
}

std::string predict_text(const Prediction& prediction, Format format, const Style& style) {
  switch (format) {
    case Format::json:
      return predict_json(prediction);
    case Format::csv:
      return predict_csv(prediction);
    case Format::table:
      break;
  }
  return predict_table(prediction, style);
}

bool runs(const Prediction& prediction) {
  return prediction.results.memory.fits &&
         (!prediction.pipeline || prediction.pipeline->shared_memory.fits);
}

}  // namespace tantalus

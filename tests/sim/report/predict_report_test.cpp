#include "sim/report/predict_report.hpp"

#include <initializer_list>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "sim/report/timeline.hpp"
#include "tests/golden.hpp"
#include "tests/sim/report/sample.hpp"

namespace tantalus::testing {

namespace {

void require_fields(const nlohmann::json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    INFO("field: ", name);
    CHECK(object.contains(name));
  }
}

}  // namespace

TEST_CASE("the inference table reads as its golden text") {
  check_golden("tests/sim/report/golden/inference.txt", predict_table(inference_sample()));
}

TEST_CASE("the training table folds the passes of a layer into columns") {
  check_golden("tests/sim/report/golden/training.txt", predict_table(training_sample()));
}

TEST_CASE("a generic catalogue is said in the first line") {
  Prediction p = inference_sample();
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  CHECK(first_line(predict_table(p)).find("generic") == std::string::npos);

  p.results.generic_library = true;
  CHECK(first_line(predict_table(p)).find("generic kernel catalogue") != std::string::npos);
}

TEST_CASE("the predict JSON reads as its golden text") {
  check_golden("tests/sim/report/golden/inference.json", predict_json(inference_sample()));
  check_golden("tests/sim/report/golden/training.json", predict_json(training_sample()));
}

TEST_CASE("the predict JSON has every field of the contract") {
  const auto document = nlohmann::json::parse(predict_json(training_sample()));

  CHECK(document["schema"] == "tantalus.predict/1");
  require_fields(document, {"schema", "fingerprint", "system", "network", "device", "mode", "batch",
                            "precision", "totals", "layers", "memory", "warnings"});
  require_fields(document["totals"],
                 {"time_ns", "time_low_ns", "time_high_ns", "macs", "flops", "parameters",
                  "samples_per_s", "host_ns", "device_ns", "host_per_operator_ns", "other_ops"});
  require_fields(document["layers"][0],
                 {"name", "kind", "pass", "time_ns", "compute_ns", "memory_ns", "launch_ns",
                  "sync_ns", "bound", "algorithm", "macs", "flops", "input_bytes", "output_bytes",
                  "parameter_bytes", "dram_bytes", "kernels"});
  require_fields(document["layers"][0]["kernels"][0],
                 {"name", "grid", "block", "registers_per_thread", "shared_bytes", "blocks_per_sm",
                  "occupancy_limit", "waves", "time_ns"});
  require_fields(document["memory"],
                 {"fits", "capacity_bytes", "peak_bytes", "parameters_bytes", "gradients_bytes",
                  "optimizer_bytes", "activations_bytes", "workspace_bytes", "context_bytes"});
}

TEST_CASE("a layer with bytes that are not UTF-8 in its name still makes valid JSON") {
  Prediction p = inference_sample();
  p.results.layers[0].name = "conv\xff\"\n";

  const auto document = nlohmann::json::parse(predict_json(p));

  CHECK(document["layers"][0]["name"] == "conv\xef\xbf\xbd\"\n");
}

TEST_CASE("a step of no time has a throughput of zero, not infinity") {
  Prediction p = inference_sample();
  p.results.tasks.clear();
  p.results.step = Duration{};

  const auto document = nlohmann::json::parse(predict_json(p));

  CHECK(document["totals"]["samples_per_s"] == 0.0);
  CHECK(predict_table(p).find("nan") == std::string::npos);
}

TEST_CASE("the predict CSV reads as its golden text") {
  check_golden("tests/sim/report/golden/training.csv", predict_csv(training_sample()));
}

TEST_CASE("the timeline holds a bar for each task and each kernel, at its time") {
  const auto document = nlohmann::json::parse(timeline_json(inference_sample()));

  int bars = 0;
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++bars;
    if (event["name"] == "elementwise_relu") {
      CHECK(event["ts"] == 2.0);
      CHECK(event["dur"] == 0.5);
    }
  }
  CHECK(bars == 6);  // two tasks, two kernels, two host issues
}

}  // namespace tantalus::testing

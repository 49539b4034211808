#include "sim/report/prediction.hpp"

#include <doctest/doctest.h>

#include "tests/sim/report/sample.hpp"

namespace tantalus::testing {

TEST_CASE("a layer and pass is one entry whose time is the sum of its kernels") {
  const Prediction p = training_sample();

  const std::vector<LayerPass> entries = layer_passes(p.results);

  REQUIRE(entries.size() == 6);
  CHECK(entries[3].name == "conv1");
  CHECK(entries[3].pass == "weight_gradient");
  CHECK(entries[3].time == ns(2200));  // 2,000 + 200
  CHECK(entries[3].compute == ns(600));
  CHECK(entries[3].memory == ns(1000));  // the slower of cache and memory, twice
  CHECK(entries[3].dram_bytes == Bytes{40'000});
  CHECK(main_kernel(entries[3])->name == "wgrad_split_k");
}

TEST_CASE("several operations of one pass add up and the longest names algorithm and bound") {
  Prediction p = inference_sample();
  p.results.tasks[1].layer = LayerId{0};  // the ReLU belongs to conv1 now

  const std::vector<LayerPass> entries = layer_passes(p.results);

  REQUIRE(entries.size() == 1);
  CHECK(entries[0].time == ns(1500));
  CHECK(entries[0].algorithm == "implicit_gemm");
  CHECK(entries[0].bound == Bound::dram);
  CHECK(entries[0].input_bytes == Bytes{3136});  // the layer's own, not the sum over its operations
}

TEST_CASE("the interval of a step adds the doubts of its families and of the host as squares") {
  Prediction p = inference_sample();
  p.results.device_busy = ns(1500);
  p.results.host_doubt = 0.5;
  const Totals totals = totals_of(p);

  // Two families of 250 ns each, and half of the 1,500 ns in which no kernel ran: sqrt(2 x 250^2 + 750^2) = 829 of 3,000 ns.
  const double share = 829.156 / 3000.0;
  CHECK(seconds(totals.low) == doctest::Approx(3e-6 / (1.0 + share)));
  CHECK(seconds(totals.high) == doctest::Approx(3e-6 * (1.0 + share)));
  CHECK(totals.samples_per_s == doctest::Approx(2 / 3e-6));
  CHECK(totals.flops == 2 * totals.macs);
}

TEST_CASE("an interval never begins below zero") {
  Prediction p = inference_sample();
  for (TaskResult& t : p.results.tasks) t.doubt.model = 9.0;

  CHECK(totals_of(p).low > ns(0));
  CHECK(layer_passes(p.results)[0].low == ns(100));  // 1,000 ns / (1 + 9)
}

TEST_CASE("a device whose resources name an L3 has its cache called so") {
  Prediction p = inference_sample();
  CHECK(cache_level_of(p.results) == "l2");

  p.results.resources[0].resource = "l3";
  CHECK(cache_level_of(p.results) == "l3");
}

TEST_CASE("a fingerprint has sixteen digits") {
  CHECK(fingerprint_text(0x0123456789abcdefULL) == "0123456789abcdef");
  CHECK(fingerprint_text(0) == "0000000000000000");
  CHECK(fingerprint_of("") == 14695981039346656037ULL);  // the FNV-1a offset basis
  CHECK(fingerprint_of("a") == 0xaf63dc4c8601ec8cULL);   // published test vector
}

}  // namespace tantalus::testing

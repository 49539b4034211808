#include "validate/layer_runs.hpp"

#include <cstdlib>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "sim/base/check.hpp"
#include "sim/config/network_spec.hpp"

namespace tantalus::validation {
namespace {

Result<Network> small_network(const LayerCase&) {
  const Result<NetworkSpec> spec = read_network(
      "tantalus: network/1\nname: test\nsources: {\"*\": test}\ninput: {image: [8, 24, 24]}\n"
      "classes: 10\nlayers:\n"
      "  - {name: conv1, kind: conv2d, out: 32, kernel: 3}\n  - {name: relu1, kind: relu}\n"
      "  - {name: conv2, kind: conv2d, out: 32, kernel: 3}\n"
      "  - {name: pool, kind: max_pool, kernel: 2}\n  - {name: fc, kind: linear, out: 10}\n",
      "test.yaml");
  return infer(*spec);
}

std::vector<LayerRow> rows_of(const LayerCase& of, double slow_layers) {
  RunOptions options;
  options.rounds = 1;
  options.rule.seconds = 0.3;
  options.slow_layers = slow_layers;
  std::vector<LayerRow> rows;
  const Diagnostics wrong =
      run_layers({of}, small_network, options, [&](const LayerRow& row) { rows.push_back(row); });
  CHECK(wrong.empty());
  return rows;
}

TEST_CASE("every task of a training step is measured in each library, between probes") {
  for (const std::string library : {"onednn", "openblas"}) {
    const std::vector<LayerRow> rows = rows_of({"test", library, 2, true}, 1.0);
    std::map<std::string, int> count;
    for (const LayerRow& row : rows) ++count[row.what];

    CHECK(rows.front().what == "probe");
    CHECK(rows.back().what == "probe");
    CHECK(count["pass"] == 1);
    // 5 forward; gradients: fc 2, pool 1, conv2 2, relu 1, conv1 1; 3 updates; BLAS sums 3 biases apart.
    CHECK(count["step"] == (library == "onednn" ? 15 : 18));
    for (const LayerRow& row : rows) {
      if (row.what != "step") continue;
      INFO(row.name, " ", row.flag);
      CHECK(row.timing.seconds > 0.0);
      CHECK_FALSE(row.implementation.empty());
      CHECK(row.flag.empty());
    }
  }
}

TEST_CASE("layers are not timed in a program whose libraries may share the work among threads") {
  const std::string before = std::getenv("OMP_NUM_THREADS");
  setenv("OMP_NUM_THREADS", "2", 1);
  CHECK_THROWS_AS(rows_of({"test", "onednn", 2, false}, 1.0), InvariantError);
  setenv("OMP_NUM_THREADS", before.c_str(), 1);
}

// Rounds of truth and lie alternate, so that the machine's own drift meets both; medians of the ratios, because single rounds on
// a shared machine scatter.
TEST_CASE("layers slowed by 1.3 are measured 1.3 times as long while the probes stay") {
  constexpr double lie = 1.3;
  std::vector<double> layers, probes;
  const LayerCase of{"test", "openblas", 8, false};
  for (int round = 0; round < 9; ++round) {
    const std::vector<LayerRow> truth = rows_of(of, 1.0), slow = rows_of(of, lie);
    REQUIRE(truth.size() == slow.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const bool large = truth[i].timing.seconds > 20e-6;
      if (truth[i].what == "step" && large) {
        layers.push_back(slow[i].timing.seconds / truth[i].timing.seconds);
      }
      if (truth[i].name == "fma") probes.push_back(slow[i].value / truth[i].value);
    }
  }

  CHECK(median(layers) == doctest::Approx(lie).epsilon(0.06));
  CHECK(median(probes) == doctest::Approx(1.0).epsilon(0.06));
  // What validate reports is predicted / measured - 1: it falls by 1 - 1 / 1.3 = 23 %.
  CHECK(1.0 - 1.0 / median(layers) == doctest::Approx(0.23).epsilon(0.2));
}

}  // namespace
}  // namespace tantalus::validation

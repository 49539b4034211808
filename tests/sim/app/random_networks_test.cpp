#include "sim/app/random_networks.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "models/dnn/lower.hpp"
#include "sim/app/loading.hpp"

namespace tantalus::testing {

TEST_CASE("equal seeds draw equal networks, other seeds and numbers others") {
  CHECK(random_network(7, 3).text == random_network(7, 3).text);
  CHECK(random_network(7, 3).name == "random-7-3");
  std::set<std::string> layers;
  for (std::int64_t seed = 0; seed < 5; ++seed) {
    for (std::int64_t i = 0; i < 20; ++i) {
      const std::string text = random_network(seed, i).text;
      layers.insert(text.substr(text.find("input:")));
    }
  }
  CHECK(layers.size() == 100);
}

TEST_CASE("LRN stands only behind channels that every library's own kernels take") {
  for (std::int64_t i = 0; i < 200; ++i) {
    const std::string text = random_network(3, i).text;
    const std::size_t norm = text.find("kind: lrn");
    if (norm == std::string::npos) continue;
    const std::size_t out = text.rfind("out: ", norm) + 5;
    CHECK(std::stoi(text.substr(out)) % 16 == 0);
  }
}

TEST_CASE("every drawn network loads and can be run for inference and training") {
  for (std::int64_t i = 0; i < 200; ++i) {
    const RandomNetwork drawn = random_network(42, i);
    INFO(drawn.text);
    const Result<Network> network = network_of({drawn.name + ".yaml", drawn.text});
    REQUIRE(network.ok());
    RunSpec run;
    run.batch = drawn.batch;
    for (const Mode mode : {Mode::inference, Mode::training}) {
      run.mode = mode;
      CHECK(check_run(*network, run).empty());
      CHECK(lower(*network, run).tasks().size() > 4);
    }
  }
}

}  // namespace tantalus::testing

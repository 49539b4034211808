#include "validate/library_probes.hpp"

#include <set>

#include <doctest/doctest.h>

namespace tantalus::validation {
namespace {

LibraryConstant constant(const std::string& field, const std::string& value) {
  return {field, value, 0.0, "test"};
}

TEST_CASE("of several passes the middle value of each constant counts") {
  const auto pass = [](const std::string& call, const std::string& list) {
    return std::vector<LibraryConstant>{constant("call", call), constant("list", list),
                                        constant("last", "true")};
  };

  const auto middle = middle_of(
      {pass("90 ns", "[0.9, 0.1]"), pass("1000 ns", "[0.7, 0.2]"), pass("80 ns", "[0.8, 0.3]")});

  REQUIRE(middle.size() == 3);
  CHECK(middle[0].value == "90 ns");
  CHECK(middle[1].value == "[0.8, 0.3]");
  CHECK(middle[2].value == "true");
}

TEST_CASE("each library tells its constants, each once and above nothing") {
  RateProbe probe;
  StopRule rule;
  rule.seconds = 0.005, rule.least = 3, rule.most = 5;
  for (const bool onednn : {true, false}) {
    const LibraryProbes probes{probe, rule, 3e9, probe.sustained(), 10e9, onednn, 8};
    std::set<std::string> fields;
    for (const LibraryConstant& c : library_constants(probes)) {
      INFO(c.field, " ", c.value);
      CHECK(fields.insert(c.field).second);
      CHECK_FALSE(c.how.empty());
      CHECK(c.value.find("nan") == std::string::npos);
    }
    for (const char* field :
         {"loops.simple", "loops.relu_gradient", "loops.max_gradient", "loops.lrn_gradient",
          "gemm.efficiency", "gemm.packed_rate", "gemm.aliased_rate"}) {
      CHECK(fields.contains(field));
    }
    CHECK(fields.contains(onednn ? "direct.row" : "im2col.element"));
  }
}

}  // namespace
}  // namespace tantalus::validation

#include "sim/hardware/doubt.hpp"

#include <doctest/doctest.h>

#include "sim/config/overrides.hpp"
#include "sim/config/yaml_document.hpp"

namespace tantalus::test {

namespace {

YamlNode body() {
  return parse_yaml("clock: {boost: 1 GHz, sustained: 1 GHz}\ndram: {efficiency: 0.8}\n",
                    "test.yaml")
      ->root;
}

YamlNode value(YamlNode::Writer writer) {
  YamlNode node = parse_yaml("1", "test.yaml")->root;
  mark_writer(node, writer);
  return node;
}

Measured with(const char* path, YamlNode::Writer writer) {
  YamlNode part = body();
  CHECK(set_path(part, path, value(writer)).empty());
  return measured_of(part);
}

}  // namespace

TEST_CASE(
    "a rate is measured where the calibration wrote it, not where the file or an override did") {
  CHECK_FALSE(measured_of(body()).clock);
  CHECK_FALSE(with("clock.sustained", YamlNode::Writer::override).clock);

  CHECK(with("clock.sustained", YamlNode::Writer::calibration).clock);
  CHECK_FALSE(with("clock.sustained", YamlNode::Writer::calibration).memory);
  CHECK(with("dram.efficiency", YamlNode::Writer::calibration).memory);
  CHECK(with("one_core_bandwidth", YamlNode::Writer::calibration).memory);
  CHECK(with("power.per_flop", YamlNode::Writer::calibration).power);
  CHECK(with("l2.bandwidth", YamlNode::Writer::calibration).caches);
  CHECK_FALSE(with("l2.bandwidth", YamlNode::Writer::calibration).memory);
}

TEST_CASE(
    "only the rate that binds an operation adds to its doubt, and only when nobody measured it") {
  const Unmeasured spec{Fraction{0.1}, Fraction{0.2}, Fraction{0.3}, Fraction{0.4}};

  CHECK(doubt_of(spec, {}, Bound::compute) == doctest::Approx(0.1));
  CHECK(doubt_of(spec, {}, Bound::dram) == doctest::Approx(0.2));
  CHECK(doubt_of(spec, {}, Bound::power) == doctest::Approx(0.3));
  CHECK(doubt_of(spec, {}, Bound::l1) == doctest::Approx(0.4));
  CHECK(doubt_of(spec, {false, false, false, true}, Bound::l2) == 0.0);
  CHECK(doubt_of(spec, {true, false, false, false}, Bound::compute) == 0.0);
  CHECK(doubt_of(spec, {false, true, false, false}, Bound::dram) == 0.0);
  CHECK(doubt_of(spec, {false, true, false, false}, Bound::power) == doctest::Approx(0.3));
}

}  // namespace tantalus::test

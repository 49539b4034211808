// What a prediction is doubted by because of the device: a rate that bounds an operation and that nobody measured. The
// model's own error is the catalogue's to say (`error:`), how the two make an interval is the report's (report/interval.hpp).
#pragma once

#include "sim/base/units.hpp"
#include "sim/config/yaml_node.hpp"
#include "sim/results/results.hpp"

namespace tantalus {

/// Which rates of a device came from its `calibration:` block.
struct Measured {
  bool clock = false, memory = false, power = false, caches = false;
};

/// Looks where the values of a device's body came from: `clock`, the levels of memory, `power` and the private caches. `--knowledge datasheet`
/// uses no block, so nothing is measured then. An override is no measurement.
Measured measured_of(const YamlNode& body);

/// What an unmeasured rate adds to the interval of operations that it bounds; shares as in a catalogue's `error`.
struct Unmeasured {
  Fraction clock, memory, power, caches;
};

/// The share that applies to an operation bound by `bound`; zero where the rate was measured.
double doubt_of(const Unmeasured& spec, Measured measured, Bound bound);

}  // namespace tantalus

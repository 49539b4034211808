// Which layer reads which: names to indices, and every mistake in them: a name twice, a name that nobody has, a reference to a
// layer further down, a cycle (named in full). It knows no shapes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/config/network_spec.hpp"

namespace tantalus {

/// An activation: 0 is the network's input, i + 1 what layer i makes. Empty when the reference is a mistake.
using Source = std::optional<std::size_t>;

struct LayerGraph {
  std::vector<std::vector<Source>> inputs;          // of each layer, in the order written
  std::vector<std::optional<std::size_t>> weights;  // the layer whose weights a layer shares
  Diagnostics found;
};

LayerGraph connect_layers(const NetworkSpec& spec);

}  // namespace tantalus

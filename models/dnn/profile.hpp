// What a network asks for, with no hardware involved: operations, parameters and working sets per layer, by a named convention.
// A plain value; the application prints it as JSON `tantalus.profile/1`.
//
// Conventions for `ops`:
//   macs     multiply-adds of convolution, linear and matmul; other kinds 0
//   flops    2 x macs
//   lecture  as the DeepNN lecture "Hardware Ecosystem" (Cambridge, 2021) counts: convolution outputs x (taps + 1), fully
//            connected in x out, 2 a ReLU, k x k - 1 a pooling output; kinds that it lacks count 0, with a warning
// `working_set_bytes` = inputs + outputs + parameters that the layer reads, of the whole batch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/layers.hpp"
#include "models/dnn/run_spec.hpp"
#include "sim/base/diagnostic.hpp"
#include "sim/base/units.hpp"

namespace tantalus {

enum class Convention : std::uint8_t { macs, flops, lecture };
/// "macs", "flops", "lecture": the words of `--convention`.
std::string_view name_of(Convention convention);

struct ProfileOptions {
  std::int64_t batch = 1;
  Mode mode = Mode::inference;
  Convention convention = Convention::macs;
  DType precision = DType::fp32;
};

struct ProfileCounts {
  std::int64_t ops = 0, macs = 0, flops = 0, other_ops = 0;
  std::int64_t parameters = 0;  // counted once, in the layer that owns them
  Bytes parameter_bytes;        // of a layer: all it reads; in totals: each once
};

struct LayerProfile : ProfileCounts {
  std::string name, kind;
  std::vector<std::int64_t> output_shape;  // batch first
  Bytes input_bytes, output_bytes, working_set_bytes;
};

struct Profile {
  std::string network;
  ProfileOptions options;
  ProfileCounts totals;
  std::vector<LayerProfile> layers;
  Diagnostics warnings;
};

/// In training, macs, flops and other_ops also count the backward pass (input gradients only where one is needed). The
/// lecture counts the forward pass; asked for training it still does, and says so.
Profile profile(const Network& network, const ProfileOptions& options = {});

}  // namespace tantalus

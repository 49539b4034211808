// A system read and checked, not yet built: every part with its plan, every link with its rate, and the route from the host
// to each part. Pure of clock and events; all diagnostics of all parts and links come together. The plan must outlive the
// Machine that build() (simulate.hpp) makes of it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/config/system_spec.hpp"
#include "sim/hardware/device_kind.hpp"

namespace tantalus {

struct PartPlan {
  std::string name;  // "gpu0"
  const DeviceKind* kind = nullptr;
  std::unique_ptr<DevicePlan> device;
};

/// A link that carries bulk data; each direction has the whole bandwidth.
struct LinkPlan {
  std::string name;  // "pcie cpu-gpu0"
  std::size_t a = 0, b = 0;  // indices into parts
  Bandwidth bandwidth;       // after packet overhead
  SourcePos where;
};

struct SystemPlan {
  std::string name;
  std::vector<PartPlan> parts;  // sorted by name: their order in the file changes nothing
  std::vector<LinkPlan> links;  // sorted by name
  /// The part whose processor issues operations; none for a lone part, which has an ideal host.
  std::optional<std::size_t> host;
  /// For each part the links from the host to it, host end first; empty for the host and for unreachable parts.
  std::vector<std::vector<std::size_t>> routes;

  const PartPlan* find(std::string_view part) const;
};

/// Codes: those of every device's spec, unknown-kind, bad-link-kind, no-route, no-runner (no part can run operations).
/// A system of one part read from a device file (`spec.lone`) has no host and no links.
Result<SystemPlan> plan_system(const SystemSpec& spec, std::span<const DeviceKind> kinds,
                               const LibraryLookup& libraries);

/// The part to run on: `wanted`, or the first accelerator by name, or the first host. An unknown part or one that
/// cannot run operations is a Diagnostic that lists those that can.
Result<std::size_t> choose_device(const SystemPlan& plan, const std::string& wanted);

}  // namespace tantalus

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
#include "sim/hardware/storage/page_cache.hpp"

namespace tantalus {

struct PartPlan {
  std::string name;  // "gpu0"
  const DeviceKind* kind = nullptr;
  std::unique_ptr<DevicePlan> device;
};

/// A link with its rate; each direction has the whole of it.
struct PlannedLink {
  std::string name;          // "pcie cpu-gpu0"
  std::size_t a = 0, b = 0;  // indices into SystemPlan::parts
  Bandwidth bandwidth;       // after coding and packet overhead
};

/// The `host:` section of a system file.
struct HostSpec {
  std::string processor;  // the part whose cores issue operations; empty: the first CPU by name
  std::optional<Bytes> memory_limit;    // of all programs together, page cache included
  std::optional<Bytes> program_memory;  // what they hold themselves
  std::optional<Bytes> shared_memory;   // /dev/shm
  PageCacheSpec page_cache;
};

template <class Visitor>
void describe(Visitor& v, HostSpec& s) {
  v.defaulted("processor", s.processor, any_value,
              "the part whose cores issue operations; the first CPU by name when absent");
  v.optional("memory_limit", s.memory_limit, positive,
             "memory that programs and page cache may use, such as a container's; all of the "
             "processor's when absent");
  v.optional("program_memory", s.program_memory, not_negative,
             "memory that programs hold themselves; an eighth when absent");
  v.optional("shared_memory", s.shared_memory, not_negative,
             "size of /dev/shm, 64 MiB in a container; half of the processor's memory when absent");
  v.defaulted_section("page_cache", s.page_cache, "what the system keeps of files");
}

struct SystemPlan {
  std::string name;
  std::vector<PartPlan> parts;     // sorted by name: their order in the file changes nothing
  std::vector<PlannedLink> links;  // sorted by name
  /// The part whose processor issues operations: a lone processor itself; none for any other lone part, whose host is ideal.
  std::optional<std::size_t> host;
  HostSpec host_spec;
  /// For each part the links from the host to it, host end first; empty for the host and for unreachable parts.
  std::vector<std::vector<std::size_t>> routes;

  const PartPlan* find(std::string_view part) const;
};

/// Codes: those of every device's spec and library, unknown-kind, bad-link, missing-rate, no-route, unknown-device (host),
/// no-runner (no part can run operations; a drive's file alone is in order). A system without a CPU, such as a GPU's file
/// alone, has no host. `preferred` are the software's catalogues, before those that a part names.
Result<SystemPlan> plan_system(const SystemSpec& spec, std::span<const DeviceKind> kinds,
                               const LibraryLookup& libraries,
                               const std::vector<std::string>& preferred = {});

/// The parts that can run operations, in the order of preference when nobody says: accelerators by name, then CPUs.
std::vector<std::size_t> run_order(const SystemPlan& plan);

/// The part to run on: `wanted`, or the first of run_order. An unknown part or one that cannot run operations is a
/// Diagnostic that lists those that can.
Result<std::size_t> choose_device(const SystemPlan& plan, const std::string& wanted);
Diagnostic unknown_run_device(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace tantalus
